/** What a file without a name in its message is called: by the answer's head, else by its address. [upstream §5.3] */

const longest = 255;

export function filenameOf(disposition: string | null, url: URL): string | null {
  const named = extended(disposition) ?? quoted(disposition) ?? lastOf(url);
  return named === null || named === '' ? null : named.slice(0, longest);
}

function extended(disposition: string | null): string | null {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]{1,2000})/i.exec(disposition ?? '')?.[1];
  return encoded === undefined ? null : decoded(encoded);
}

function quoted(disposition: string | null): string | null {
  const found = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.){1,2000})"|([^;"\s]{1,500}))/i.exec(disposition ?? '');
  return found === null ? null : (found[1]?.replaceAll(/\\(.)/g, '$1') ?? found[2] ?? null);
}

/** Only what looks like a name: `plan.pdf`, not an id. */
function lastOf({ pathname }: URL): string | null {
  const last = decoded(pathname.slice(pathname.lastIndexOf('/') + 1));
  return last !== null && /[^.]\.[A-Za-z0-9]{1,10}$/.test(last) ? last : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // no UTF-8: no name
  }
}
