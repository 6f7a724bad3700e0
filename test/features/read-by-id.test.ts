/** Reading a whole list in the order of ids. */
import { expect, test } from '@jest/globals';
import { readById } from '../../src/kernel/paging.ts';
import { countTurns } from '../support/loop-turns.ts';

const ids = Array.from({ length: 10_000 }, (_, n) => String(n).padStart(5, '0'));

test('[faults: I9] a long list of a file, which is read at once, is read in many turns of the event loop', async () => {
  const turns = countTurns();
  const found: string[] = [];
  const readAfter = async (after: string, limit: number) => ids.filter((id) => id > after).slice(0, limit);
  for await (const id of readById(readAfter)) found.push(id);
  expect(turns()).toBeGreaterThan(20);
  expect(found).toEqual(ids);
});
