/** What one look at the raw bytes tells before `JSON.parse`. */
export interface Scan {
  depth: number;
  /** [start, end) of each integer with too many digits for a double, outside strings. */
  longIntegers: { start: number; end: number }[];
}

const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
/** 2^53 has 16 digits; with 15 every integer is exact. */
const exactDigits = 15;

/**
 * Deepest nesting and the integers that `JSON.parse` would round, in one pass without recursion, about 1 ns per byte. Bytes of
 * multi-byte characters are all ≥ 0x80 and mean nothing here. Says nothing about whether the JSON is right.
 */
export function scan(body: Uint8Array): Scan {
  const longIntegers: Scan['longIntegers'] = [];
  const end = body.length;
  let depth = 0;
  let deepest = 0;
  let at = 0;
  while (at < end) {
    const byte = body[at]!;
    if (byte === quote) {
      at = afterString(body, at + 1);
      continue;
    }
    if (byte >= zero && byte <= nine) {
      const start = at;
      while (at < end && body[at]! >= zero && body[at]! <= nine) at += 1;
      if (at - start > exactDigits && isWholeNumber(body, start, at)) longIntegers.push({ start, end: at });
      continue;
    }
    // [ and { differ in one bit, as do ] and }.
    if ((byte | 0x20) === 0x7b) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if ((byte | 0x20) === 0x7d) depth -= 1;
    at += 1;
  }
  return { depth: deepest, longIntegers };
}

/** Index after the closing quote of a string whose first byte is at `at`. */
function afterString(body: Uint8Array, at: number): number {
  const end = body.length;
  while (at < end) {
    const byte = body[at]!;
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  return end;
}

/** Neither the fraction or exponent of a float nor its integer part, nor negative (then it is no id). */
function isWholeNumber(body: Uint8Array, start: number, end: number): boolean {
  const before = start === 0 ? 0 : body[start - 1]!;
  const after = end === body.length ? 0 : body[end]!;
  return !isPartOfFloat(before) && before !== minus && !isPartOfFloat(after);
}

/** . e E + */
function isPartOfFloat(byte: number): boolean {
  return byte === 0x2e || (byte | 0x20) === 0x65 || byte === 0x2b;
}

/** The body as text with the given integers quoted, so that they are parsed as strings, digit for digit. */
export function textWithQuoted(body: Uint8Array, longIntegers: Scan['longIntegers']): string {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (longIntegers.length === 0) return bytes.toString('utf8');
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of longIntegers) {
    pieces.push(bytes.toString('utf8', from, start), '"', bytes.toString('latin1', start, end), '"');
    from = end;
  }
  pieces.push(bytes.toString('utf8', from));
  return pieces.join('');
}
