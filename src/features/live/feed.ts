import type { IncomingMessage, Server } from 'node:http';
import type { ServerOptions } from 'socket.io';
import type { LiveEvent, LiveFeed } from '../../rules/outside.ts';
import type { Envelope } from '../../rules/events/built.ts';
import { toIso, systemClock } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import type { AdmissionOptions } from './admission.ts';
import { mount, isHandshake } from './mount.ts';
import { liveDeliveryOf } from './live-socket.ts';
import type { LiveDelivery } from './live-socket.ts';
import type { Missed } from './catch-up.ts';
import { streamPath } from './event-streams.ts';
import { Subscribers, livePath } from './subscribers.ts';

const below = `${livePath}/`;

/** Upstream redelivers within minutes, and a busy node has some thousand events per minute. */
const maxRecent = 10_000;

/** Whether a request is a handshake of the live feed: the only upgrade that the public server accepts. */
export function isLiveHandshake(request: IncomingMessage): boolean {
  return isHandshake(request, below);
}

/** Connects the feeds of the nodes. */
export interface LiveAdapter {
  /** The socket.io adapter for this node's subscribers. */
  adapter: ServerOptions['adapter'];
  /** False if there were no subscribers recently: then preparing an event is not worth it. */
  hasSubscribers(): boolean;
  /** Publishes from a node without subscribers of its own, without loading socket.io. Never throws. */
  publish(accountId: string, envelope: Envelope, delivery: LiveDelivery): void;
  /** Calls `listener` when events of other nodes arrive again, with the time (ms) since when they did not. */
  onReconnect(listener: (since: number) => void): void;
  /** Calls `listener` with each event of another node for subscribers of this one: the arguments of `publish`, not validated. */
  onRemoteEvent(listener: (accountId: string, event: readonly unknown[]) => void): void;
}

export interface LiveFeedOptions extends Omit<AdmissionOptions, 'clock'> {
  /** The public server; the feed serves its paths below `/live/socket.io`. */
  server: Server;
  /** Pages of the events that an account has missed since a time (ms). Without it there is no catch-up. */
  missed?: Missed;
  clock?: Clock;
  /** Reaches the subscribers of other nodes. Without it the feed is limited to this node. */
  adapter?: LiveAdapter;
}

/**
 * The live event feed: socket.io namespace `/live`, `auth: { apiKey }`, event name `event` with the envelope and its delivery as arguments,
 * once per delivery id. An account receives its own events only. [architecture §8]
 *
 * Delivery is best effort. A subscriber that passes `since` gets a catch-up from the delivery log: `catching_up`, then an `event` or
 * `logged` each, then `caught_up`. A connection ends if it leaves 4 MB unread, if its account holds most when all leave 64 MB unread, or if
 * it sends more than 60 frames at once and 2 per second after that. A rejection is a `connect_error` with `data.code` `unauthorized`,
 * `scope_missing`, `too_many` or `unavailable`. Call `close` before the server's close, which would wait for open feed connections.
 */
export function makeLiveFeed(options: LiveFeedOptions): LiveFeed & { close(): Promise<void> } {
  return new SocketIoFeed(options);
}

class SocketIoFeed implements LiveFeed {
  readonly #options: LiveFeedOptions;
  #opening: Promise<Subscribers> | null = null;
  #subscribers: Subscribers | null = null;
  #isClosed = false;
  /** Ids of recently published deliveries. For an event without a webhook there is no other record of its publication. */
  readonly #recent = lruCache<true>(maxRecent);

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    options.adapter?.onReconnect((since) => this.#subscribers?.catchUpAll(since));
    options.adapter?.onRemoteEvent((accountId, event) => this.#subscribers?.publishRemote(accountId, event));
    mount(options.server, [below, streamPath], {
      request: (request, response) => {
        this.#dispatch(
          () => response.writeHead(503).end(),
          (subscribers) => {
            if (request.url?.startsWith(streamPath) !== true)
              return subscribers.dispatch('request', request, response);
            subscribers.stream(request, response).catch((error: unknown) => {
              this.#options.log.warn({ error: asError(error) }, 'live.stream-failed');
              response.destroy();
            });
          },
        );
      },
      upgrade: (request, socket, head) => {
        this.#dispatch(
          () => socket.destroy(),
          (subscribers) => subscribers.dispatch('upgrade', request, socket, head),
        );
      },
    });
  }

  /** On a single node, whether the account has subscribers; in a cluster, whether there were any recently. */
  hasSubscribers(accountId: string): boolean {
    const { adapter } = this.#options;
    if (this.#subscribers === null) return adapter?.hasSubscribers() === true;
    return adapter !== undefined || this.#subscribers.has(accountId);
  }

  publish(accountId: string, event: LiveEvent): void {
    const { adapter } = this.#options;
    const subscribers = this.#subscribers;
    if (!this.hasSubscribers(accountId) || this.#isRepeated(event.deliveryId)) return;
    const { clock = systemClock } = this.#options;
    const signatures = event.sign(Math.floor(clock.wall() / 1_000));
    const delivery = liveDeliveryOf(event.deliveryId, toIso(clock.now()), signatures);
    if (subscribers !== null) subscribers.publish(accountId, event.envelope, delivery);
    else if (!this.#isClosed) adapter?.publish(accountId, event.envelope, delivery);
  }

  #isRepeated(id: string): boolean {
    if (this.#recent.get(id) === true) return true;
    this.#recent.set(id, true);
    return false;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#opening)?.close();
  }

  #dispatch(refuse: () => void, use: (subscribers: Subscribers) => void): void {
    if (this.#isClosed) return refuse();
    if (this.#subscribers !== null) return use(this.#subscribers);
    this.#open().then(use, (error: unknown) => {
      this.#options.log.error({ error: asError(error) }, 'live.open-failed');
      refuse();
    });
  }

  #open(): Promise<Subscribers> {
    const { clock = systemClock, adapter } = this.#options;
    this.#opening ??= Subscribers.open({ ...this.#options, clock, adapter: adapter?.adapter }).then(
      (subscribers) => {
        this.#subscribers = subscribers;
        return subscribers;
      },
    );
    return this.#opening;
  }
}
