/**
 * The live feed between nodes: socket.io's Redis adapter over two connections of its own, and the node-to-node links while Redis does not
 * answer. Best effort like the feed itself: nothing is stored. [architecture §8]
 *
 * Redis is not trusted: events are sealed for their room, and the adapter's request channels (to move, disconnect or list sockets of other
 * nodes) are not subscribed, because nothing here uses them. [faults: 120]
 */
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import type { Outage } from '../../kernel/outage.ts';
import { ioredisOptions } from '../../kernel/redis-url.ts';
import { jitteredMs } from '../../kernel/retry.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Sealer } from '../../kernel/sealed.ts';
import { channelOf, channelPrefix, PubClient } from './pub-client.ts';
import type { FeedLinks } from './pub-client.ts';
import { SubClient } from './sub-client.ts';
import type { LiveAdapter } from './feed.ts';
import { SealedPackets } from './sealed-packets.ts';

const common: RedisOptions = {
  connectTimeout: 1_000,
  disableClientInfo: true,
  keepAlive: 5_000,
  retryStrategy: pauseMs,
};

function pauseMs(attempt: number): number {
  return jitteredMs({ firstMs: 20, maxMs: 1_000 }, attempt - 1);
}

interface RedisAdapterOptions {
  redisUrl: string;
  sealer: Sealer;
  outage: Outage;
  links: FeedLinks;
  clock?: Clock;
}

/** Never rejects if Redis is unreachable: both connections keep reconnecting. */
export async function redisAdapter({
  redisUrl,
  sealer,
  outage,
  links,
  clock = systemClock,
}: RedisAdapterOptions): Promise<LiveAdapter & { close(): void }> {
  // No offline queue: a delayed event is worthless, and a million queued ones would exhaust the memory.
  const server = ioredisOptions(redisUrl);
  const publishing = new Redis({
    ...server,
    ...common,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
    socketTimeout: 3_000,
    autoResendUnfulfilledCommands: false,
  });
  // A subscription must wait for Redis, because nothing repeats it. Without `failoverDetector`, which would end a connection for good that
  // is still connecting.
  const subscriptions = new Redis({
    ...server,
    ...common,
    maxRetriesPerRequest: null,
  });
  reportOutages(publishing, 'live', outage);
  reportOutages(subscriptions, 'live subscriptions', outage);
  const packets = new SealedPackets(sealer, clock);
  const pubClient = new PubClient({ redis: publishing, packets, links, clock });
  const subClient = new SubClient({ subscriptions, packets, links, clock });
  return {
    adapter: createAdapter(pubClient.asClient(), subClient.asClient(), {
      key: channelPrefix,
      parser: { encode: (packet: unknown) => packet, decode: (bytes: Uint8Array) => subClient.decode(bytes) },
    }),
    hasSubscribers: () => pubClient.hasSubscribers(),
    publish(accountId, envelope, delivery) {
      pubClient.publish(channelOf(accountId), { uid: '', data: ['event', envelope, delivery] });
    },
    onReconnect: (listener) => subClient.onReconnect(listener),
    onRemoteEvent: (listener) => subClient.onRemoteEvent(listener),
    close() {
      subClient.stop();
      publishing.disconnect();
      subscriptions.disconnect();
    },
  };
}

function reportOutages(redis: Redis, name: string, outage: Outage): void {
  redis.on('ready', () => outage.back(name));
  redis.on('error', (error: unknown) => outage.away(name, error));
}
