/** The queries to MongoDB of concurrent requests when a node's short-lived cache expires, counted on the wire. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { connect as connectTo } from '../../src/storage/mongo/connection.ts';
import { makeIndexes } from '../../src/storage/mongo/indexes.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import type { ApiKey } from '../../src/features/accounts/account.ts';
import type { Channel } from '../../src/rules/channels/channel.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { KeyCache } from '../../src/features/accounts/key-cache.ts';
import { ChannelCache } from '../../src/features/channels/channel-cache.ts';
import { CommandCount } from '../support/command-count.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { connect } from './conformance/channels.ts';
import { putDeliveries, putMessages } from './conformance/channel-state.ts';
import {
  aDelivery,
  aKey,
  aMail,
  aMessage,
  aRedirect,
  aReservation,
  aSession,
  aSubscription,
  anAccount,
  noon,
} from './conformance/samples.ts';
import { entities } from '../../src/features/entities.ts';
import { storeOn } from '../support/mongo-stores.ts';
import type { MongoStore } from '../support/mongo-stores.ts';

const inFlight = 100;
const lapsed = 5_001;

describeWithMongo('a hundred concurrent requests after a cache entry has expired', 'any', (source) => {
  let server: MongoServer;
  let store: MongoStore;
  let storeOfOtherNode: MongoStore;
  let sent: CommandCount;
  let key: ApiKey;
  let channel: Channel;
  beforeAll(async () => {
    server = await MongoServer.start(source);
    const connection = await connectTo(server.freshUri(), 'look-ups', { monitorCommands: true });
    const retryPolicy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 8_000 });
    await makeIndexes(connection.db, retryPolicy, entities);
    store = storeOn(connection, retryPolicy);
    storeOfOtherNode = storeOn(connection, retryPolicy);
    sent = new CommandCount(connection.client);
    const { stores } = store;
    const account = anAccount();
    key = aKey(account.id);
    const licence = aSubscription(account.id, { expiresAt: noon + 3_600_000 });
    await stores.accounts.create(account, key, licence);
    const ownership = { mintEpoch: () => Promise.resolve(1) };
    channel = await connect(
      { ...store, ownership },
      { accountId: account.id, subscriptionId: licence.id, channelType: 'chatapp' },
    );
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await server.stop();
  }, 60_000);
  beforeEach(() => sent.clear());

  const many = <T>(ask: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: inFlight }, ask));

  test('a key is read once', async () => {
    const clock = new FakeClock(noon);
    const keys = new KeyCache(store.stores.keys, clock);
    await many(() => keys.byHash(key.hash));
    await clock.pass(lapsed);
    const callers = await many(() => keys.byHash(key.hash));
    expect(new Set(callers.map((caller) => caller?.apiKeyId))).toEqual(new Set([key.id]));
    expect(sent.all()).toEqual({ find: 2 });
  });

  test('a channel to send from: two queries, for itself and its licence', async () => {
    const clock = new FakeClock(noon);
    const channels = new ChannelCache(store.stores, clock, 0);
    await many(() => channels.inAccount(channel.id, channel.accountId));
    await clock.pass(lapsed);
    await many(() => channels.inAccount(channel.id, channel.accountId));
    expect(sent.all()).toEqual({ find: 4 });
  });

  test('the channel of a webhook: two queries, for itself and its licence', async () => {
    const clock = new FakeClock(noon);
    const channels = new ChannelCache(store.stores, clock, 0);
    const identity = channel.identity ?? '';
    await many(() => channels.byIdentity('chatapp', [identity]));
    await clock.pass(lapsed);
    const found = await many(() => channels.byIdentity('chatapp', [identity]));
    expect(new Set(found.map((owners) => owners.get(identity)?.id))).toEqual(new Set([channel.id]));
    expect(sent.all()).toEqual({ find: 4 });
  });

  test('a page of the delivery log is one query, also if it is longer than a first batch; so are its count and the page after it', async () => {
    const { deliveryLog } = store.stores;
    const { id: channelId, accountId } = channel;
    const deliveries = Array.from({ length: 150 }, (_, at) =>
      aDelivery(channelId, { accountId, createdAt: noon + at }),
    );
    await putDeliveries(store, ...deliveries);
    sent.clear();
    const page = { limit: 140, cursor: null };
    const log = { accountId, channelId, since: noon, event: null, state: null, page };
    expect((await deliveryLog.list(log)).items).toHaveLength(140);
    expect(sent.all()).toEqual({ find: 1 });
    const place = { createdAt: noon, id: '' };
    expect(await deliveryLog.after({ accountId, channelId, place, limit: 150 })).toHaveLength(150);
    expect(await deliveryLog.countPending({ channelIds: [channelId], limit: 120 })).toBe(120);
    expect(sent.all()).toEqual({ find: 2, aggregate: 1 });
  });

  test('[faults: I9] the messages of many echoes with fifty parts come in replies of 500, fewer in one', async () => {
    const { id: channelId } = channel;
    const upstreamIds = Array.from({ length: 24 }, (_, n) => `up-${n}`);
    const parts = upstreamIds.flatMap((upstreamId) =>
      Array.from({ length: 50 }, () => aMessage(channelId, { origin: 'echo', upstreamIds: [upstreamId] })),
    );
    await putMessages(store, ...parts);
    sent.clear();
    const { channelState } = store;
    expect(await channelState.findMessages(channelId, { ids: [], upstreamIds })).toHaveLength(parts.length);
    expect(sent.all()).toEqual({ find: 1, getMore: 2 });
    sent.clear();
    const some = { ids: [], upstreamIds: upstreamIds.slice(0, 9) };
    expect(await channelState.findMessages(channelId, some)).toHaveLength(450);
    expect(sent.all()).toEqual({ find: 1 });
  });

  test('a page of mails with their lines is one query, and so is an unsent mail', async () => {
    const { mails } = store.stores;
    const { accountId } = channel;
    const all = ['a', 'b'].map((id) => aMail({ id, accountId, lines: ['one', 'two'] }));
    for (const each of all) await mails.add(each);
    sent.clear();
    const { items } = await mails.list(accountId, { limit: 2, cursor: null });
    expect(items).toEqual(all.toReversed());
    expect(await mails.unsent('a')).toEqual(all[0]);
    expect(sent.all()).toEqual({ find: 2 });
  });

  test('a sweep that finds less than a slice is one query and one delete', async () => {
    const { setupSessions } = store.stores;
    for (const expiresAt of [noon - 2, noon - 1]) await setupSessions.insert(aSession({ expiresAt }));
    sent.clear();
    expect(await setupSessions.dropExpired(noon)).toBe(2);
    expect(sent.all()).toEqual({ find: 1, delete: 1 });
  });

  test('a request after a change does not share a look-up that started before it', async () => {
    const channels = new ChannelCache(store.stores, new FakeClock(noon), 0);
    const before = many(() => channels.inAccount(channel.id, channel.accountId));
    channels.invalidate(channel.id);
    await Promise.all([before, many(() => channels.inAccount(channel.id, channel.accountId))]);
    expect(sent.all()).toEqual({ find: 4 });
  });

  test('uses of a counter of templates: two reads and two writes [faults: 208]', async () => {
    let at = noon;
    const windows = [{ ms: 1_000, max: 50 }];
    const taken = await many(() =>
      store.stores.templateLimits.take('a counter', { id: newId(), at: at++ }, windows),
    );
    expect(taken.filter((free) => free === null)).toHaveLength(50);
    expect(sent.all()).toEqual({ find: 2, insert: 1, findAndModify: 1 });
  });

  test('redirect patterns that are added to a key: a few inserts each, not one for each place', async () => {
    const { redirects } = store.stores;
    const of = { accountId: key.accountId, apiKeyId: key.id };
    let n = 0;
    const added = await many(() =>
      redirects.add(aRedirect(of.accountId, of.apiKeyId, { uriPattern: `p${n++}` }), 50),
    );
    expect(added.filter((redirect) => redirect !== null)).toHaveLength(50);
    expect(sent.all()['insert']).toBeLessThan(5 * inFlight);
  });

  test('reservations of one identity by its account: a few commands each, however many there are', async () => {
    const { accountId, identity, subscriptionId } = aReservation();
    const results = await many(() =>
      store.stores.channels.reserve(aReservation({ accountId, identity, subscriptionId }), noon),
    );
    expect(new Set(results)).toEqual(new Set(['reserved']));
    const commands = Object.values(sent.all()).reduce((sum, count) => sum + count, 0);
    expect(commands).toBeLessThan(8 * inFlight);
  });

  test('reservations of one identity by its account on two nodes: none finds its own slot taken', async () => {
    const { accountId, identity, subscriptionId } = aReservation();
    let n = 0;
    const results = await many(() => {
      const { channels } = [store, storeOfOtherNode][n++ % 2]?.stores ?? store.stores;
      return channels.reserve(aReservation({ accountId, identity, subscriptionId }), noon);
    });
    expect(new Set(results)).toEqual(new Set(['reserved']));
  });
});
