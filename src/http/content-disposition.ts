import { create } from 'content-disposition';

const longest = 255;

/**
 * `attachment`, with a file name where there is one: RFC 6266, the name in ASCII for old readers and as it is in RFC 8187's form.
 * Whatever the name holds, the value is printable ASCII. [faults: 74]
 */
export function attachment(filename: string | null): string {
  const name = filename === null ? '' : harmless(filename);
  return create(name === '' ? undefined : name, { fallback: name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_') });
}

/** Without what could break a header or leave a folder: line breaks, other controls, slashes, halves of surrogate pairs. */
function harmless(filename: string): string {
  const clean = filename
    .slice(0, 4 * longest)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}/\\]/gu, '_')
    .trim();
  const characters = Array.from(clean);
  if (characters.length <= longest) return clean;
  // The end says what kind of file it is.
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(filename)?.[0] ?? '';
  return characters.slice(0, longest - extension.length).join('') + extension;
}
