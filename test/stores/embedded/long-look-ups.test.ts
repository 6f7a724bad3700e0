/** [faults: I9] Receipts of echoes with many parts: a look-up of thousands of messages leaves turns of the event loop to others. */
import { expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { packToBind } from '../../../src/storage/sqlite/packed-ids.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { countTurns } from '../../support/loop-turns.ts';
import { putMessages } from '../conformance/channel-state.ts';
import { aMessage } from '../conformance/samples.ts';
import { openFresh } from './open.ts';

const closing = closeAfterEach();

test('a hundred echoes of fifty parts are read ten at a time, each part once', async () => {
  const store = await openFresh();
  closing(() => store.close());
  const channelId = newId();
  const upstreamIds = Array.from({ length: 100 }, (_, n) => `up-${n}`);
  const parts = upstreamIds.flatMap((upstreamId) =>
    Array.from({ length: 50 }, () => aMessage(channelId, { origin: 'echo', upstreamIds: [upstreamId] })),
  );
  await putMessages(store, ...parts);
  const turns = countTurns();
  const found = await store.channelState.findMessages(channelId, { ids: [], upstreamIds });
  expect(turns()).toBeGreaterThanOrEqual(9);
  expect(found.map(({ id }) => id).toSorted()).toEqual(parts.map(({ id }) => id).toSorted());
});

test('a look-up in slices stays in its channel while others are read', async () => {
  const store = await openFresh();
  closing(() => store.close());
  const channelId = newId();
  const upstreamIds = Array.from({ length: 100 }, (_, n) => `up-${n}`);
  const parts = upstreamIds.flatMap((upstreamId) =>
    Array.from({ length: 10 }, () => aMessage(channelId, { origin: 'echo', upstreamIds: [upstreamId] })),
  );
  await putMessages(store, ...parts);
  const found = store.channelState.findMessages(channelId, { ids: [], upstreamIds });
  for (let n = 0; n < 1_000; n += 1) packToBind(newId()); // as a turn of other channels does
  expect((await found).length).toBe(parts.length);
});

test('a hundred messages are read at once', async () => {
  const store = await openFresh();
  closing(() => store.close());
  const channelId = newId();
  const upstreamIds = Array.from({ length: 100 }, (_, n) => `up-${n}`);
  await putMessages(store, ...upstreamIds.map((each) => aMessage(channelId, { upstreamIds: [each] })));
  const turns = countTurns();
  const found = await store.channelState.findMessages(channelId, { ids: [], upstreamIds });
  expect([turns(), found.length]).toEqual([0, 100]);
});
