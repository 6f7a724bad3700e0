/** Mutations of an input: its bytes, its text or, if it is JSON, its values are changed, and pieces of others are inserted. */
import type { Random } from '../actors/support/random.ts';

const maxValues = 4_000;
const deepest = 200;

/** Values that programs tend to forget. */
const oddNumbers = [
  0,
  -0,
  -1,
  1,
  1.5,
  1e300,
  -1e300,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 53 + 2,
  253_402_300_800,
  1e-7,
];
const oddWords =
  '__proto__ constructor toString length $ne $where NaN Infinity 1e9 0x10 -1 %00 % {{1}} {{ }} {{99999}} null true ../../etc/passwd ' +
  'http://127.0.0.1/ javascript:alert(1) 2026-02-30T25:61:61Z 1969-12-31T23:59:59Z';
const oddTexts = [
  '',
  ' ',
  '\0',
  '\u{FEFF}',
  '\u{D800}',
  '9'.repeat(40),
  'a'.repeat(300),
  'é'.repeat(5_000),
  '👍'.repeat(40),
];
const longTexts = [' '.repeat(2_000), '\n'.repeat(200), '"'.repeat(50), '\\'.repeat(51)];
const odd: readonly unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [{}],
  ...oddNumbers,
  ...oddWords.split(' '),
  ...oddTexts,
  ...longTexts,
];

/** Bytes that have a meaning in some format. */
const signs = [
  '\r\n',
  '\n',
  '\r\n\r\n',
  ': ',
  ':',
  ' ',
  '\t',
  '\0',
  ',',
  ';',
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  '//',
  '..',
];
const numbers = ['0', '-1', '1e9', '99999999999999999999', '\u{FF}', '\u{FE}\u{FF}', '\u{80}', '%00', '%zz'];
const headers = [
  'Content-Length: 5',
  'Transfer-Encoding: chunked',
  'Connection: close',
  'Host: x',
  'Location: http://127.0.0.1/',
]
  .concat([
    'Expect: 100-continue',
    'Upgrade: websocket',
    'HTTP/1.1 100 Continue\r\n',
    'HTTP/1.1 103 Early Hints\r\n',
  ])
  .map((line) => `${line}\r\n`);
const framing = ['HTTP/1.1', 'HTTP/1.0', '0\r\n\r\n', 'ffffffff\r\n'];
const json = [
  'null',
  'true',
  '"__proto__":1,',
  '{{1}}',
  '[[[[[[[[',
  '{"a":',
  '"type":"text"',
  '"id":',
  '"error":{"code":190}',
];
const escapes = ['\\u0000', '\\ud800'];
const pieces: readonly string[] = [...signs, ...numbers, ...headers, ...framing, ...json, ...escapes];

export class Mutator {
  readonly #random: Random;
  readonly #maxBytes: number;

  constructor(random: Random, maxBytes: number) {
    this.#random = random;
    this.#maxBytes = maxBytes;
  }

  /** One to four mutations of `input`, with pieces of `other`. */
  changed(input: Buffer, other: Buffer): Buffer {
    const random = this.#random;
    if (random.chance(0.5)) {
      const value = parsed(input);
      if (value !== undefined) return this.#cut(this.#changedJson(value, parsed(other)));
    }
    let bytes = input;
    for (let times = random.between(1, 4); times > 0; times -= 1) bytes = this.#changedBytes(bytes, other);
    return this.#cut(bytes);
  }

  #cut(bytes: Buffer): Buffer {
    return bytes.subarray(0, this.#maxBytes);
  }

  #changedBytes(bytes: Buffer, other: Buffer): Buffer {
    const random = this.#random;
    const at = random.between(0, bytes.length);
    const to = Math.min(bytes.length, at + random.between(1, random.chance(0.2) ? 200 : 12));
    const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    switch (random.between(0, 7)) {
      case 0: {
        const copy = Buffer.from(bytes);
        if (at < copy.length)
          copy[at] = random.chance(0.5)
            ? random.between(0, 255)
            : (copy[at] ?? 0) ^ (1 << random.between(0, 7));
        return copy;
      }
      case 1:
        return Buffer.concat([before, after]);
      case 2:
        return Buffer.concat([before, Buffer.from(random.pick(pieces), 'latin1'), piece, after]);
      case 3:
        return Buffer.concat([before, Buffer.from(random.pick(pieces), 'latin1'), after]);
      case 4: {
        const times = random.chance(0.1) ? random.between(100, 5_000) : random.between(1, 8);
        return Buffer.concat([before, ...Array.from({ length: times }, () => piece), after]).subarray(
          0,
          this.#maxBytes,
        );
      }
      case 5: {
        const from = random.between(0, other.length);
        return Buffer.concat([before, other.subarray(from, from + random.between(1, 200)), after]);
      }
      case 6:
        return Buffer.concat([before, after, piece]);
      default:
        return before.length === 0 ? bytes : before;
    }
  }

  #changedJson(value: unknown, other: unknown): Buffer {
    let changed = value;
    for (let times = this.#random.between(1, 3); times > 0; times -= 1)
      changed = this.#changedValue(changed, other);
    return Buffer.from(JSON.stringify(changed) ?? 'null');
  }

  /** The value with one of its members changed, at any depth. */
  #changedValue(value: unknown, other: unknown): unknown {
    const random = this.#random;
    const paths = pathsIn(value);
    const path = random.pick(paths);
    return replaced(value, path, (was) => {
      switch (random.between(0, 6)) {
        case 0:
          return undefined;
        case 1:
          return random.pick(odd);
        case 2: {
          const found = other === undefined ? was : valueAt(other, random.pick(pathsIn(other)));
          return found === undefined ? null : found;
        }
        case 3:
          return Array.isArray(was) ? [...was, ...was.slice(0, 50), random.pick(odd)] : [was, was];
        case 4:
          return typeof was === 'string'
            ? this.#changedBytes(Buffer.from(was), Buffer.from(was)).toString()
            : JSON.stringify(was);
        case 5:
          return typeof was === 'number'
            ? was * random.pick([-1, 0, 1_000, 1e12, 0.5])
            : { ...Object(was), [String(random.pick(odd))]: random.pick(odd) };
        default: {
          let nested = was;
          for (let depth = random.between(1, random.chance(0.1) ? deepest : 3); depth > 0; depth -= 1)
            nested = random.chance(0.5) ? [nested] : { a: nested };
          return nested;
        }
      }
    });
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

type Path = readonly string[];

function pathsIn(value: unknown): Path[] {
  const paths: Path[] = [[]];
  const open: [unknown, Path][] = [[value, []]];
  for (let next = open.pop(); next !== undefined && paths.length < maxValues; next = open.pop()) {
    const [at, path] = next;
    if (typeof at !== 'object' || at === null) continue;
    for (const [key, member] of Object.entries(at)) {
      const deeper = [...path, key];
      paths.push(deeper);
      if (deeper.length < deepest) open.push([member, deeper]);
    }
  }
  return paths;
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}

/** A copy along the path. `undefined` removes the member. */
function replaced(value: unknown, [key, ...rest]: Path, change: (was: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  const member = replaced(valueAt(value, [key]), rest, change);
  if (Array.isArray(value)) {
    const index = Number(key);
    return member === undefined ? value.filter((_, at) => at !== index) : value.with(index, member);
  }
  const others = Object.entries(Object(value)).filter(([name]) => name !== key);
  return Object.fromEntries(member === undefined ? others : [...others, [key, member]]);
}
