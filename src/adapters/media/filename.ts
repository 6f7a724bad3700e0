/** Name of a document whose message has none: from Content-Disposition, otherwise from the URL. [upstream §5.3] */

import { parse } from 'content-disposition';

const longest = 255;

export function readFilename(disposition: string | null, url: URL): string | null {
  const named = namedBy(disposition) ?? readLastSegment(url);
  return named === null || named === '' ? null : named.slice(0, longest);
}

function namedBy(disposition: string | null): string | null {
  return disposition === null ? null : (parse(disposition).parameters['filename'] ?? null);
}

/** Returns only what looks like a file name: `plan.pdf`, not an id. */
function readLastSegment({ pathname }: URL): string | null {
  const last = decoded(pathname.slice(pathname.lastIndexOf('/') + 1));
  return last !== null && /[^.]\.[A-Za-z0-9]{1,10}$/.test(last) ? last : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // invalid UTF-8
  }
}
