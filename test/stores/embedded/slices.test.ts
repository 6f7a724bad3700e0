/** [faults: I9] A slice of a sweep ends early where each row takes long: sends wait for the slice in the writing thread. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { itemOperations } from '../../../src/storage/sqlite/operations/items.ts';
import { mailOperations } from '../../../src/storage/sqlite/operations/mails.ts';
import { mediaOperations } from '../../../src/storage/sqlite/operations/media.ts';
import { sweepOperations } from '../../../src/storage/sqlite/operations/sweep.ts';
import { openWriter } from '../../../src/storage/sqlite/sqlite.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { aDelivery, aHeldFact, aMail, aMessage, aPass, noon } from '../conformance/samples.ts';
import { freshDirectory, openIn } from './open.ts';
import { tables } from '../../support/stores.ts';
import type { EmbeddedStore } from '../../support/stores.ts';

const rows = 60;
const inRows = <T>(make: () => T): T[] => Array.from({ length: rows }, make);
const createdAt = noon - 1;
const fives = [...Array.from({ length: rows / 5 }, () => 5), 0];

async function fill({ channelState, stores }: EmbeddedStore, channelId: string): Promise<void> {
  const writes = inRows(() => [
    {
      write: 'insertMessage' as const,
      message: aMessage(channelId, { createdAt, attemptedAt: createdAt, state: 'sent' }),
    },
    {
      write: 'insertDelivery' as const,
      delivery: aDelivery(channelId, { createdAt, state: 'delivered', payload: null }),
    },
    { write: 'keepWaiting' as const, unmatched: aHeldFact({ expiresAt: createdAt }) },
  ]);
  await channelState.commit(channelId, 1, writes.flat());
  await Promise.all(inRows(() => stores.passes.insert(aPass({ expiresAt: createdAt }))));
  await Promise.all(inRows(() => stores.mails.add(aMail({ lines: ['one', 'two'], createdAt }))));
  const accountId = newId();
  for (const id of inRows(newId)) {
    const sink = await stores.media.create({ id, accountId, channelId, createdAt, expiresAt: createdAt });
    await sink.finish({ mimeType: 'image/png', fileSize: 0, filename: null, expiresAt: createdAt });
  }
  await stores.media.dropExpired(noon, 0);
}

test.each([
  { perStep: 0, slices: [25, 25, 10], ofItems: [rows] },
  { perStep: 3, slices: fives, ofItems: fives },
])('steps of $perStep ms', async ({ perStep, slices, ofItems }) => {
  const dataDir = freshDirectory();
  const channelId = newId();
  const store = await openIn(dataDir);
  await fill(store, channelId);
  await store.close();
  const db = await openWriter(join(dataDir, 'trunkline.db'));
  let now = 0;
  const clock = { monotonic: () => (now += perStep) - perStep };
  const [sweeps, items] = [sweepOperations(db, clock), itemOperations(db, tables, clock)];
  let upTo = { createdAt: -1, id: '' };
  const all = {
    messages: () => sweeps.dropFinishedSlice(channelId, noon),
    deliveries() {
      const slice = sweeps.dropDeliveriesSlice(channelId, noon, upTo);
      ({ upTo } = slice);
      return slice;
    },
    facts: () => sweeps.dropUnmatchedSlice(noon),
    passes: () => items.sweepItems('passes', { on: 'expiresAt', below: noon }),
    mails: () => mailOperations(db, clock).dropSlice(noon, 'reconnect'),
    files: () => mediaOperations(db, clock).forgetMediaSlice(noon),
  };

  const dropped = Object.entries(all).map(([kind, sweepSlice]) => {
    const found: number[] = [];
    for (let isLast = false; !isLast;) {
      const slice = sweepSlice();
      found.push(slice.dropped);
      ({ isLast } = slice);
    }
    return [kind, found];
  });

  expect(Object.fromEntries(dropped)).toEqual({
    messages: slices,
    deliveries: slices,
    facts: slices,
    passes: ofItems,
    mails: slices,
    files: slices,
  });
  db.close();
  await rm(dataDir, { recursive: true });
});
