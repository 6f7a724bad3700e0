import { expect, test } from '@jest/globals';
import { batchReads } from '../../src/storage/mongo/batch-reads.ts';

function upperCase(): { ask: (key: string) => Promise<string | undefined>; queries: string[][] } {
  const queries: string[][] = [];
  const ask = batchReads(async (keys) => {
    queries.push(keys);
    return new Map(keys.filter((key) => key !== 'absent').map((key) => [key, key.toUpperCase()]));
  });
  return { ask, queries };
}

test('keys that are asked for in one turn of the event loop are one query, each key once', async () => {
  const { ask, queries } = upperCase();
  const answers = await Promise.all([ask('a'), ask('b'), ask('a'), ask('absent')]);
  expect(answers).toEqual(['A', 'B', 'A', undefined]);
  expect(queries).toEqual([['a', 'b', 'absent']]);
});

test('keys that are asked for during a query go into the next one', async () => {
  const { ask, queries } = upperCase();
  const first = ask('a').then(() => ask('c'));
  await Promise.all([first, ask('b')]);
  expect(queries).toEqual([['a', 'b'], ['c']]);
});

test('a thousand keys are queried 500 at a time', async () => {
  const { ask, queries } = upperCase();
  await Promise.all(Array.from({ length: 1_000 }, (_, index) => ask(`k${index}`)));
  expect(queries.map((keys) => keys.length)).toEqual([500, 500]);
});

test('a failed query rejects its own callers, not those of the next one', async () => {
  let fails = true;
  const ask = batchReads(async (keys) => {
    if (fails) throw new Error('server away');
    return new Map(keys.map((key) => [key, key]));
  });
  await expect(Promise.all([ask('a'), ask('b')])).rejects.toThrow('server away');
  fails = false;
  expect(await ask('a')).toBe('a');
});
