/**
 * The live feed between nodes: socket.io's Redis adapter over two connections of its own. Best effort like the feed itself: with
 * Redis away an event reaches the subscribers of its own node only, and nothing is kept. [architecture §8]
 */
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { jitteredMs } from '../../kernel/retry.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LiveAdapter } from './index.ts';

/** Below it stand `#/live#<account>#` for events and the adapter's own channels. */
const channelPrefix = 'trunkline:live';
/** How long nobody is spoken to after nobody listened: what a node pays for a feed that nobody looks at. */
const nobodyMs = 100;

const common: RedisOptions = {
  connectTimeout: 1_000,
  disableClientInfo: true,
  keepAlive: 5_000,
  retryStrategy: (attempt) => jitteredMs({ firstMs: 20, maxMs: 1_000 }, attempt - 1),
};

/** Never rejects for a Redis that is away: the connections come and come back by themselves. */
export async function redisAdapter(
  redisUrl: string,
  log: Log,
  clock: Clock = systemClock,
): Promise<LiveAdapter & { close(): void }> {
  // An event that waits for Redis would be news of yesterday, and a million of them the end of the process.
  const out = new Redis(redisUrl, {
    ...common,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
    autoResendUnfulfilledCommands: false,
  });
  // A subscription must wait for Redis: nobody says it again.
  const subscriptions = new Redis(redisUrl, { ...common, maxRetriesPerRequest: null });
  tellOutages(out, log);
  const outage = watchOutage(subscriptions, clock);
  let nobodyUntil = 0;
  return {
    adapter: createAdapter(quiet(out), quiet(subscriptions), { key: channelPrefix, parser }),
    isHeard: () => clock.monotonic() >= nobodyUntil,
    publish(accountId, envelope, delivery) {
      const packet = { type: eventPacket, data: ['event', envelope, delivery], nsp: '/live' };
      const message = parser.encode(['', packet, { rooms: [accountId], except: [], flags: {} }]);
      const heard = (by: number): void => {
        if (by === 0) nobodyUntil = clock.monotonic() + nobodyMs;
      };
      out.publish(`${channelPrefix}#/live#${accountId}#`, message).then(heard, nothing);
    },
    onBack: (tell) => outage.onBack(tell),
    close() {
      out.disconnect();
      subscriptions.disconnect();
    },
  };
}

/** `EVENT` of the socket.io protocol. */
const eventPacket = 2;

/** What cannot be read is no packet: the adapter ignores it, where the built-in parser would end the process. */
const parser = {
  encode: (message: unknown): string => JSON.stringify(message),
  decode(message: Uint8Array): unknown[] {
    try {
      const packet: unknown = JSON.parse(Buffer.from(message).toString());
      return Array.isArray(packet) ? packet : [];
    } catch {
      return []; // not said by a node of ours
    }
  },
};

/** The adapter looks at no answer: a refusal nobody hears would end the process. */
function quiet(redis: Redis): object {
  const hush =
    (command: 'publish' | 'subscribe' | 'psubscribe' | 'unsubscribe' | 'punsubscribe') =>
    (...args: unknown[]): void => {
      const answer: unknown = Reflect.apply(redis[command], redis, args.flat());
      if (answer instanceof Promise) answer.catch(nothing);
    };
  return {
    on: redis.on.bind(redis),
    off: redis.off.bind(redis),
    publish: hush('publish'),
    subscribe: hush('subscribe'),
    psubscribe: hush('psubscribe'),
    unsubscribe: hush('unsubscribe'),
    punsubscribe: hush('punsubscribe'),
  };
}

/** A subscription stands again a moment after its connection. */
const resubscribedMs = 1_000;

/** Since when nothing of other nodes came: an outage that is over is told with its beginning. */
function watchOutage(subscriptions: Redis, clock: Clock): { onBack(tell: (since: number) => void): void } {
  const tellers: ((since: number) => void)[] = [];
  let awaySince: number | null = null;
  // Closed or refused: the same outage, which `tellOutages` logs.
  for (const sign of ['error', 'close']) subscriptions.on(sign, () => (awaySince ??= clock.now()));
  subscriptions.on('ready', () => {
    const since = awaySince;
    awaySince = null;
    if (since === null) return;
    clock.after(resubscribedMs, () => {
      for (const tell of tellers) tell(since);
    });
  });
  return { onBack: (tell) => void tellers.push(tell) };
}

function tellOutages(redis: Redis, log: Log): void {
  let isAway = false;
  redis.on('ready', () => {
    if (isAway) log.info({}, 'live.redis-back');
    isAway = false;
  });
  redis.on('error', (error: unknown) => {
    if (!isAway) log.warn({ error: asError(error) }, 'live.redis-away'); // once per outage, not per attempt
    isAway = true;
  });
}

function nothing(): void {}
