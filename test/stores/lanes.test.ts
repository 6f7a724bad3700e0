/** Lanes of the writes to one collection of MongoDB: which write waits for which. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Write } from '../../src/storage/journal/writes.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { accepted } from './conformance/certain.ts';
import { aDelivery, aMessage, noon } from './conformance/samples.ts';
import { openMongoStore } from '../support/mongo-stores.ts';
import type { MongoStore } from '../support/mongo-stores.ts';

describeWithMongo('lanes to a collection', 'own', (source) => {
  let server: MongoServer;
  let store: MongoStore;
  const channelId = newId();
  beforeAll(async () => {
    server = await MongoServer.start(source);
  }, 60_000);
  afterAll(() => server.stop(), 60_000);
  beforeEach(async () => {
    store = await openMongoStore({
      uri: server.freshUri(),
      log: silentLog,
      clock: systemClock,
      appName: 'under-test',
    });
  });
  afterEach(async () => {
    await server.clearFailPoint();
    await store.close();
  });

  const commit = (...writes: Write[]) => store.channelState.commit(channelId, 1, writes);
  const insert = (message = aMessage(channelId)): Write => ({ write: 'insertMessage', message });
  const slowly = (command: 'insert' | 'update'): Promise<void> =>
    server.failPoint(1, {
      failCommands: [command],
      blockConnection: true,
      blockTimeMS: 500,
      appName: 'under-test',
    });

  test('a claim does not wait for an update that takes the server long', async () => {
    const message = aMessage(channelId);
    await commit(insert(message));
    await slowly('update');
    const ended: string[] = [];
    await Promise.all([
      commit(accepted(message.id)).then(() => ended.push('outcome')),
      commit(insert()).then(() => ended.push('first claim')),
    ]);
    expect(ended).toEqual(['first claim', 'outcome']);
  });

  test('a claim of a copy does not wait for the insert of another message', async () => {
    const message = aMessage(channelId);
    await commit(insert(message));
    await slowly('insert');
    const claim: Write = {
      write: 'claimCopy',
      messageId: message.id,
      expect: { copies: message.copies, tries: message.tries },
      attemptedAt: noon,
    };
    const ended: string[] = [];
    await Promise.all([
      commit(insert()).then(() => ended.push('first claim')),
      commit(claim).then(() => ended.push('copy')),
    ]);
    expect(ended).toEqual(['copy', 'first claim']);
  });

  test('an event and a first claim do not wait for the outcome of an earlier event', async () => {
    const earlier = aDelivery(channelId);
    const log = { firstTriedAt: noon, lastResult: '204', attemptLog: `${noon} 12 204 -` };
    const attempt = { state: 'delivered', attempts: 1, nextDueAt: noon, ...log } as const;
    await commit({ write: 'insertDelivery', delivery: earlier });
    await slowly('update');
    const ended: string[] = [];
    await Promise.all([
      commit({ write: 'recordAttempt', deliveryId: earlier.id, attempt }).then(() => ended.push('outcome')),
      commit({ write: 'insertDelivery', delivery: aDelivery(channelId) }).then(() => ended.push('event')),
      commit(insert()).then(() => ended.push('first claim')),
    ]);
    expect(ended.toSorted()).toEqual(['event', 'first claim', 'outcome']);
    expect(ended.at(-1)).toBe('outcome');
  });

  test('writes to one document keep their order over all lanes, however slow the first is', async () => {
    const message = aMessage(channelId);
    const { id: messageId } = message;
    await slowly('insert');
    const claim = (tries: number): Write => ({
      write: 'claimCopy',
      messageId,
      expect: { copies: tries, tries },
      attemptedAt: noon,
    });
    const results = await Promise.all([
      commit(insert(message)),
      commit(claim(1)),
      commit({ write: 'recordUnknown', messageId }),
      commit(claim(2)),
      commit(accepted(messageId)),
      commit(insert(message)),
    ]);
    expect(results.flat().map(({ applied }) => applied)).toEqual([true, true, true, true, true, false]);
    const [known] = await store.channelState.findMessages(channelId, { ids: [messageId], upstreamIds: [] });
    expect(known).toMatchObject({ state: 'sent', upstreamIds: [`up.${messageId}`] });
  });

  test('no write overtakes in its lane one that waits for a document', async () => {
    const messages = Array.from({ length: 50 }, () => aMessage(channelId));
    await slowly('insert');
    const ended: number[] = [];
    await Promise.all(
      messages.flatMap((message, n) => [
        commit(insert(message)),
        commit(accepted(message.id)).then(() => ended.push(n)),
      ]),
    );
    expect(ended).toEqual(messages.map((_, n) => n));
  });

  test('close waits for every lane', async () => {
    const message = aMessage(channelId);
    await slowly('insert');
    const all = Promise.all([commit(insert(message)), commit(accepted(message.id)), commit(insert())]);
    await store.close();
    expect((await all).flat().map(({ applied }) => applied)).toEqual([true, true, true]);
  });
});
