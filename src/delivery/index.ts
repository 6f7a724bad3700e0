import type { WebhookPost, WebhookPoster, WebhookResult } from '../rules/outside.ts';
import type { Sealer } from '../kernel/sealed.ts';
import { sleep } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Networks } from '../rules/address.ts';
import type { TranscribedAttempt } from '../rules/webhooks/transcript.ts';
import { asError } from '../kernel/faults.ts';
import { Semaphore } from '../kernel/semaphore.ts';
import { hostsLookup, makeDnsLookup, ownListeners } from './dial.ts';
import type { Lookup } from './dial.ts';
import { Attempt, makeResult } from './attempt.ts';
import type { Outcome } from './attempt.ts';
import { Deadlines } from './deadlines.ts';
import { Headers } from './headers.ts';
import { openOriginPools } from './origin-pools.ts';
import type { OriginPools } from './origin-pools.ts';
import { Targets } from './targets.ts';
import { transcribe } from './transcript.ts';

export interface WebhookPosterOptions {
  /** Covers everything from the name lookup to the last byte of the body. */
  timeoutMs: number;
  /** Permits `http:`, loopback and private addresses. Development and tests only. */
  allowInsecure: boolean;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  /** Private networks in which receivers may be. */
  allowedNetworks: Networks;
  /** This service's own origins, as URLs: a POST to one of them would be a loop. [faults: 90] */
  ownOrigins: readonly string[];
  /** Ports of this machine that this process listens on. */
  ownPorts: readonly number[];
  lookup?: Lookup;
  /** Concurrent POSTs; further ones wait. */
  maxInFlight?: number;
  /**
   * How many of these may go to failing receivers: such receivers may hang, and other receivers must not wait for them. [faults: 65, 98]
   */
  maxFailing?: number;
  /** Receives request and answer of each failed attempt, and of others if the post asks for it. Must not throw. */
  transcribed?: (attempt: TranscribedAttempt) => void;
  /** Called after each attempt. Must not throw. */
  attempted?: (post: WebhookPost, result: WebhookResult, ms: number) => void;
  /** CA certificates (PEM) that replace the system's. */
  ca?: string;
}

interface WebhookPosterStats {
  inFlight: number;
  waiting: number;
}

type ClosableWebhookPoster = WebhookPoster & {
  /** Loads what a POST needs, so that the first POST does not wait for it. */
  prepare(): Promise<void>;
  close(withinMs?: number): Promise<void>;
  stats(): WebhookPosterStats;
};

/**
 * POSTs a delivery once: follows no redirect, verifies TLS, checks the dialled address. Never throws. `close` waits for POSTs in flight,
 * `withinMs` at most (default `timeoutMs`); a post after `close` fails with reason `busy`. [spec: Delivery and retry, Authentication 7;
 * architecture §6.9; faults: 54-61]
 */
export function makeWebhookPoster(options: WebhookPosterOptions): ClosableWebhookPoster {
  return new Poster(options);
}

class Poster implements ClosableWebhookPoster {
  readonly #options: WebhookPosterOptions;
  readonly #targets: Targets;
  readonly #deadlines: Deadlines;
  readonly #slots: Semaphore;
  readonly #failingSlots: Semaphore;
  readonly #headers: Headers;
  #opening: Promise<OriginPools> | null = null;
  #origins: OriginPools | null = null;

  constructor(options: WebhookPosterOptions) {
    this.#options = options;
    this.#targets = new Targets(options, options.ownOrigins);
    this.#deadlines = new Deadlines(options.clock);
    this.#headers = new Headers(options.sealer);
    this.#slots = new Semaphore(options.maxInFlight ?? 2_048);
    this.#failingSlots = new Semaphore(options.maxFailing ?? 1_024);
  }

  post(post: WebhookPost): Promise<WebhookResult> {
    return post.isFailing ? this.#postFailing(post) : this.#postInTurn(post);
  }

  async #postFailing(post: WebhookPost): Promise<WebhookResult> {
    if (!(await this.#failingSlots.take())) return busy;
    try {
      return await this.#postInTurn(post);
    } finally {
      this.#failingSlots.free();
    }
  }

  /** Fast path: nearly every POST finds a free slot and open origins, and costs one promise. */
  #postInTurn(post: WebhookPost): Promise<WebhookResult> {
    const place = this.#slots.take();
    if (place === true && this.#origins !== null) return this.#attempt(post, this.#origins);
    return this.#postLater(post, place);
  }

  async #postLater(post: WebhookPost, place: boolean | Promise<boolean>): Promise<WebhookResult> {
    if (!(await place)) return busy;
    let origins: OriginPools;
    try {
      origins = await this.#open();
    } catch (error) {
      this.#tellBroken(post, error);
      return this.#conclude({ ok: false, status: null, cause: 'connection' });
    }
    return this.#attempt(post, origins);
  }

  async prepare(): Promise<void> {
    await this.#open();
  }

  stats(): WebhookPosterStats {
    return {
      inFlight: this.#slots.taken,
      waiting: this.#slots.waiting + this.#failingSlots.waiting,
    };
  }

  async close(withinMs = this.#options.timeoutMs): Promise<void> {
    const isFree = Promise.all([this.#failingSlots.close(), this.#slots.close()]);
    await Promise.race([isFree, sleep(this.#options.clock, withinMs)]);
    this.#deadlines.stop();
    await (await this.#opening)?.destroy();
  }

  /** The caller has taken a slot for the post; `#conclude` frees it when the attempt ends. */
  #attempt(post: WebhookPost, origins: OriginPools): Promise<WebhookResult> {
    return new Promise((resolve) => {
      const expiresAt = this.#options.clock.monotonic() + this.#options.timeoutMs;
      const attempt = new Attempt(expiresAt, post.logged?.channel.keepAnswers === true, (ended, outcome) => {
        this.#deadlines.remove(ended);
        if (!outcome.ok || post.logged?.channel.keepAnswers === true)
          this.#transcribe(post, ended, outcome.ok);
        const result = this.#conclude(outcome);
        this.#tellAttempted(post, result, expiresAt);
        resolve(result);
      });
      this.#deadlines.add(attempt);
      try {
        this.#dispatch(post, attempt, origins);
      } catch (error) {
        this.#tellBroken(post, error);
        attempt.refuse('connection');
      }
    });
  }

  #dispatch(post: WebhookPost, attempt: Attempt, origins: OriginPools): void {
    const target = this.#targets.of(post.url);
    if (target === 'url' || target === 'loop') return attempt.refuse(target);
    const headers = this.#headers.of(post, this.#options.clock.wall());
    if (headers === null) return attempt.refuse('secret');
    const { origin, path } = target;
    attempt.sent = headers;
    origins.pool(origin).dispatch({ path, method: 'POST', headers, body: post.body }, attempt);
  }

  #open(): Promise<OriginPools> {
    const { allowInsecure, allowedNetworks: networks, ownPorts, clock, timeoutMs, ca } = this.#options;
    const lookup = this.#options.lookup ?? (allowInsecure ? hostsLookup : makeDnsLookup());
    const rules = { allowInsecure, networks, own: ownListeners(ownPorts) };
    this.#opening ??= openOriginPools({ lookup, rules, clock, timeoutMs, ca }).then((origins) => {
      this.#origins = origins;
      return origins;
    });
    return this.#opening;
  }

  #transcribe(post: WebhookPost, attempt: Attempt, isTaken: boolean): void {
    const { logged, channelId, deliveryId } = post;
    if (logged === undefined || this.#options.transcribed === undefined) return;
    const { channel, startedAt } = logged;
    try {
      const transcript = transcribe(post, attempt);
      this.#options.transcribed({
        accountId: channel.accountId,
        channelId,
        deliveryId,
        startedAt,
        isTaken,
        transcript,
      });
    } catch (error) {
      // An attempt ends in callbacks of sockets and timers: the answer is not kept, its outcome counts. [faults: 335]
      this.#tellBroken(post, error);
    }
  }

  #tellAttempted(post: WebhookPost, result: WebhookResult, expiresAt: number): void {
    const { attempted, clock, timeoutMs } = this.#options;
    if (attempted !== undefined) attempted(post, result, clock.monotonic() - (expiresAt - timeoutMs));
  }

  #tellBroken(post: WebhookPost, error: unknown): void {
    this.#options.log.error({ ...pickIds(post), error: asError(error) }, 'webhook.broken');
  }

  /** Frees the post's slot. */
  #conclude(outcome: Outcome): WebhookResult {
    this.#slots.free();
    return makeResult(outcome);
  }
}

/** No slot was free: nothing was sent. */
const busy: WebhookResult = { ok: false, status: null, reason: 'busy' };

function pickIds(post: WebhookPost): Record<string, unknown> {
  const { deliveryId, channelId, attempt, requestId } = post;
  return { delivery: deliveryId, channel: channelId, attempt, request_id: requestId };
}
