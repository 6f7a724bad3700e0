/**
 * What this node hears of the others, by Redis and over the links, and how it knows that Redis is not heard: its connection fails, or a
 * question now and then gets no answer. Then it asks the others to be told over the links, until Redis is heard again.
 */
import type { Redis } from 'ioredis';
import type { Clock } from '../../kernel/clock.ts';
import type { FeedLinks } from './feed-links.ts';
import { roomOfPeople } from './people.ts';
import type { SealedPackets } from './sealed-packets.ts';
import { eventChannels } from './speaking.ts';

/** A subscription stands again a moment after its connection. */
const resubscribedMs = 1_000;
/** A Redis that hangs says nothing, as one that has no news. */
const askEveryMs = 1_000;
const answerMs = 1_000;
/** A connection that has not answered for so long is given up for a new one: a lost TCP state looks like a slow Redis. */
const silentMs = 3_000;
/** Heard again once an answer is well within that: who is told of an outage's end reads the log. */
const promptMs = 500;
/** `EVENT` of the socket.io protocol. */
const eventPacket = 2;

type Listener = (...args: unknown[]) => void;

interface HearingParts {
  subscriptions: Redis;
  packets: SealedPackets;
  links: FeedLinks;
  clock: Clock;
}

export class Hearing {
  readonly #parts: HearingParts;
  /** The adapter's, and what is given to Redis in their place. */
  readonly #listeners = new Map<Listener, Listener>();
  readonly #tellers: ((since: number) => void)[] = [];
  readonly #heard: ((accountId: string, said: readonly unknown[]) => void)[] = [];
  /** The adapter gives its parser the bytes of a message and not the channel they came on. */
  #channel = '';
  #isListening = false;
  /** Monotonic ms of the first question since the last answer. */
  #unansweredSince: number | null = null;
  /** Wall time since when Redis is not heard; null: it is heard. */
  #unheardSince: number | null = null;
  #cancel: () => void = () => undefined;

  constructor(parts: HearingParts) {
    this.#parts = parts;
    const { subscriptions, links, clock } = parts;
    // Closed or refused: the same outage, which the adapter's connections log.
    for (const sign of ['error', 'close']) subscriptions.on(sign, () => this.#unheard());
    subscriptions.on('ready', () => void clock.after(resubscribedMs, () => this.#heardAgain()));
    links.onTold((channel, packet) => {
      for (const listener of this.#listeners.keys()) this.#hear(listener, null, channel, packet);
    });
  }

  /** As socket.io's adapter listens: to events (`psubscribe`, `pmessageBuffer`) and to nothing else. */
  asClient(): object {
    const { subscriptions: redis } = this.#parts;
    const listeners = this.#listeners;
    return {
      on: (event: string, listener: Listener): void => {
        if (event === 'messageBuffer') return;
        if (event !== 'pmessageBuffer') return void redis.on(event, listener);
        const hears: Listener = (...[pattern, channel, bytes]) =>
          this.#hear(listener, pattern, channel, bytes);
        listeners.set(listener, hears);
        redis.on(event, hears);
      },
      off(event: string, listener: Listener): void {
        redis.off(event, listeners.get(listener) ?? listener);
        listeners.delete(listener);
      },
      psubscribe: (pattern: string): void => {
        redis.psubscribe(pattern).catch(nothing);
        this.#listen();
      },
      punsubscribe: (pattern: string) => void redis.punsubscribe(pattern).catch(nothing),
      subscribe: nothing,
      unsubscribe: nothing,
    };
  }

  /** The event, addressed to the keys in the room of its channel whatever room it names; `[]`, which the adapter ignores, when it is not our event. */
  decode(bytes: Uint8Array): unknown[] {
    const room = this.#channel.slice(eventChannels.length, -1);
    const said =
      room === '' || !this.#channel.startsWith(eventChannels)
        ? null
        : this.#parts.packets.open(this.#channel, bytes);
    if (said === null) return [];
    // The adapter passes over what this node has said itself, and so does this.
    if (!said.isOwn) for (const tell of this.#heard) tell(room, said.data);
    const packet = { type: eventPacket, data: said.data, nsp: '/live' };
    return [said.uid, packet, { rooms: [room], except: [roomOfPeople(room)], flags: {} }];
  }

  /** Tells when Redis is heard again, and since when (ms) it was not. */
  onBack(tell: (since: number) => void): void {
    this.#tellers.push(tell);
  }

  /** Tells of each event of another node, whose room is known here. */
  onHeard(tell: (accountId: string, said: readonly unknown[]) => void): void {
    this.#heard.push(tell);
  }

  stop(): void {
    this.#isListening = false;
    this.#cancel();
  }

  /** The adapter's listener, told of one message; what it throws ends here. */
  #hear(listener: Listener, pattern: unknown, channel: unknown, bytes: unknown): void {
    this.#channel = String(channel);
    try {
      listener(pattern, channel, bytes);
    } catch {
      // a packet of ours, which the adapter could not tell to a socket that is just closing
    }
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#parts.links.listen(this.#unheardSince === null ? 'redis' : 'links');
    this.#askLater();
  }

  #askLater(): void {
    this.#cancel = this.#parts.clock.after(askEveryMs, () => {
      void this.#ask();
      this.#askLater();
    });
  }

  async #ask(): Promise<void> {
    const { subscriptions, clock } = this.#parts;
    const { status, stream } = subscriptions;
    if (status !== 'ready') return;
    const askedAt = clock.monotonic();
    this.#unansweredSince ??= askedAt;
    if (askedAt - this.#unansweredSince > silentMs) {
      this.#unansweredSince = null;
      subscriptions.disconnect(true);
      return;
    }
    const cancel = clock.after(answerMs, () => this.#unheard());
    const isAnswered = await subscriptions.ping().then(() => true, nothing);
    cancel();
    // On another connection by now, it was asked again, and its subscription may not stand yet.
    if (isAnswered !== true || subscriptions.stream !== stream) return;
    this.#unansweredSince = null;
    if (clock.monotonic() - askedAt <= promptMs) this.#heardAgain();
  }

  #unheard(): void {
    const { clock, links } = this.#parts;
    if (this.#unheardSince !== null) return;
    this.#unheardSince = clock.now();
    if (this.#isListening) links.listen('links');
  }

  #heardAgain(): void {
    const { subscriptions, links } = this.#parts;
    const since = this.#unheardSince;
    if (since === null || subscriptions.status !== 'ready') return;
    this.#unheardSince = null;
    if (this.#isListening) links.listen('redis');
    for (const tell of this.#tellers) tell(since);
  }
}

function nothing(): void {}
