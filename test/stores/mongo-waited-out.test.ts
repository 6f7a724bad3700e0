/** Transient server errors during which a commit waits, each with a store of its own. [faults: 20-24] */
import { beforeAll, expect, test } from '@jest/globals';
import type { Write } from '../../src/storage/journal/writes.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import type { FailPoint } from '../support/mongo-server.ts';
import { aMessage, noon } from './conformance/samples.ts';
import { openMongoStore } from '../support/mongo-stores.ts';

const applied = { applied: true };

const waitedOut: [name: string, fault: Omit<FailPoint, 'failCommands'>][] = [
  ['not primary, without its label', { errorCode: 10107, errorLabels: [] }],
  ['not primary or secondary', { errorCode: 13436 }],
  ['stepped down', { errorCode: 189 }],
  ['shutting down', { errorCode: 91 }],
  ['interrupted by shut-down', { errorCode: 11600 }],
  ['a dropped connection', { closeConnection: true }],
  ['a majority that does not answer', { writeConcernError: { code: 64, errmsg: 'waiting timed out' } }],
];

describeWithMongo('MongoDB, while it refuses for a while', 'own', (source) => {
  /** An insert and an update that each get the error three times, on their own server. */
  async function meet(fault: Omit<FailPoint, 'failCommands'>) {
    const server = await MongoServer.start(source);
    const store = await openMongoStore({
      uri: server.freshUri(),
      log: silentLog,
      clock: systemClock,
      appName: 'under-test',
    });
    const message = aMessage(newId());
    const { id: messageId, channelId } = message;
    const expected = { copies: 1, tries: 1 };
    const claim: Write = { write: 'claimCopy', messageId, expect: expected, attemptedAt: noon + 1 };
    await server.failPoint(3, { failCommands: ['insert'], ...fault });
    const inserted = await store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message }]);
    const repeatedByInsert = store.stats().repeated;
    await server.failPoint(3, { failCommands: ['update'], ...fault });
    const claimed = await store.channelState.commit(channelId, 1, [claim]);
    const repeatedByClaim = store.stats().repeated - repeatedByInsert;
    const { openMessages } = await store.channelState.load(channelId, 1, noon, 1);
    await store.close();
    await server.stop();
    const counted = openMessages.map(({ copies, tries }) => [copies, tries]);
    return { writes: [...inserted, ...claimed], counted, repeatedByInsert, repeatedByClaim };
  }
  // Concurrently: the driver looks for a primary every two seconds.
  let met: Map<string, Awaited<ReturnType<typeof meet>>>;
  beforeAll(async () => {
    met = new Map(
      await Promise.all(waitedOut.map(async ([name, fault]) => [name, await meet(fault)] as const)),
    );
  }, 120_000);

  test.each(waitedOut)('a commit waits during %s: it applies, once', (name) => {
    const { writes, counted, repeatedByInsert = 0, repeatedByClaim = 0 } = met.get(name) ?? {};
    expect([writes, counted]).toEqual([[applied, applied], [[2, 2]]]);
    expect(Math.min(repeatedByInsert, repeatedByClaim)).toBeGreaterThanOrEqual(3);
  });
});
