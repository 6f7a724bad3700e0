/** A command to MongoDB ends with its connection, however far it was written when that ended. [faults: 433, 434] */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Write } from '../../src/storage/journal/writes.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { connect } from '../../src/storage/mongo/connection.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { openMongoStore, storeOn } from '../support/mongo-stores.ts';
import type { MongoStore } from '../support/mongo-stores.ts';
import { Proxy } from '../support/proxy.ts';
import { silentLog } from '../support/silent-log.ts';
import { aMessage } from './conformance/samples.ts';

/** More than the buffers of a connection hold. */
const large = { documents: 100, bytes: 80_000 };
/** For connections that never close. */
const watchdogMs = 30_000;

describeWithMongo('MongoDB, when a connection ends', 'own', (source) => {
  let server: MongoServer;
  let proxy: Proxy;
  let uri: string;
  let store: MongoStore;
  /** Sockets of this process's clients that have not said that they are closed. */
  const open = new Set<Socket>();
  const note = (message: unknown): void => {
    const socket: unknown = Object(message).socket;
    if (!(socket instanceof Socket)) return;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  };
  beforeAll(async () => void (server = await MongoServer.start(source)), 40_000);
  afterAll(() => server.stop());
  beforeEach(async () => {
    proxy = await Proxy.start(server.port);
    uri = `mongodb://127.0.0.1:${proxy.port}/${newId()}?directConnection=true`;
    subscribe('net.client.socket', note);
    store = await openMongoStore({ uri, log: silentLog, clock: systemClock });
  });
  afterEach(async () => {
    unsubscribe('net.client.socket', note);
    await store.close();
    await proxy.close();
  });

  test('a server that takes no more bytes: a commit that it took in part is repeated on another connection', async () => {
    const writes = Array.from({ length: large.documents }, (): Write => {
      const message = aMessage(newId(), { content: new Uint8Array(large.bytes) });
      return { write: 'insertMessage', message };
    });
    // A budget that a busy machine does not use up: each try on a connection that stalls takes its socket's timeout.
    const policy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 60_000 });
    const connection = await connect(uri, 'test', { socketTimeoutMS: 1_000 });
    const stalled = storeOn(connection, policy);
    proxy.stallPresent();

    const results = await stalled.channelState.commit(newId(), 1, writes);

    expect(results).toEqual(writes.map(() => ({ applied: true })));
    expect(stalled.stats().repeated).toBeGreaterThan(0);
    await stalled.close();
  });

  test('what is asked in the turn in which its connection closes is asked again', async () => {
    const channelId = newId();
    const ask = () => store.owners.of(channelId);
    await ask();
    const asked: ReturnType<typeof ask>[] = [];
    proxy.halfClose();
    const before = [...open];
    const giveUpAt = performance.now() + watchdogMs;
    while (before.some((socket) => open.has(socket)) && performance.now() < giveUpAt) {
      // A socket is destroyed in one phase of a turn and says so in a later one; this is in between.
      if (before.some((socket) => socket.destroyed && open.has(socket))) asked.push(...before.map(ask));
      await turn();
    }

    const answers = await Promise.all(asked);

    expect(answers).toEqual(asked.map(() => null));
    expect(asked.length).toBeGreaterThan(0);
  }, 60_000);
});
