/** [faults: I9] Items beyond the bound of an account or a channel are removed at the pace of a sweep. */
import { expect, test } from '@jest/globals';
import { dropBehind, dropOfEach } from '../../src/storage/bounds.ts';
import type { Reads } from '../../src/storage/records.ts';
import { FakeClock } from '../support/fake-clock.ts';

interface Item {
  id: string;
  createdAt: number;
}

/** 450 items, of which each removal takes 4 ms; the times of the removals. */
function records(clock: FakeClock) {
  const removedAt: number[] = [];
  let left: Item[] = Array.from({ length: 450 }, (_, n) => ({ id: `i-${n}`, createdAt: n }));
  const reads: Reads<Item> = {
    one: async () => null,
    some: async () => [],
    list: async ({ skip = 0, limit }) => left.toReversed().slice(skip, skip + (limit ?? 0)),
  };
  const all = {
    only: () => reads,
    removeEach: async (ids: readonly string[]) => {
      removedAt.push(clock.monotonic());
      clock.advance(4);
      left = left.filter(({ id }) => !ids.includes(id));
    },
  };
  return { all, removedAt, count: () => left.length };
}

test('two hundred at a time, each followed by a pause of twice its duration', async () => {
  const clock = new FakeClock();
  const { all, removedAt, count } = records(clock);
  const dropped = dropBehind(all, { by: 'ofAccount', equal: {} }, { skip: 10 }, undefined, clock);
  await clock.pass(40);
  expect([await dropped, count(), removedAt]).toEqual([440, 10, [0, 12, 24]]);
});

test('a stop ends it between two removals', async () => {
  const clock = new FakeClock();
  const stopping = new AbortController();
  const { all, count } = records(clock);
  const dropped = dropBehind(all, { by: 'ofAccount', equal: {} }, { skip: 10 }, stopping.signal, clock);
  await clock.pass(2);
  stopping.abort();
  expect([await dropped, count()]).toEqual([200, 250]);
});

test('a stop ends it between two accounts', async () => {
  const stopping = new AbortController();
  const asked: string[] = [];
  const drop = async (accountId: string) => {
    asked.push(accountId);
    if (accountId === 'b') stopping.abort();
    return 1;
  };
  const firsts = { firsts: async () => ['a', 'b', 'c'] };
  expect(await dropOfEach(firsts, 'ofAccount', drop, stopping.signal)).toBe(2);
  expect(asked).toEqual(['a', 'b']);
});
