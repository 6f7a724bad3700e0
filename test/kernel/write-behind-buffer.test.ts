/** What a node gathers between two writes: bounded, readable while it is written, and kept when the store is away. */
import { expect, test } from '@jest/globals';
import { ChannelActivity } from '../../src/features/channels/activity.ts';
import { WriteBehindBuffer } from '../../src/kernel/write-behind-buffer.ts';
import type { Activity } from '../../src/features/channels/health-store.ts';

const none = () => ({});

test('no more ids than it may hold; those that it holds are changed in place', () => {
  const gathered = new WriteBehindBuffer<{ at?: number }>(2);
  for (const id of ['a', 'b']) Object.assign(gathered.of(id, none) ?? {}, { at: 1 });
  expect(gathered.of('c', none)).toBeUndefined();
  Object.assign(gathered.of('a', none) ?? {}, { at: 2 });
  const read = gathered.reader();
  expect([read('a'), read('b'), read('c')].map((values) => values.at(-1))).toStrictEqual([
    { at: 2 },
    { at: 1 },
    undefined,
  ]);
});

test('two writes never overlap, and each has what was gathered before it', async () => {
  const gathered = new WriteBehindBuffer<{ at?: number }>(9);
  const steps: string[] = [];
  const work = async (all: ReadonlyMap<string, object>) => {
    steps.push(`begin ${[...all.keys()].join()}`);
    await new Promise(setImmediate);
    steps.push('end');
  };
  gathered.of('a', none);
  const writes = [gathered.write(work), gathered.write(work)];
  await Promise.resolve();
  gathered.of('b', none);
  await Promise.all(writes);
  await gathered.write(work);
  expect(steps).toEqual(['begin a', 'end', 'begin b', 'end']);
});

test('what can not be written stays, with what came since put over it', async () => {
  const gathered = new WriteBehindBuffer<{ first?: number; last?: number }>(9);
  Object.assign(gathered.of('a', none) ?? {}, { first: 1, last: 1 });
  const failing = gathered.write(async () => {
    Object.assign(gathered.of('a', none) ?? {}, { last: 2 });
    throw new Error('away');
  });
  await expect(failing).rejects.toThrow('away');
  const written: [string, object][] = [];
  await gathered.write(async (all) => void written.push(...all));
  expect(written).toEqual([['a', { first: 1, last: 2 }]]);
});

test('an endpoint that works again while the store is away is not written as one that fails', async () => {
  const written: Activity[] = [];
  let isAway = true;
  const activity = new ChannelActivity({
    failingAmong: async () => [],
    async noteActivity(seen: readonly Activity[]) {
      if (isAway) throw new Error('away');
      written.push(...seen);
    },
  });
  const nobody = () => Promise.resolve();
  activity.delivered('c', { isTaken: false, attempt: 1, result: '500' }, 1);
  const keeping = activity.flush(nobody);
  await Promise.resolve();
  activity.delivered('c', { isTaken: true, attempt: 2, result: '200' }, 2);
  await expect(keeping).rejects.toThrow('away');
  isAway = false;
  await activity.flush(nobody);
  expect(written).toMatchObject([
    { channelId: 'c', deliveryFailedAt: 1, deliveredAt: 2, failingSince: null },
  ]);
});
