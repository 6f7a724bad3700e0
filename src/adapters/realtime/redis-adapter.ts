/**
 * The live feed between nodes: socket.io's Redis adapter over two connections of its own. Best effort like the feed itself: with
 * Redis away an event reaches the subscribers of its own node only, and nothing is kept. [architecture §8]
 *
 * Redis is believed nothing: events are sealed for the room they are for, and the adapter's channels for requests (move, dismiss,
 * list the sockets of other nodes) are not listened to, because nothing of ours asks. [faults: 120]
 */
import { createAdapter } from '@socket.io/redis-adapter';
import { Redis } from 'ioredis';
import type { RedisOptions } from 'ioredis';
import type { Outage } from '../../kernel/outage.ts';
import { ioredisOptions } from '../../kernel/redis-options.ts';
import { jitteredMs } from '../../kernel/retry.ts';
import { systemClock } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Sealer } from '../../domain/accounts/sealed.ts';
import type { LiveAdapter } from './index.ts';
import { SealedPackets } from './sealed-packets.ts';
import type { Said } from './sealed-packets.ts';

/** Below it stand `#/live#<account>#` for events and the adapter's own channels. */
const channelPrefix = 'trunkline:live';
const eventChannels = `${channelPrefix}#/live#`;
/** How long nobody is spoken to after nobody listened: what a node pays for a feed that nobody looks at. */
const nobodyMs = 100;

const common: RedisOptions = {
  connectTimeout: 1_000,
  disableClientInfo: true,
  keepAlive: 5_000,
  retryStrategy: pauseMs,
};

function pauseMs(attempt: number): number {
  return jitteredMs({ firstMs: 20, maxMs: 1_000 }, attempt - 1);
}

export interface RedisAdapterOptions {
  redisUrl: string;
  sealer: Sealer;
  outage: Outage;
  clock?: Clock;
}

/** Never rejects for a Redis that is away: the connections come and come back by themselves. */
export async function redisAdapter({
  redisUrl,
  sealer,
  outage,
  clock = systemClock,
}: RedisAdapterOptions): Promise<LiveAdapter & { close(): void }> {
  // An event that waits for Redis would be news of yesterday, and a million of them the end of the process.
  const server = ioredisOptions(redisUrl);
  const out = new Redis({
    ...server,
    ...common,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 1_000,
    socketTimeout: 3_000,
    autoResendUnfulfilledCommands: false,
  });
  // A subscription must wait for Redis: nobody says it again. No `failoverDetector`: it ends for good a connection that is under way.
  const subscriptions = new Redis({
    ...server,
    ...common,
    maxRetriesPerRequest: null,
  });
  tellOutages(out, 'live', outage);
  tellOutages(subscriptions, 'live subscriptions', outage);
  const silence = watchSilence(subscriptions, clock);
  const packets = new SealedPackets(sealer, clock);
  const heard = new HeardPackets(packets);
  let nobodyUntil = 0;
  return {
    adapter: createAdapter(speaking(out, packets), listening(subscriptions, heard), {
      key: channelPrefix,
      parser: { encode: (packet: unknown) => packet, decode: (bytes: Uint8Array) => heard.decode(bytes) },
    }),
    isHeard: () => clock.monotonic() >= nobodyUntil,
    publish(accountId, envelope, delivery) {
      const channel = `${eventChannels}${accountId}#`;
      const message = packets.seal(channel, { uid: '', data: ['event', envelope, delivery] });
      const counted = (by: number): void => {
        if (by === 0) nobodyUntil = clock.monotonic() + nobodyMs;
      };
      out.publish(channel, message).then(counted, nothing);
    },
    onBack: (tell) => silence.onBack(tell),
    close() {
      out.disconnect();
      subscriptions.disconnect();
    },
  };
}

/** `EVENT` of the socket.io protocol. */
const eventPacket = 2;

type Listener = (...args: unknown[]) => void;

/** The adapter gives its parser the bytes of a message and not the channel they came on: this one remembers the channel meanwhile. */
class HeardPackets {
  readonly #packets: SealedPackets;
  #channel = '';

  constructor(packets: SealedPackets) {
    this.#packets = packets;
  }

  /** The adapter's listener, told of one message; what it throws ends here. */
  hear(listener: Listener, pattern: unknown, channel: unknown, bytes: unknown): void {
    this.#channel = String(channel);
    try {
      listener(pattern, channel, bytes);
    } catch {
      // a packet of ours, which the adapter could not tell to a socket that is just closing
    }
  }

  /** The event, addressed to the room of its channel whatever room it names; `[]`, which the adapter ignores, when it is not our event. */
  decode(bytes: Uint8Array): unknown[] {
    const room = this.#channel.slice(eventChannels.length, -1);
    const said =
      room === '' || !this.#channel.startsWith(eventChannels)
        ? null
        : this.#packets.open(this.#channel, bytes);
    if (said === null) return [];
    const packet = { type: eventPacket, data: said.data, nsp: '/live' };
    return [said.uid, packet, { rooms: [room], except: [], flags: {} }];
  }
}

/** The adapter looks at no answer: a refusal nobody hears would end the process. Only events are told to other nodes. */
function speaking(redis: Redis, packets: SealedPackets): object {
  return {
    on: redis.on.bind(redis),
    off: redis.off.bind(redis),
    publish(channel: string, packet: unknown): void {
      const said = saidIn(packet);
      if (said === null || !channel.startsWith(eventChannels)) return;
      redis.publish(channel, packets.seal(channel, said)).catch(nothing);
    },
  };
}

/** `[uid, { data }, …]`, as the adapter tells an event; null: a request, which is text. */
function saidIn(packet: unknown): Said | null {
  if (!Array.isArray(packet)) return null;
  const [uid, event]: unknown[] = packet;
  if (typeof uid !== 'string' || typeof event !== 'object' || event === null || !('data' in event))
    return null;
  return Array.isArray(event.data) ? { uid, data: event.data } : null;
}

/** Hears of events (`psubscribe`, `pmessageBuffer`) and of nothing else. */
function listening(redis: Redis, heard: HeardPackets): object {
  const listeners = new Map<Listener, Listener>();
  return {
    on(event: string, listener: Listener): void {
      if (event === 'messageBuffer') return;
      const hears: Listener = (...[pattern, channel, bytes]) => heard.hear(listener, pattern, channel, bytes);
      listeners.set(listener, event === 'pmessageBuffer' ? hears : listener);
      redis.on(event, listeners.get(listener) ?? listener);
    },
    off: (event: string, listener: Listener) => void redis.off(event, listeners.get(listener) ?? listener),
    psubscribe: (pattern: string) => void redis.psubscribe(pattern).catch(nothing),
    punsubscribe: (pattern: string) => void redis.punsubscribe(pattern).catch(nothing),
    subscribe: nothing,
    unsubscribe: nothing,
  };
}

/** A subscription stands again a moment after its connection. */
const resubscribedMs = 1_000;

/** Since when nothing of other nodes came: an outage that is over is told with its beginning. */
function watchSilence(subscriptions: Redis, clock: Clock): { onBack(tell: (since: number) => void): void } {
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

function tellOutages(redis: Redis, name: string, outage: Outage): void {
  redis.on('ready', () => outage.back(name));
  redis.on('error', (error: unknown) => outage.away(name, error));
}

function nothing(): void {}
