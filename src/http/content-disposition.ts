import { create } from 'content-disposition';

const longest = 255;

/**
 * An `attachment` value with the file name, if there is one: in ASCII for old clients (RFC 6266) and in UTF-8 (RFC 8187). The value is
 * printable ASCII, whatever the name contains. [faults: 74]
 */
export function attachment(filename: string | null): string {
  const name = filename === null ? '' : harmless(filename);
  return create(name === '' ? undefined : name, { fallback: name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_') });
}

/** Replaces what could break a header or escape a folder: line breaks, other controls, slashes, lone surrogates. */
function harmless(filename: string): string {
  const clean = filename
    .slice(0, 4 * longest)
    .replaceAll(/[\p{Cc}\p{Cs}\p{Bidi_Control}/\\]/gu, '_')
    .trim();
  const characters = Array.from(clean);
  if (characters.length <= longest) return clean;
  // A shortened name keeps its extension, which tells the file type.
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(filename)?.[0] ?? '';
  return characters.slice(0, longest - extension.length).join('') + extension;
}
