/** Result of one scan of the raw bytes before `JSON.parse`. */
interface Scan {
  /** [start, end) of each integer outside strings that has too many digits for a double. */
  longIntegers: Span[];
}

interface Span {
  start: number;
  end: number;
}

/** Upstream's POSTs nest about ten deep; deeper nesting is an attack on recursive code. [faults 68] */
const maxDepth = 64;
/**
 * Objects and lists. 3 MB of short messages hold 100,000. 3 MB of `{}` hold a million, and `JSON.parse` would take half a second for them,
 * on a node that must renew its leases. [faults: I9]
 */
const maxContainers = 200_000;
/** Members in total. 3 MB of short messages hold 250,000; a million numbers would make a list that is slow to walk. [faults: I9] */
const maxCommas = 400_000;
/**
 * Members of one object; upstream's have a dozen. The first lookup in an object of 300,000 members takes 90 ms, and so does building it.
 * [faults: I9]
 */
const maxMembers = 10_000;
/** 3 MB of template events hold 8,000. */
const maxLongIntegers = 10_000;

const quote = 0x22;
const backslash = 0x5c;
const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
const comma = 0x2c;
const openBrace = 0x7b;
/** 2^53 has 16 digits; every integer of 15 digits is exact. */
const exactDigits = 15;

/** Members of the open object at each depth; 0 for a list, and outside of everything. Each entry is set when its depth is entered. */
const members = new Int32Array(maxDepth + 1);

/**
 * Finds the integers that `JSON.parse` would round, or the reason not to parse the body, in one pass without recursion (1 to 2 ns per
 * byte). Bytes of multi-byte characters are all ≥ 0x80, so they match nothing here. Does not validate the JSON.
 */
export function scan(body: Uint8Array): Scan | 'too deep' | 'too much' {
  const longIntegers: Span[] = [];
  const end = body.length;
  let depth = 0;
  let containers = 0;
  let commas = 0;
  let at = 0;
  while (at < end) {
    const byte = body[at]!;
    if (byte === quote) {
      at = afterString(body, at + 1);
      continue;
    }
    if (byte >= zero && byte <= nine) {
      const start = at;
      at = afterDigits(body, at);
      if (at - start > exactDigits && isWholeNumber(body, start, at)) longIntegers.push({ start, end: at });
      if (longIntegers.length > maxLongIntegers) return 'too much';
      continue;
    }
    // [ and { differ in one bit, and so do ] and }.
    if ((byte | 0x20) === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth) return 'too deep';
      if (containers > maxContainers) return 'too much';
      members[depth] = byte === openBrace ? 1 : 0;
    } else if ((byte | 0x20) === 0x7d) depth -= 1;
    else if (byte === comma) {
      commas += 1;
      if (members[depth]! > 0) members[depth]! += 1;
      if (commas > maxCommas || members[depth]! > maxMembers) return 'too much';
    }
    at += 1;
  }
  return { longIntegers };
}

function afterDigits(body: Uint8Array, at: number): number {
  const end = body.length;
  while (at < end && body[at]! >= zero && body[at]! <= nine) at += 1;
  return at;
}

/** Index after the closing quote of the string whose first byte is at `at`. */
function afterString(body: Uint8Array, at: number): number {
  const end = body.length;
  while (at < end) {
    const byte = body[at]!;
    if (byte === quote) return at + 1;
    at += byte === backslash ? 2 : 1;
  }
  return end;
}

/** False for parts of floats and for negative numbers, which are no ids. */
function isWholeNumber(body: Uint8Array, start: number, end: number): boolean {
  const before = start === 0 ? 0 : body[start - 1]!;
  const after = end === body.length ? 0 : body[end]!;
  return !isPartOfFloat(before) && before !== minus && !isPartOfFloat(after);
}

/** `.`, `e`, `E` or `+`. */
function isPartOfFloat(byte: number): boolean {
  return byte === 0x2e || (byte | 0x20) === 0x65 || byte === 0x2b;
}

/** The body as text with the given integers quoted, so that they are parsed as strings without loss. */
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
