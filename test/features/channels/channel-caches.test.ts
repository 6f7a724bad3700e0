import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { KeyCache } from '../../../src/features/accounts/key-cache.ts';
import { Suspensions } from '../../../src/features/accounts/suspensions.ts';
import { ChannelCache } from '../../../src/features/channels/channel-cache.ts';
import type { Stores } from '../../../src/features/stores.ts';
import { ShortLivedCache } from '../../../src/kernel/short-lived-cache.ts';
import { assetOf, TestClock } from '../support/outside.ts';
import { connected, connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import { hashSecret } from '../../../src/kernel/ids.ts';

const service = sharedService();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant(service);
});

describe("a node's cache", () => {
  test('stays within its bound: the least recently used entry is evicted', () => {
    const cache = new ShortLivedCache<string>({ max: 2, ttlMs: 1_000, clock: new TestClock() });
    cache.set('a', '1');
    cache.set('b', '2');
    cache.get('a');
    cache.set('c', '3');
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual(['1', undefined, '3', 2]);
  });

  test('expires by the monotonic clock, however often an entry is used', () => {
    const clock = new TestClock();
    const cache = new ShortLivedCache<string>({ max: 2, ttlMs: 1_000, clock });
    cache.set('a', '1');
    clock.pass(999);
    expect(cache.get('a')).toBe('1');
    clock.pass(1);
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });

  test.each([0, 1])('holds nothing if entries would expire after %d ms', (ttlMs) => {
    const cache = new ShortLivedCache<string>({ max: 2, ttlMs, clock: new TestClock() });
    cache.set('a', '1');
    expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
  });

  test('makes one look-up for all concurrent requests when an entry for a busy key or channel expires', async () => {
    let reads = 0;
    const counting = countingReads(service.stores, () => (reads += 1));
    const other = await newTenant(service);
    const { id } = await connectedChannel(service, other, 'pagechat');
    const keyCache = new KeyCache(counting.keys, service.clock);
    const channelCache = new ChannelCache(counting, service.clock, 0);
    const asks = Array.from({ length: 20 }, () => keyCache.byHash(hashSecret(tenant.apiKey)));
    expect(new Set(await Promise.all(asks)).size).toBe(1);
    expect(reads).toBe(1);
    reads = 0;
    await Promise.all(Array.from({ length: 20 }, () => channelCache.inAccount(id, other.accountId)));
    expect(reads).toBe(1);
  });

  test('holds a permission for 5 s, for its own account only; a refusal never', async () => {
    let reads = 0;
    const counting = countingReads(service.stores, () => (reads += 1));
    const keyCache = new KeyCache(counting.keys, service.clock);
    const channelCache = new ChannelCache(counting, service.clock, 0);
    const other = await newTenant(service);
    const { id } = await connectedChannel(service, other, 'pagechat');
    const hash = hashSecret(other.apiKey);
    const readsOf = async (ask: () => Promise<unknown>) => {
      reads = 0;
      const found = await ask();
      return [found !== null, reads];
    };
    const key = () => keyCache.byHash(hash);
    const channel = () => channelCache.inAccount(id, other.accountId);
    expect([await readsOf(key), await readsOf(channel)]).toEqual([[true, 1], [true, 1]]); // oxfmt-ignore
    expect([await readsOf(key), await readsOf(channel)]).toEqual([[true, 0], [true, 0]]); // oxfmt-ignore
    const foreign = () => channelCache.inAccount(id, 'another account');
    for (const ask of [foreign, foreign]) expect(await readsOf(ask)).toEqual([false, 1]);
    keyCache.invalidate(other.apiKeyId);
    channelCache.invalidate(id);
    expect([await readsOf(key), await readsOf(channel)]).toEqual([[true, 1], [true, 1]]); // oxfmt-ignore
  });

  test('a channel is read again after 5 s, or after a minute if no other process changes the store', async () => {
    const other = await newTenant(service);
    const { id } = await connectedChannel(service, other, 'pagechat');
    const reads: string[] = [];
    const shared = new ChannelCache(
      countingReads(service.stores, () => reads.push('shared')),
      service.clock,
      0,
    );
    const own = new ChannelCache(
      countingReads(service.stores, () => reads.push('own')),
      service.clock,
      0,
      true,
    );
    const readers = async () => {
      for (const cache of [shared, own]) await cache.inAccount(id, other.accountId);
      return reads.splice(0);
    };
    expect(await readers()).toEqual(['shared', 'own']);
    service.clock.pass(4_999);
    expect(await readers()).toEqual([]);
    service.clock.pass(1);
    expect(await readers()).toEqual(['shared']);
    service.clock.pass(54_999);
    expect(await readers()).toEqual(['shared']);
    service.clock.pass(1);
    expect(await readers()).toEqual(['own']);
  });

  test('the licences of a thousand channels in one POST are read 200 per turn [faults: I9]', async () => {
    const other = await newTenant(service);
    const { id } = await connectedChannel(service, other, 'pagechat');
    const channel = await service.stores.channels.byId(id);
    if (channel === null) throw new Error('it is connected');
    const many = Array.from({ length: 1_000 }, (_, n) => ({ ...channel, id: `c-${n}`, identity: `i-${n}` }));
    let [inTurn, most] = [0, 0];
    const byId = async (): Promise<null> => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      inTurn += 1;
      most = Math.max(most, inTurn);
      return null;
    };
    const stores = {
      channels: { ...service.stores.channels, byIdentity: async () => many },
      subscriptions: { ...service.stores.subscriptions, byId },
    };
    const cache = new ChannelCache(stores, service.clock, 0);
    const identities = many.map(({ identity }) => identity);
    expect((await cache.byIdentity('pagechat', identities)).size).toBe(1_000);
    expect(most).toBe(200);
  });

  test('when the entry of a busy identity expires, one look-up is made for all its webhooks', async () => {
    let reads = 0;
    const other = await newTenant(service);
    const { identity } = await connectedChannel(service, other, 'pagechat');
    const cache = new ChannelCache(
      countingReads(service.stores, () => (reads += 1)),
      service.clock,
      0,
    );
    const asks = Array.from({ length: 20 }, () => cache.byIdentity('pagechat', [identity ?? '']));
    expect((await Promise.all(asks)).map((found) => found.size)).toEqual(asks.map(() => 1));
    expect(reads).toBe(1);
  });

  test('a look-up that finds nothing is not shared: a channel connected meanwhile is found', async () => {
    const slow = new SlowReads(service.stores);
    const cache = new ChannelCache(slow.stores, service.clock, 0);
    const identity = '17840000000077777';
    const before = cache.byIdentity('photoapp', [identity]);
    await slow.untilRead();
    const other = await newTenant(service);
    await connected(service, other, assetOf('photoapp', identity));
    const after = cache.byIdentity('photoapp', [identity]);
    slow.answer();
    expect([(await before).size, (await after).size]).toEqual([0, 1]);
  });

  test('a request after a revocation does not get the result of a look-up from before it', async () => {
    let reads = 0;
    const cache = new KeyCache(countingReads(service.stores, () => (reads += 1)).keys, service.clock);
    const before = cache.byHash(hashSecret(tenant.apiKey));
    cache.invalidate(tenant.apiKeyId);
    const after = cache.byHash(hashSecret(tenant.apiKey));
    await Promise.all([before, after]);
    expect(reads).toBe(2);
  });

  test('10,000 wrong keys do not evict a valid one', async () => {
    let reads = 0;
    const keys = countingReads(service.stores, () => (reads += 1)).keys;
    const cache = new KeyCache(keys, service.clock);
    const known = await cache.byHash(hashSecret(tenant.apiKey));
    for (let i = 0; i < 10_001; i += 1) await cache.byHash(`wrong ${i}`);
    reads = 0;
    expect(await cache.byHash(hashSecret(tenant.apiKey))).toEqual(known);
    expect(reads).toBe(0);
  });

  test('a busy channel causes no query, and a request of another account is always checked', async () => {
    let reads = 0;
    const cache = new ChannelCache(
      countingReads(service.stores, () => (reads += 1)),
      service.clock,
      0,
    );
    const channel = await connectedChannel(service, tenant, 'chatapp');
    await cache.inAccount(channel.id, tenant.accountId);
    reads = 0;
    expect((await cache.inAccount(channel.id, tenant.accountId))?.channel).toEqual(channel);
    expect(reads).toBe(0);
    expect(await cache.inAccount(channel.id, 'another account')).toBeNull();
    expect(await cache.inAccount('absent', 'another account')).toBeNull();
    expect(reads).toBe(2);
  });

  test('a refusal is never cached: a change on another node takes effect at once', async () => {
    const [channel, { accountId, subscriptionId }] = [
      await connectedChannel(service, tenant, 'photoapp'),
      tenant,
    ];
    const cache = new ChannelCache(service.stores, service.clock, 0);
    const statusNow = async () => (await cache.inAccount(channel.id, accountId))?.subscription?.status;
    await service.stores.subscriptions.update(subscriptionId, { status: 'canceled' });
    expect(await statusNow()).toBe('canceled');
    await service.stores.subscriptions.update(subscriptionId, { status: 'active' });
    expect(await statusNow()).toBe('active');

    await service.stores.channels.deactivate(channel.id, accountId);
    const other = new ChannelCache(service.stores, service.clock, 0);
    const identity = channel.identity ?? '';
    const isActiveNow = async () => (await other.byIdentity('photoapp', [identity])).get(identity)?.isActive;
    expect(await isActiveNow()).toBe(false);
    await connected(service, tenant, assetOf('photoapp', identity));
    expect(await isActiveNow()).toBe(true);
  });

  test('a key that is revoked during its look-up is not cached as valid', async () => {
    const { apiKeyId, apiKey } = await service.features.createKey(tenant.accountId);
    const slow = new SlowReads(service.stores);
    const cache = new KeyCache(slow.stores.keys, service.clock);
    const looking = cache.byHash(hashSecret(apiKey));
    await slow.untilRead();
    await service.stores.keys.revoke(apiKeyId, service.clock.now());
    cache.invalidate(apiKeyId);
    slow.answer();
    expect(await looking).not.toBeNull();
    expect(await cache.byHash(hashSecret(apiKey))).toBeNull();
  });

  test('an account that is suspended during its look-up is not cached as active', async () => {
    const { accountId } = await newTenant(service);
    const slow = new SlowReads(service.stores);
    const suspensions = new Suspensions(slow.stores.accounts, service.clock);
    const looking = suspensions.requireRunning(accountId);
    await slow.untilRead();
    await service.stores.accounts.suspend(accountId, service.clock.now(), null);
    suspensions.forget(accountId);
    slow.answer();
    await looking;
    expect(suspensions.isRunning(accountId)).toBe(false);
    await expect(suspensions.requireRunning(accountId)).rejects.toMatchObject({ code: 'account_suspended' });
  });

  test('a channel that is changed during its look-up is not cached unchanged', async () => {
    const channel = await connectedChannel(service, tenant, 'pagechat');
    const slow = new SlowReads(service.stores);
    const cache = new ChannelCache(slow.stores, service.clock, 0);
    const looking = cache.inAccount(channel.id, tenant.accountId);
    await slow.untilRead();
    await service.stores.channels.deactivate(channel.id, tenant.accountId);
    cache.invalidate(channel.id);
    slow.answer();
    expect((await looking)?.channel.isActive).toBe(true);
    expect((await cache.inAccount(channel.id, tenant.accountId))?.channel.isActive).toBe(false);
  });
});

/** The stores; `onRead` is called before each look-up of an account, a key or a channel. */
function countingReads(stores: Stores, onRead: () => void): Stores {
  return withReads(stores, async (read) => {
    onRead();
    return read();
  });
}

function withReads(stores: Stores, around: <T>(read: () => Promise<T>) => Promise<T>): Stores {
  const { accounts, keys, channels } = stores;
  return {
    ...stores,
    accounts: Object.assign(Object.create(accounts), {
      byId: (accountId: string) => around(() => accounts.byId(accountId)),
    }),
    keys: Object.assign(Object.create(keys), {
      activeByHash: (hash: string) => around(() => keys.activeByHash(hash)),
    }),
    channels: Object.assign(Object.create(channels), {
      inAccount: (id: string, accountId: string) => around(() => channels.inAccount(id, accountId)),
      byIdentity: (type: ChannelType, identities: string[]) =>
        around(() => channels.byIdentity(type, identities)),
    }),
  };
}

/** Stores whose answers arrive when the test says so. */
class SlowReads {
  readonly stores: Stores;
  readonly #hasRead = new AbortController();
  readonly #mayAnswer = new AbortController();

  constructor(stores: Stores) {
    this.stores = withReads(stores, async (read) => {
      const found = await read();
      this.#hasRead.abort();
      await aborted(this.#mayAnswer.signal);
      return found;
    });
  }

  untilRead(): Promise<void> {
    return aborted(this.#hasRead.signal);
  }

  answer(): void {
    this.#mayAnswer.abort();
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
