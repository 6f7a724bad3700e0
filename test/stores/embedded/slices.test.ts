/** [faults: I9] A slice of a sweep ends early where each row takes long: sends wait for the slice in the writing thread. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { sweepOperations } from '../../../src/adapters/storage/sqlite/operations/sweep.ts';
import { openWriter } from '../../../src/adapters/storage/sqlite/sqlite.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { aDelivery, aMessage, noon } from '../conformance/samples.ts';
import { freshDirectory, openIn } from './open.ts';

const rows = 60;
const fives = [...Array.from({ length: rows / 5 }, () => 5), 0];

test.each([
  { perStep: 0, messages: [25, 25, 10], deliveries: [25, 25, 10] },
  { perStep: 3, messages: fives, deliveries: fives },
])('steps of $perStep ms', async ({ perStep, messages, deliveries }) => {
  const dataDir = await freshDirectory();
  const channelId = newId();
  const store = await openIn(dataDir);
  const old = { createdAt: noon - 1 };
  await store.channelState.commit(
    channelId,
    1,
    Array.from({ length: rows }, () => [
      { write: 'insertMessage' as const, message: aMessage(channelId, { ...old, state: 'sent' }) },
      {
        write: 'insertDelivery' as const,
        delivery: aDelivery(channelId, { ...old, state: 'delivered', payload: null }),
      },
    ]).flat(),
  );
  await store.close();
  const db = await openWriter(join(dataDir, 'trunkline.db'));
  let now = 0;
  const sweep = sweepOperations(db, { monotonic: () => (now += perStep) - perStep });

  const ofMessages: number[] = [];
  for (let isLast = false; !isLast;) {
    const slice = sweep.dropFinishedSlice(channelId, noon);
    ofMessages.push(slice.dropped);
    ({ isLast } = slice);
  }
  const ofDeliveries: number[] = [];
  for (let isLast = false, upTo = { createdAt: -1, id: '' }; !isLast;) {
    const slice = sweep.dropDeliveriesSlice(channelId, noon, upTo);
    ofDeliveries.push(slice.dropped);
    ({ isLast, upTo } = slice);
  }

  expect([ofMessages, ofDeliveries]).toEqual([messages, deliveries]);
  db.close();
  await rm(dataDir, { recursive: true });
});
