import type { IncomingMessage, Server } from 'node:http';
import type { ServerOptions } from 'socket.io';
import type { LiveEvent, LiveFeed } from '../../../actors/channel/ports/outside.ts';
import type { Envelope } from '../../domain/events/built.ts';
import { toIso, systemClock } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { asError } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { mount, isHandshake } from './mount.ts';
import type { LiveDelivery } from './live-delivery.ts';
import type { Missed } from './catch-up.ts';
import type { Credential } from './credential.ts';
import { RecentDeliveries } from './recent-deliveries.ts';
import { Subscribers, livePath } from './subscribers.ts';

import type { ConnectionAttempt } from './admission.ts';

export type { Credential } from './credential.ts';
export { livePath } from './subscribers.ts';

const below = `${livePath}/`;

/** Whether a request opens a live feed: the one upgrade that the public server takes up. */
export function isLiveHandshake(request: IncomingMessage): boolean {
  return isHandshake(request, below);
}

/** Carries the feed between nodes. */
export interface LiveAdapter {
  /** For subscribers of this node. */
  adapter: ServerOptions['adapter'];
  /** False while there was no subscriber of late: then a publish is not worth its preparation. */
  hasSubscribers(): boolean;
  /** From a node that nobody has connected to: without loading socket.io. Never throws. */
  publish(accountId: string, envelope: Envelope, delivery: LiveDelivery): void;
  /** Tells when events of other nodes arrive again, and since when (ms) they did not. */
  onReconnect(tell: (since: number) => void): void;
  /** Tells of each event of other nodes for subscribers of this one: the arguments of `publish`, or what is none. */
  onRemoteEvent(tell: (accountId: string, event: readonly unknown[]) => void): void;
}

export interface LiveFeedOptions {
  /** The public server; the feed answers below `/live/socket.io` of it. */
  server: Server;
  /** null: unknown, revoked or ended. Asked every 5 s of whoever was let in, and at a connection unless `admit` is given. */
  authenticate(shown: Credential): Promise<{ accountId: string } | null>;
  /** As `authenticate`, for a new connection, which may be guessing secrets: throws Fault 429 when there are too many. */
  admit?: (shown: Credential, attempt: ConnectionAttempt) => Promise<{ accountId: string } | null>;
  /** The secret of the session of a page of ours; null: the request carries none. */
  sessionIn?: (request: IncomingMessage) => string | null;
  /** What an account's subscribers have missed since a time (ms). Without it nothing comes again. */
  missed?: Missed;
  log: Log;
  clock?: Clock;
  /** With it other nodes' subscribers are reached too. */
  adapter?: LiveAdapter;
}

/**
 * The live event feed: socket.io namespace `/live`, `auth: { apiKey }`, event name `event`, the envelope and its delivery as
 * arguments, once for each delivery id. An
 * account sees its own events only. Best effort as they come; who gives `since` is sent again what the delivery log has of the time
 * from then on: `catching_up`, `event` or `logged` for each, `caught_up`. A subscriber that leaves 4 MB unread is dropped,
 * and so is one of the account that holds most where all leave 64 MB, and who sends more than 60 frames at once, then two a second. A refused connection is a `connect_error` with `data.code` `unauthorized`, `too_many` or
 * `unavailable`. Close it before waiting for the server to close: open feeds are connections. [architecture §8]
 */
export function makeLiveFeed(options: LiveFeedOptions): LiveFeed & { close(): Promise<void> } {
  return new SocketIoFeed(options);
}

class SocketIoFeed implements LiveFeed {
  readonly #options: LiveFeedOptions;
  #opening: Promise<Subscribers> | null = null;
  #subscribers: Subscribers | null = null;
  #isClosed = false;
  readonly #recent = new RecentDeliveries();

  constructor(options: LiveFeedOptions) {
    this.#options = options;
    options.adapter?.onReconnect((since) => this.#subscribers?.catchUpAll(since));
    options.adapter?.onRemoteEvent((accountId, event) => this.#subscribers?.publishRemote(accountId, event));
    mount(options.server, below, {
      request: (request, response) => {
        this.#dispatch(
          () => response.writeHead(503).end(),
          (subscribers) => subscribers.dispatch('request', request, response),
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

  /** Alone, a node knows its subscribers. With others, whether there were any of late. */
  hasSubscribers(accountId: string): boolean {
    const { adapter } = this.#options;
    if (this.#subscribers === null) return adapter?.hasSubscribers() === true;
    return adapter !== undefined || this.#subscribers.has(accountId);
  }

  publish(accountId: string, event: LiveEvent): void {
    const { adapter } = this.#options;
    const subscribers = this.#subscribers;
    if (!this.hasSubscribers(accountId) || !this.#recent.addIfNew(event.deliveryId)) return;
    const at = toIso((this.#options.clock ?? systemClock).now());
    const delivery = { webhook_id: event.deliveryId, signature: event.sign(), at };
    if (subscribers !== null) subscribers.publish(accountId, event.envelope, delivery);
    else if (!this.#isClosed) adapter?.publish(accountId, event.envelope, delivery);
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
