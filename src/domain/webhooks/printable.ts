/** Makes untrusted answers safe to show as text. */

/**
 * Control, bidirectional and invisible characters, except tab and
 * line feed.
 */
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export function printableText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(unseen, escaped);
}

/** Invalid UTF-8 is shown byte by byte. */
export function printableBytes(bytes: Uint8Array, isCut: boolean): string {
  try {
    // With `stream` a truncated last character is dropped.
    return printableText(new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }));
  } catch {
    return Array.from(bytes, byteShown).join('');
  }
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? hex(code) : `\\u{${code.toString(16)}}`;
}

function byteShown(byte: number): string {
  const isPlain = (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09;
  return isPlain ? String.fromCharCode(byte) : hex(byte);
}

function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}
