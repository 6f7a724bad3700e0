/** The MongoDB store while its server fails. [faults: 4a, 19-28] */
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { MongoBulkWriteError, MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Write } from '../../src/storage/journal/writes.ts';
import { classify } from '../../src/storage/mongo/errors.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { newId, newSecret } from '../../src/kernel/ids.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { silentLog } from '../support/silent-log.ts';
import { editingReplies, sayWireVersion } from '../support/edited-replies.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { listening } from '../support/ports.ts';
import { Proxy } from '../support/proxy.ts';
import { ReplySwallower } from '../support/reply-swallower.ts';
import { until } from '../support/until.ts';
import { accepted, eventOf } from './conformance/certain.ts';
import { aDelivery, aMail, aMessage, aReservation, aSession, noon } from './conformance/samples.ts';
import { openMongoStore } from '../support/mongo-stores.ts';
import type { MongoStore } from '../support/mongo-stores.ts';

const open = (uri: string, appName = 'under-test'): Promise<MongoStore> =>
  openMongoStore({ uri, log: silentLog, clock: systemClock, appName });

const applied = { applied: true };

/** Concurrent writes of many channels; each id is recorded once its write is acknowledged. */
class Storm {
  readonly #store: MongoStore;
  readonly sent: { channelId: string; messageId: string; deliveryId: string }[] = [];
  readonly surprises: unknown[] = [];
  #isOver = false;
  #channels: Promise<void>[] = [];

  constructor(store: MongoStore, channels: number) {
    this.#store = store;
    this.#channels = Array.from({ length: channels }, () => this.#channel(newId()));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#channels);
  }

  /** A send as the channel's owner writes it: the claim, then outcome and event. */
  async #channel(channelId: string): Promise<void> {
    while (!this.#isOver) {
      const message = aMessage(channelId);
      const delivery = aDelivery(channelId);
      try {
        await this.#commit(channelId, { write: 'insertMessage', message });
        const outcome: Write = {
          write: 'recordAccepted',
          messageId: message.id,
          upstreamId: message.id,
          rank: 1,
          at: noon,
        };
        await this.#commit(channelId, { write: 'insertDelivery', delivery }, outcome);
        this.sent.push({ channelId, messageId: message.id, deliveryId: delivery.id });
      } catch (error) {
        this.surprises.push(error);
        return;
      }
    }
  }

  async #commit(channelId: string, ...writes: Write[]): Promise<void> {
    const results = await this.#store.channelState.commit(channelId, 1, writes);
    if (results.some((result) => !result.applied)) throw new Error('a write of a fresh id did not apply');
  }
}

/** How many acknowledged writes are missing, or in another state. */
async function missing(store: MongoStore, storm: Storm): Promise<number> {
  let lost = 0;
  for (const channelId of new Set(storm.sent.map((each) => each.channelId))) {
    const mine = storm.sent.filter((each) => each.channelId === channelId);
    const ids = mine.map(({ messageId }) => messageId);
    const known = await store.channelState.findMessages(channelId, { ids, upstreamIds: [] });
    const whole = known.filter(({ id, state, upstreamIds }) => state === 'sent' && upstreamIds.join() === id);
    const pending = await store.channelState.pendingDeliveries(channelId, 100_000);
    const deliveries = new Set(pending.map(({ id }) => id));
    lost += mine.length - whole.length + mine.filter(({ deliveryId }) => !deliveries.has(deliveryId)).length;
  }
  return lost;
}

describeWithMongo('MongoDB, while its server fails', 'own', (source) => {
  let server: MongoServer;
  let store: MongoStore;
  let uri: string;
  beforeAll(async () => {
    server = await MongoServer.start(source);
  }, 60_000);
  afterAll(() => server.stop(), 60_000);
  beforeEach(async () => {
    uri = server.freshUri();
    store = await open(uri);
  });
  afterEach(async () => {
    await server.clearFailPoint();
    await store.close();
  });

  test('kill -9 during a storm of commits: every acknowledged write is there, and no caller gets an error', async () => {
    const storm = new Storm(store, 20);
    await until('the storm to rage', () => storm.sent.length > 100);
    await server.kill9();
    await server.restart();
    const atRestart = storm.sent.length;
    await until('the storm to go on', () => storm.sent.length > atRestart + 100, 15_000);
    await storm.end();
    expect(storm.surprises).toEqual([]);
    expect(store.stats().repeated).toBeGreaterThan(0);
    expect(await missing(store, storm)).toBe(0);
  }, 60_000);

  test('the primary steps down for 3 s under load: no error, nothing lost, nothing applied twice', async () => {
    const storm = new Storm(store, 20);
    await until('the storm to rage', () => storm.sent.length > 100);
    await server.stepDown(3);
    const atStepDown = storm.sent.length;
    await until('the storm to go on', () => storm.sent.length > atStepDown + 200, 15_000);
    await storm.end();
    expect(storm.surprises).toEqual([]);
    expect(store.stats().repeated).toBeGreaterThan(0);
    expect(await missing(store, storm)).toBe(0);
  }, 60_000);

  test('a node that crashes between an event and its message: the next owner finds both', async () => {
    const message = aMessage(newId());
    const { id: messageId, channelId } = message;
    await store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message }]);
    await server.failPoint(1_000, { failCommands: ['update'], errorCode: 11600, appName: 'under-test' });
    const delivery = eventOf(message);
    const writes: Write[] = [{ write: 'insertDelivery', delivery }, accepted(messageId)];
    let late: Promise<unknown> = Promise.resolve();
    await new Promise<void>((certain) => {
      late = store.channelState.commit(channelId, 1, writes, () => certain());
    });
    const next = await open(uri, 'another-node');
    try {
      const loaded = await next.channelState.load(channelId, 2, noon, 10);
      expect(loaded.openMessages).toEqual([]);
      expect(loaded.deliveries.map(({ id }) => id)).toEqual([delivery.id]);
      const [known] = await next.channelState.findMessages(channelId, { ids: [messageId], upstreamIds: [] });
      expect(known).toMatchObject({ state: 'sent', rank: 1, upstreamIds: [`up.${messageId}`] });
      // The first owner was alive after all and continues: nothing changes.
      await server.clearFailPoint();
      await late;
      const by = { ids: [], upstreamIds: [`up.${messageId}`] };
      expect(await next.channelState.findMessages(channelId, by)).toEqual([known]);
    } finally {
      await next.close();
    }
  }, 60_000);

  test('a server that takes 800 ms for each command is waited for, and batches grow instead of queues', async () => {
    await server.failPoint(1_000, {
      failCommands: ['insert'],
      blockConnection: true,
      blockTimeMS: 800,
      appName: 'under-test',
    });
    const writes = Array.from({ length: 500 }, () => aMessage(newId()));
    const commit = (message: (typeof writes)[number]) =>
      store.channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]);
    const results = await Promise.all(writes.map(commit));
    expect(results.flat()).toEqual(writes.map(() => applied));
    expect(store.stats().commitQueues.messages.batches).toBe(1);
    expect(store.stats().repeated).toBe(0);
  });

  test('an upsert that gets a duplicate key error reads its document: 50 first owners get 50 epochs', async () => {
    const channelId = newId();
    const mint = (i: number) => store.owners.mint(channelId, { nodeId: `n${i}`, incarnation: `s${i}` }, noon);
    const minted = await Promise.all(Array.from({ length: 50 }, (_, i) => mint(i)));
    const epochs = minted.map(({ epoch }) => epoch);
    expect(new Set(epochs).size).toBe(50);
    expect(Math.min(...epochs)).toBeGreaterThan(0);
    const last = minted.find(({ epoch }) => epoch === Math.max(...epochs));
    expect(await store.owners.of(channelId)).toMatchObject({ epoch: last?.epoch, at: noon });
    const next = await mint(50);
    expect(next.epoch).toBeGreaterThan(Math.max(...epochs));
    expect(next.previous).toBe(`s${minted.findIndex((each) => each === last)}`);
    expect(await store.owners.of(newId())).toBeNull();
  });

  test('a server that never answers: unavailable within the budget, then everything works again', async () => {
    const proxy = await Proxy.start(server.port);
    const behind = await open(`mongodb://127.0.0.1:${proxy.port}/${newId()}?directConnection=true`);
    const message = aMessage(newId());
    const insert = { write: 'insertMessage', message } as const;
    proxy.blackHole();
    await expect(behind.channelState.commit(message.channelId, 1, [insert])).rejects.toThrow(
      StoreUnavailable,
    );
    expect(proxy.fired).toBeGreaterThan(0);
    await until('the store to notice', () => !behind.isReachable());
    await proxy.refuse();
    proxy.heal();
    await proxy.listen();
    await until('the store to see its server', () => behind.isReachable(), 15_000);
    const { openMessages } = await behind.channelState.load(message.channelId, 2, noon, 1);
    expect(openMessages).toEqual([]);
    await behind.close();
    await proxy.close();
  }, 60_000);

  test('a server that stays down: unavailable within the budget, then everything works again', async () => {
    expect(store.isReachable()).toBe(true);
    await server.kill9();
    const message = aMessage(newId());
    const insert = { write: 'insertMessage', message } as const;
    await expect(store.channelState.commit(message.channelId, 1, [insert])).rejects.toThrow(StoreUnavailable);
    expect(store.isReachable()).toBe(false);
    await server.restart();
    await until('the store to see its server', () => store.isReachable());
    expect(await store.channelState.commit(message.channelId, 1, [insert])).toEqual([applied]);
  }, 60_000);
});

describeWithMongo('MongoDB, when a reply is lost after the write was applied', 'own', (source) => {
  let server: MongoServer;
  let proxy: ReplySwallower;
  let store: MongoStore;
  beforeAll(async () => {
    server = await MongoServer.start(source);
    proxy = await ReplySwallower.start(server.port);
    store = await open(proxy.uriOf(`test_${newSecret(8).replaceAll('-', '_')}`));
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await proxy.stop();
    await server.stop();
  }, 60_000);

  /** Loses the replies to this command twice, which is more than the driver retries by itself. */
  async function losing<T>(command: string, act: () => Promise<T>): Promise<T> {
    const before = proxy.swallowed;
    proxy.swallow(command, 2);
    const result = await act();
    expect(proxy.swallowed - before).toBe(2);
    return result;
  }

  test('an insert recognizes itself: it applied, and a second one does not', async () => {
    const message = aMessage(newId());
    const delivery = aDelivery(message.channelId);
    const commit = (...writes: Write[]) => store.channelState.commit(message.channelId, 1, writes);
    expect(await losing('insert', () => commit({ write: 'insertMessage', message }))).toEqual([applied]);
    expect(await losing('insert', () => commit({ write: 'insertDelivery', delivery }))).toEqual([applied]);
    expect(await losing('insert', () => commit({ write: 'insertDelivery', delivery }))).toEqual([
      { applied: false },
    ]);
    expect(await commit({ write: 'insertMessage', message })).toEqual([{ applied: false }]);
  });

  test('a claim counts one copy', async () => {
    const message = aMessage(newId());
    const commit = (...writes: Write[]) => store.channelState.commit(message.channelId, 1, writes);
    await commit({ write: 'insertMessage', message });
    const expected = { copies: 1, tries: 1 };
    const claim: Write = { write: 'claimCopy', messageId: message.id, expect: expected, attemptedAt: noon };
    expect(await losing('update', () => commit(claim))).toEqual([applied]);
    const { openMessages } = await store.channelState.load(message.channelId, 1, noon, 1);
    expect(openMessages.map(({ copies, tries }) => [copies, tries])).toEqual([[2, 2]]);
  });

  test('facts and lines of a mail are written once', async () => {
    const message = aMessage(newId());
    const { id: messageId, channelId, accountId } = message;
    const commit = (...writes: Write[]) => store.channelState.commit(channelId, 1, writes);
    await commit({ write: 'insertMessage', message });
    const deferred: Write = {
      write: 'recordDeferred',
      messageId,
      nextTryAt: noon,
      error: 'busy',
      errorCode: null,
    };
    await losing('update', () => commit(deferred));
    const { openMessages } = await store.channelState.load(channelId, 1, noon, 1);
    expect(openMessages.map(({ state, copies }) => [state, copies])).toEqual([['queued', 0]]);
    const mail = {
      id: newId(),
      accountId,
      kind: 'delivery-digest',
      subject: 's',
      opening: ['why'],
      sendAfter: 0,
      createdAt: 0,
    } as const;
    await losing('update', () => commit({ write: 'addMail', mail: { ...mail, line: 'one' } }));
    await losing('update', () => commit({ write: 'addMail', mail: { ...mail, line: 'two' } }));
    const listed = await store.stores.mails.list(accountId, { limit: null, cursor: null });
    expect(listed.items.map(({ lines }) => lines)).toEqual([['why', 'one', 'two']]);
  });

  test('a complete mail recognizes itself: it was added, and a second one is not', async () => {
    const mail = aMail();
    const add = () => store.stores.mails.add(mail);
    expect([await losing('insert', add), await losing('insert', add)]).toEqual([true, false]);
  });

  test('of many facts about one document a lost reply repeats one command, not all', async () => {
    const mail = {
      id: newId(),
      accountId: newId(),
      kind: 'delivery-digest',
      subject: 's',
      opening: [],
      sendAfter: 0,
      createdAt: 0,
    } as const;
    const writes = Array.from({ length: 300 }, (_, n): Write => ({
      write: 'addMail',
      mail: { ...mail, line: `${n}` },
    }));
    const before = proxy.swallowed;
    proxy.swallow('update', 1);
    await store.channelState.commit(newId(), 1, writes);
    expect(proxy.swallowed - before).toBe(1);
    // 100 lines are kept, 200 are counted; 150 of those were added twice by the repeated first command of 250.
    const { lines } = (await store.stores.mails.unsent(mail.id)) ?? { lines: [] };
    expect([lines.slice(0, 100), lines.slice(100)]).toEqual([
      writes.slice(0, 100).map((_, n) => `${n}`),
      ['… and 350 more like these'],
    ]);
  });

  test('a caller whose answer was lost still has exchanged the code, made the reservation, or finished the session', async () => {
    const { channels, setupSessions } = store.stores;
    const reservation = aReservation();
    expect(await losing('insert', () => channels.reserve(reservation, noon))).toBe('reserved');
    const { codeHash: hash, accountId, channelId } = reservation;
    const exchange = () => channels.exchange({ hash, accountId }, noon, () => ({}));
    expect((await losing('findAndModify', exchange))?.id).toBe(channelId);
    expect(await exchange()).toBeNull();
    const session = aSession();
    await losing('insert', () => setupSessions.insert(session));
    const finish = () => setupSessions.finish(session.id, session.tokenHash, noon);
    expect(await losing('findAndModify', finish)).toEqual({ ...session, finishedAt: noon });
    expect(await finish()).toBeNull();
  });
});

describe('MongoDB, its start', () => {
  test('an unreachable server is reported in one line, without the password', async () => {
    const opened = open('mongodb://user:hunter2@127.0.0.1:9/x?serverSelectionTimeoutMS=50');
    await expect(opened).rejects.toThrow(/^MongoDB can't be reached at 127.0.0.1:9: nobody listens there$/);
    await expect(open('mongodb://user:hunter2@')).rejects.toThrow(/^MONGODB_URI can't be used: \w+$/);
  });
});

describeWithMongo('MongoDB, a start on a large database', 'own', (source) => {
  let server: MongoServer;
  beforeAll(async () => void (server = await MongoServer.start(source)), 40_000);
  afterAll(() => server.stop());

  test('a start waits for indexes that take longer than any other call may', async () => {
    const building = { failCommands: ['createIndexes'], blockConnection: true, blockTimeMS: 7_000 };
    await server.failPoint(1_000, { ...building, appName: 'large' });

    const store = await open(server.freshUri(), 'large');

    const message = aMessage(newId());
    const insert: Write = { write: 'insertMessage', message };
    expect(await store.channelState.commit(message.channelId, 1, [insert])).toEqual([applied]);
    await store.close();
  }, 60_000);

  test.each([
    ['indexes', 'createIndexes', ['store.creating-indexes']],
    ['something else', 'find', []],
  ])(
    'a slow start says that it creates indexes only while it does: %s',
    async (_, command, said) => {
      const slow = { failCommands: [command], blockConnection: true, blockTimeMS: 2_500 };
      await server.failPoint(1_000, { ...slow, appName: command });
      const lines: string[] = [];
      const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) });

      const store = await openMongoStore({
        uri: server.freshUri(),
        log,
        clock: systemClock,
        appName: command,
      });

      await store.close();
      expect(lines).toEqual(said);
    },
    60_000,
  );
});

describeWithMongo('MongoDB, a start with wrong settings', 'own', (source) => {
  let server: MongoServer;
  beforeAll(async () => void (server = await MongoServer.start(source)), 40_000);
  afterAll(() => server.stop());

  test('a wrong name of the replica set', async () => {
    const opened = open(`${server.uriOf('x')}?replicaSet=other&serverSelectionTimeoutMS=500`);
    const why = 'it is no replica set of the name other, or has no primary';
    await expect(opened).rejects.toThrow(`MongoDB can't be reached at 127.0.0.1:${server.port}: ${why}`);
  });

  test.each([
    ['4.4', 9],
    ['4.2', 8],
  ])('a server of version %s', async (_, wireVersion) => {
    const old = await editingReplies(server.port, sayWireVersion(wireVersion));
    const opened = open(
      `mongodb://127.0.0.1:${old.port}/x?directConnection=true&serverSelectionTimeoutMS=500`,
    );
    const why = 'its version is too old: MongoDB 5.0 or newer is needed';
    await expect(opened).rejects.toThrow(`MongoDB can't be reached at 127.0.0.1:${old.port}: ${why}`);
    old.close();
  });

  test('a wrong password, which is not quoted', async () => {
    const opened = open(`mongodb://user:hunter2@127.0.0.1:${server.port}/x?authSource=admin`);
    const why =
      'it refuses the user or the password of MONGODB_URI; a user of its database admin needs authSource=admin there';
    await expect(opened).rejects.toThrow(`MongoDB can't be reached at 127.0.0.1:${server.port}: ${why}`);
  });

  test('a user who may not do what is needed', async () => {
    await server.failPoint(1_000, { failCommands: ['createIndexes'], errorCode: 13, appName: 'few' });
    const why =
      /^MongoDB refused indexes of \w+: MongoServerError 13: the user of MONGODB_URI may not do this$/;
    await expect(open(server.freshUri(), 'few')).rejects.toThrow(why);
  });

  test.each([
    [
      'ends what it does not understand',
      (socket: Socket) => void socket.once('data', () => socket.end('HTTP/1.1 400\r\n\r\n')),
      'is it MongoDB',
    ],
    ['says nothing', () => undefined, 'does not answer as MongoDB does'],
  ])('a server that is no MongoDB and %s', async (_, take, why) => {
    const other = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      take(socket);
    });
    const port = await listening(other);
    const opened = open(`mongodb://127.0.0.1:${port}/x?serverSelectionTimeoutMS=1500&connectTimeoutMS=500`);
    await expect(opened).rejects.toThrow(why);
    other.close();
  });
});

describe('errors of the driver', () => {
  test.each([
    ['EPIPE', 'a write to a connection that the server has closed', 'unknown'],
    ['ECONNRESET', 'a connection reset under way', 'unknown'],
  ])('%s, which the driver does not wrap: %s may have been applied', (code, message, kind) => {
    expect(classify(Object.assign(new Error(message), { code }))).toBe(kind);
  });

  test.each([
    ['whose server was lost', Reflect.construct(MongoServerSelectionError, ['no server', {}]), 'unknown'],
    ['cut off under way', new MongoNetworkError('closed'), 'unknown'],
    ['that the server answers', { message: 'no', code: 121 }, 'refused'],
    ['with a value that is taken', { message: 'no', code: 11_000 }, 'duplicate'],
  ])('a bulk of writes %s', (_, why, kind) => {
    expect(classify(Reflect.construct(MongoBulkWriteError, [why, null]))).toBe(kind);
  });

  test('one of our own errors passes through', () => {
    expect(classify(new Error('settings were refused'))).toBe('ours');
  });
});
