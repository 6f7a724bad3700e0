import type { WebhookPost, WebhookPoster, WebhookResult } from '../../../actors/channel/ports/outside.ts';
import type { Sealer } from '../../domain/accounts/sealed.ts';
import { sleep } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Networks } from '../../domain/webhooks/networks.ts';
import type { TranscribedAttempt } from '../../domain/webhooks/transcript.ts';
import { asError } from '../../kernel/faults.ts';
import { Semaphore } from '../../kernel/semaphore.ts';
import { Attempt, makeResult } from './attempt.ts';
import type { Outcome } from './attempt.ts';
import { Deadlines } from './deadlines.ts';
import { hostsLookup, makeDnsLookup } from '../outgoing/dial.ts';
import type { Lookup } from '../outgoing/dial.ts';
import { Headers } from './headers.ts';
import type { Origins } from './origins.ts';
import { ownListeners } from '../outgoing/own-listeners.ts';
import { Targets } from './targets.ts';
import { writeTranscript } from './transcript.ts';
import { openOrigins } from './wire.ts';

export interface WebhookPosterOptions {
  /** Over everything from the name to the last byte of the body. */
  timeoutMs: number;
  /** Permits `http:`, loopback and private addresses. Development and tests only. */
  allowInsecure: boolean;
  sealer: Sealer;
  clock: Clock;
  log: Log;
  /** Private networks that receivers may live in. */
  allowedNetworks: Networks;
  /** Our own addresses, as URLs: a POST there is a loop. [faults: 90] */
  ownOrigins: readonly string[];
  /** Of this machine, that we listen on. */
  ownPorts: readonly number[];
  lookup?: Lookup;
  /** POSTs on the wire at once; more of them wait in line. */
  maxInFlight?: number;
  /** Of these, how many may go to failing receivers at once: they may hang, and others must not wait for them. [faults: 65, 98] */
  maxFailing?: number;
  /** Told what was sent and answered in an attempt that failed, and in others where the post asks for it. Must not throw. */
  transcribed?: (attempt: TranscribedAttempt) => void;
  /** Certificates (PEM) trusted in place of the system's. */
  ca?: string;
}

interface WebhookPosterStats {
  inFlight: number;
  waiting: number;
  origins: number;
  delivered: number;
  failed: number;
}

type ClosableWebhookPoster = WebhookPoster & {
  /** Loads what a POST needs, so that the first one does not wait for it. */
  prepare(): Promise<void>;
  close(withinMs?: number): Promise<void>;
  stats(): WebhookPosterStats;
};

/**
 * POSTs one delivery, once: no redirect followed, TLS verified, the dialled address checked. Never throws.
 * `close` lets what is in flight end, within the time given (else `timeoutMs`); a post after it fails with reason `busy`.
 * [spec: Delivery and retry, Authentication 7; architecture §6.9; faults: 54-61]
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
  #opening: Promise<Origins> | null = null;
  #origins: Origins | null = null;
  #delivered = 0;
  #failed = 0;

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

  /** Nearly every POST finds a free place and an open wire, and costs one promise. */
  #postInTurn(post: WebhookPost): Promise<WebhookResult> {
    const place = this.#slots.take();
    if (place === true && this.#origins !== null) return this.#attempt(post, this.#origins);
    return this.#postLater(post, place);
  }

  async #postLater(post: WebhookPost, place: boolean | Promise<boolean>): Promise<WebhookResult> {
    if (!(await place)) return busy;
    let origins: Origins;
    try {
      origins = await this.#open();
    } catch (error) {
      this.#tellBroken(post, error);
      return this.#conclude(post, { ok: false, status: null, cause: 'connection' });
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
      origins: this.#origins?.size ?? 0,
      delivered: this.#delivered,
      failed: this.#failed,
    };
  }

  async close(withinMs = this.#options.timeoutMs): Promise<void> {
    const isFree = Promise.all([this.#failingSlots.close(), this.#slots.close()]);
    await Promise.race([isFree, sleep(this.#options.clock, withinMs)]);
    this.#deadlines.stop();
    await (await this.#opening)?.destroy();
  }

  /** Called with a place taken for the post; the place is free again when the attempt has ended. */
  #attempt(post: WebhookPost, origins: Origins): Promise<WebhookResult> {
    return new Promise((resolve) => {
      const expiresAt = this.#options.clock.monotonic() + this.#options.timeoutMs;
      const attempt = new Attempt(expiresAt, post.logged?.keepAnswers === true, (ended, outcome) => {
        this.#deadlines.remove(ended);
        if (!outcome.ok || post.logged?.keepAnswers === true) this.#transcribe(post, ended, outcome.ok);
        resolve(this.#conclude(post, outcome));
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

  #dispatch(post: WebhookPost, attempt: Attempt, origins: Origins): void {
    const target = this.#targets.of(post.url);
    if (target === 'url' || target === 'loop') return attempt.refuse(target);
    const headers = this.#headers.of(post, this.#options.clock.now());
    if (headers === null) return attempt.refuse('secret');
    const { origin, path } = target;
    attempt.sent = headers;
    origins.pool(origin).dispatch({ path, method: 'POST', headers, body: post.body }, attempt);
  }

  #open(): Promise<Origins> {
    const { allowInsecure, allowedNetworks: networks, ownPorts, clock, timeoutMs, ca } = this.#options;
    const lookup = this.#options.lookup ?? (allowInsecure ? hostsLookup : makeDnsLookup());
    const rules = { allowInsecure, networks, own: ownListeners(ownPorts) };
    this.#opening ??= openOrigins({ lookup, rules, clock, timeoutMs, ca }).then((origins) => {
      this.#origins = origins;
      return origins;
    });
    return this.#opening;
  }

  #transcribe(post: WebhookPost, attempt: Attempt, isTaken: boolean): void {
    const { logged, channelId, deliveryId } = post;
    if (logged === undefined || this.#options.transcribed === undefined) return;
    const { accountId, startedAt } = logged;
    const transcript = writeTranscript(post, attempt);
    this.#options.transcribed({ accountId, channelId, deliveryId, startedAt, isTaken, transcript });
  }

  #tellBroken(post: WebhookPost, error: unknown): void {
    this.#options.log.error({ ...pickIds(post), error: asError(error) }, 'webhook.broken');
  }

  /** The place is free again. */
  #conclude(post: WebhookPost, outcome: Outcome): WebhookResult {
    this.#slots.free();
    if (outcome.ok) this.#delivered += 1;
    else {
      this.#failed += 1;
      // The actor logs the attempt; this line is the only place where an operator reads the true cause. [faults: 58]
      this.#options.log.info(
        { ...pickIds(post), cause: outcome.cause, status: outcome.status },
        'webhook.failed',
      );
    }
    return makeResult(outcome);
  }
}

/** No place on the wire: nothing was tried. */
const busy: WebhookResult = { ok: false, status: null, reason: 'busy' };

function pickIds(post: WebhookPost): Record<string, unknown> {
  const { deliveryId, channelId, attempt, requestId } = post;
  return { deliveryId, channelId, attempt, request_id: requestId };
}
