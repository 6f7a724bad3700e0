/** [faults: 94] Parsing JSON piece by piece gives the result of `JSON.parse`. */
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { parseJson } from '../../src/upstream/parse-json.ts';

interface Outcome {
  value?: unknown;
  isRefused: boolean;
}

/** Parses the text in pieces of at most `piece` characters, and counts the steps. */
function inPieces(text: string, piece: number): Outcome & { steps: number } {
  const parsing = parseJson(text, piece);
  try {
    for (let steps = 0; ; steps += 1) {
      const step = parsing.next();
      if (step.done === true) return { value: step.value, isRefused: false, steps };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { isRefused: true, steps: 0 };
  }
}

function whole(text: string): Outcome {
  try {
    return { value: JSON.parse(text), isRefused: false };
  } catch {
    return { isRefused: true };
  }
}

const piece = fc.integer({ min: 0, max: 40 });
const spacing = fc.constantFrom(undefined, 1, '\t', '\n');

test('any JSON gives the result of JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue(), piece, spacing, (value, size, space) => {
      const text = JSON.stringify(value, null, space);
      expect(inPieces(text, size).value).toEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

test('a text with a wrong character is refused if JSON.parse refuses it', () => {
  const characters = fc.constantFrom('', ',', ':', '"', '[', ']', '{', '}', '\\', ' ', '0', 'x');
  fc.assert(
    fc.property(
      fc.jsonValue(),
      piece,
      fc.nat(),
      fc.nat({ max: 1 }),
      characters,
      (value, size, at, gone, put) => {
        const text = JSON.stringify(value, null, 1);
        const place = at % (text.length + 1);
        const broken = text.slice(0, place) + put + text.slice(place + gone);
        const { value: parsed, isRefused } = inPieces(broken, size);
        expect({ value: parsed, isRefused }).toEqual({ value: undefined, ...whole(broken) });
      },
    ),
    { numRuns: 2_000 },
  );
});

test.each([
  ['[1,]'],
  ['[,1]'],
  ['[1,,2]'],
  ['{"a":1,}'],
  ['{,"a":1}'],
  ['{"a":}'],
  ['{"a"}'],
  ['{"a" 1}'],
  ['{1:2}'],
  ['[1}'],
  ['{"a":1]'],
  ['[1] 2'],
  ['[1'],
  ['["a'],
  ['['],
  [''],
  ['[[1,2],[3,4}]'],
])('%s is refused', (text) => {
  for (const size of [0, 1, 2, 4]) expect(inPieces(text, size).isRefused).toBe(true);
});

test.each(['{ }', '[ ]', '[{\n}, [ ]]'])('%s is parsed in pieces of any size', (text) => {
  for (const size of [0, 1, 2]) expect(inPieces(text, size).value).toEqual(JSON.parse(text));
});

test('a member called __proto__ is an ordinary member', () => {
  const { value } = inPieces('{"__proto__":{"isAdmin":true},"a":[1,2,3,4]}', 4);
  expect(Object.keys(Object(value))).toEqual(['__proto__', 'a']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

test('each step parses at most one piece', () => {
  const text = JSON.stringify({ many: Array.from({ length: 10_000 }, (_, n) => ({ n: `${n}`.repeat(3) })) });
  expect(inPieces(text, 1_000).steps).toBeGreaterThan(text.length / 1_000);
  // The search for commas is divided into steps too.
  expect(inPieces(`[${'1,'.repeat(100_000)}1]`, 150_000).steps).toBeGreaterThanOrEqual(10);
});
