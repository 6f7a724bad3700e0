/** The limit that new items of an account or a channel obey, when several come at once and clocks differ. [operator-interface §4] */
import { expect, test } from '@jest/globals';
import { hasRoom } from '../../src/storage/bounds.ts';
import { sleep } from '../../src/kernel/clock.ts';
import { FakeClock } from '../support/fake-clock.ts';

const max = 3;

/**
 * Adds items that stand in the list in the order of their ids; `add` resolves with whether the item may stay. A read and a removal each take
 * 5 ms, as over a network, so that concurrent calls see the same list.
 */
function limitedList() {
  const clock = new FakeClock();
  const ids = new Set<string>();
  const list = async (): Promise<{ id: string }[]> => {
    await sleep(clock, 5);
    return [...ids].toSorted().map((id) => ({ id }));
  };
  return {
    clock,
    ids,
    add: async (id: string): Promise<boolean> => {
      ids.add(id);
      const stays = await hasRoom({ id, max }, list, clock);
      if (!stays) await sleep(clock, 5);
      if (!stays) ids.delete(id);
      return stays;
    },
  };
}

test('items of nodes whose clocks are behind fill the limit that an accepted item shares, and no more', async () => {
  const { clock, ids, add } = limitedList();
  const accepted = add('z');
  await clock.pass(10);
  expect(await accepted).toBe(true);
  const added = Promise.all(['a', 'b', 'c'].map(add));
  await clock.pass(60_000);
  expect(await added).toEqual([true, true, false]);
  expect(ids).toEqual(new Set(['a', 'b', 'z']));
});

test('an item that comes when the limit is reached is rejected, also if its clock is behind', async () => {
  const { clock, add } = limitedList();
  for (const [id, stays] of [
    ['x', true],
    ['y', true],
    ['z', true],
    ['a', false],
    ['zz', false],
  ] as const) {
    const added = add(id);
    await clock.pass(60_000);
    expect(await added).toBe(stays);
  }
});

test('of items that come at once, the first by order stay', async () => {
  const { clock, ids, add } = limitedList();
  const added = Promise.all(['f', 'e', 'd', 'c', 'b', 'a'].map(add));
  await clock.pass(60_000);
  expect((await added).filter(Boolean)).toHaveLength(max);
  expect(ids.size).toBe(max);
});
