/**
 * The subscribing client of socket.io's Redis adapter: receives other nodes' events by Redis and over the links. Redis counts as lost if
 * the connection fails or a periodic ping gets no answer; then this node asks its peers to publish over the links until Redis answers
 * again.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import { eventChannels } from './pub-client.ts';
import type { FeedLinks } from './pub-client.ts';
import type { SealedPackets } from './sealed-packets.ts';

/** Subscriptions are active this long after the connection is ready. */
const resubscribedMs = 1_000;
/** Pings detect a Redis that hangs, which is as silent as one without events. */
const pingEveryMs = 1_000;
const answerMs = 1_000;
/** A connection without an answer for this long is replaced: a lost TCP state looks like a slow Redis. */
const reconnectMs = 3_000;
/**
 * Redis counts as restored when it answers a ping this fast: well within `answerMs`, because the end of an outage makes subscribers read
 * the log.
 */
const promptMs = 500;
/** `EVENT` of the socket.io protocol. */
const eventPacket = 2;

type Listener = (...args: unknown[]) => void;

interface SubClientParts {
  subscriptions: Redis;
  packets: SealedPackets;
  links: FeedLinks;
  clock: Clock;
}

export class SubClient {
  readonly #parts: SubClientParts;
  /** The adapter's listeners, with those that Redis calls in their place. */
  readonly #listeners = new Map<Listener, Listener>();
  readonly #reconnectListeners: ((since: number) => void)[] = [];
  readonly #eventListeners: ((accountId: string, event: readonly unknown[]) => void)[] = [];
  /** Channel of the message being delivered: the adapter passes its parser only the bytes. */
  #channel = '';
  #isSubscribed = false;
  /** Monotonic ms of the first ping since the last answer. */
  #unansweredSince: number | null = null;
  /** Wall time (ms) since when Redis is lost; null if it is not. */
  #lostSince: number | null = null;
  #cancel: () => void = () => undefined;

  constructor(parts: SubClientParts) {
    this.#parts = parts;
    const { subscriptions, links, clock } = parts;
    // Closed or failed: the same outage, which the log reports for the adapter's connections.
    for (const sign of ['error', 'close']) subscriptions.on(sign, () => this.#lost());
    subscriptions.on('ready', () => void clock.after(resubscribedMs, () => this.#restored()));
    links.onEvent((channel, packet) => {
      for (const listener of this.#listeners.keys()) this.#receive(listener, null, channel, packet);
    });
  }

  /** The `subClient` of socket.io's adapter: event patterns (`psubscribe`, `pmessageBuffer`) only. */
  asClient(): object {
    const { subscriptions: redis } = this.#parts;
    const listeners = this.#listeners;
    return {
      on: (event: string, listener: Listener): void => {
        if (event === 'messageBuffer') return;
        if (event !== 'pmessageBuffer') return void redis.on(event, listener);
        const receives: Listener = (...[pattern, channel, bytes]) =>
          this.#receive(listener, pattern, channel, bytes);
        listeners.set(listener, receives);
        redis.on(event, receives);
      },
      off(event: string, listener: Listener): void {
        redis.off(event, listeners.get(listener) ?? listener);
        listeners.delete(listener);
      },
      psubscribe: (pattern: string): void => {
        redis.psubscribe(pattern).catch(nothing);
        this.#subscribe();
      },
      punsubscribe: (pattern: string) => void redis.punsubscribe(pattern).catch(nothing),
      subscribe: nothing,
      unsubscribe: nothing,
    };
  }

  /**
   * The event as a socket.io packet, addressed to the keys in the room of its channel, whatever room it names. For an invalid packet `[]`,
   * which the adapter ignores.
   */
  decode(bytes: Uint8Array): unknown[] {
    const room = this.#channel.slice(eventChannels.length, -1);
    const event =
      room === '' || !this.#channel.startsWith(eventChannels)
        ? null
        : this.#parts.packets.open(this.#channel, bytes);
    if (event === null) return [];
    // Events of this node are skipped, as the adapter does.
    if (!event.isOwn) for (const listener of this.#eventListeners) listener(room, event.data);
    const packet = { type: eventPacket, data: event.data, nsp: '/live' };
    return [event.uid, packet, { rooms: [room], except: [], flags: {} }];
  }

  /** Calls `listener` when Redis is restored, with the time (ms) since when it was lost. */
  onReconnect(listener: (since: number) => void): void {
    this.#reconnectListeners.push(listener);
  }

  /** Calls `listener` with each event of another node, and its account. */
  onRemoteEvent(listener: (accountId: string, event: readonly unknown[]) => void): void {
    this.#eventListeners.push(listener);
  }

  stop(): void {
    this.#isSubscribed = false;
    this.#cancel();
  }

  /** Passes a message to the adapter's listener; its errors end here. */
  #receive(listener: Listener, pattern: unknown, channel: unknown, bytes: unknown): void {
    this.#channel = String(channel);
    try {
      listener(pattern, channel, bytes);
    } catch {
      // the adapter could not write a valid packet to a socket that is closing
    }
  }

  #subscribe(): void {
    if (this.#isSubscribed) return;
    this.#isSubscribed = true;
    this.#parts.links.subscribe(this.#lostSince === null ? 'redis' : 'links');
    this.#pingLater();
  }

  #pingLater(): void {
    this.#cancel = this.#parts.clock.after(pingEveryMs, () => {
      void this.#ping();
      this.#pingLater();
    });
  }

  async #ping(): Promise<void> {
    const { subscriptions, clock } = this.#parts;
    const { status, stream } = subscriptions;
    if (status !== 'ready') return;
    const pingedAt = clock.monotonic();
    this.#unansweredSince ??= pingedAt;
    if (pingedAt - this.#unansweredSince > reconnectMs) {
      this.#unansweredSince = null;
      subscriptions.disconnect(true);
      return;
    }
    const cancel = clock.after(answerMs, () => this.#lost());
    const isAnswered = await subscriptions.ping().then(() => true, nothing);
    cancel();
    // On a new connection Redis was pinged again, and the subscription may not be active yet.
    if (isAnswered !== true || subscriptions.stream !== stream) return;
    this.#unansweredSince = null;
    if (clock.monotonic() - pingedAt <= promptMs) this.#restored();
  }

  #lost(): void {
    const { clock, links } = this.#parts;
    if (this.#lostSince !== null) return;
    this.#lostSince = clock.now();
    if (this.#isSubscribed) links.subscribe('links');
  }

  #restored(): void {
    const { subscriptions, links } = this.#parts;
    const since = this.#lostSince;
    if (since === null || subscriptions.status !== 'ready') return;
    this.#lostSince = null;
    if (this.#isSubscribed) links.subscribe('redis');
    for (const listener of this.#reconnectListeners) listener(since);
  }
}

function nothing(): void {}
