/**
 * The subscribing client of socket.io's Redis adapter: events of other nodes, by Redis and over the links. Redis is lost when its connection fails, or
 * a ping now and then gets no answer. Then this node asks its peers to publish over the links, until Redis answers again.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import type { FeedLinks } from './feed-links.ts';
import { sessionRoom } from './portal-sessions.ts';
import type { SealedPackets } from './sealed-packets.ts';
import { eventChannels } from './pub-client.ts';

/** A subscription stands again a moment after its connection. */
const resubscribedMs = 1_000;
/** A Redis that hangs says nothing, as one that has no news. */
const pingEveryMs = 1_000;
const answerMs = 1_000;
/** A connection that has not answered for so long is given up for a new one: a lost TCP state looks like a slow Redis. */
const reconnectMs = 3_000;
/** Restored once an answer is well within that: who is told of an outage's end reads the log. */
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
  /** The adapter's listeners, and what is given to Redis in their place. */
  readonly #listeners = new Map<Listener, Listener>();
  readonly #reconnectListeners: ((since: number) => void)[] = [];
  readonly #eventListeners: ((accountId: string, event: readonly unknown[]) => void)[] = [];
  /** The adapter gives its parser the bytes of a message and not the channel they came on. */
  #channel = '';
  #isSubscribed = false;
  /** Monotonic ms of the first ping since the last answer. */
  #unansweredSince: number | null = null;
  /** Wall time since when Redis is lost; null: it is not. */
  #lostSince: number | null = null;
  #cancel: () => void = () => undefined;

  constructor(parts: SubClientParts) {
    this.#parts = parts;
    const { subscriptions, links, clock } = parts;
    // Closed or refused: the same outage, which the adapter's connections log.
    for (const sign of ['error', 'close']) subscriptions.on(sign, () => this.#lost());
    subscriptions.on('ready', () => void clock.after(resubscribedMs, () => this.#restored()));
    links.onEvent((channel, packet) => {
      for (const listener of this.#listeners.keys()) this.#receive(listener, null, channel, packet);
    });
  }

  /** What socket.io's adapter is given as its `subClient`: events (`psubscribe`, `pmessageBuffer`) and nothing else. */
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

  /** The event, addressed to the keys in the room of its channel whatever room it names; `[]`, which the adapter ignores, when it is not our event. */
  decode(bytes: Uint8Array): unknown[] {
    const room = this.#channel.slice(eventChannels.length, -1);
    const event =
      room === '' || !this.#channel.startsWith(eventChannels)
        ? null
        : this.#parts.packets.open(this.#channel, bytes);
    if (event === null) return [];
    // The adapter passes over what this node has published itself, and so does this.
    if (!event.isOwn) for (const tell of this.#eventListeners) tell(room, event.data);
    const packet = { type: eventPacket, data: event.data, nsp: '/live' };
    return [event.uid, packet, { rooms: [room], except: [sessionRoom(room)], flags: {} }];
  }

  /** Tells when Redis is back, and since when (ms) it was lost. */
  onReconnect(tell: (since: number) => void): void {
    this.#reconnectListeners.push(tell);
  }

  /** Tells of each event of another node, whose room is known here. */
  onRemoteEvent(tell: (accountId: string, event: readonly unknown[]) => void): void {
    this.#eventListeners.push(tell);
  }

  stop(): void {
    this.#isSubscribed = false;
    this.#cancel();
  }

  /** The adapter's listener, told of one message; what it throws ends here. */
  #receive(listener: Listener, pattern: unknown, channel: unknown, bytes: unknown): void {
    this.#channel = String(channel);
    try {
      listener(pattern, channel, bytes);
    } catch {
      // a packet of ours, which the adapter could not tell to a socket that is just closing
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
    const askedAt = clock.monotonic();
    this.#unansweredSince ??= askedAt;
    if (askedAt - this.#unansweredSince > reconnectMs) {
      this.#unansweredSince = null;
      subscriptions.disconnect(true);
      return;
    }
    const cancel = clock.after(answerMs, () => this.#lost());
    const isAnswered = await subscriptions.ping().then(() => true, nothing);
    cancel();
    // On another connection by now, Redis was pinged again, and its subscription may not stand yet.
    if (isAnswered !== true || subscriptions.stream !== stream) return;
    this.#unansweredSince = null;
    if (clock.monotonic() - askedAt <= promptMs) this.#restored();
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
    for (const tell of this.#reconnectListeners) tell(since);
  }
}

function nothing(): void {}
