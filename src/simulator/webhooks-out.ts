import { Ledger } from './ledger.ts';
import { Poster } from './poster.ts';
import type { Settings, SignatureKind } from './settings.ts';
import { envelopeText, signatureHeaders } from './signing.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** One POST in the ledger; CONTROL.md explains the members. */
export type WebhookPost = {
  n: number;
  readonly at: number;
  readonly object: string;
  readonly kinds: readonly string[];
  readonly url: string;
  readonly body: string;
  readonly signature: SignatureKind;
  readonly answers: number[];
  outcome: 'waiting' | 'delivered' | 'given_up' | 'dropped';
};

/** Scripted treatment of POSTs that contain a matching event. With `times` 0 it applies without limit. */
export type WebhookRule = {
  readonly object: string | undefined;
  readonly kind: string | undefined;
  readonly times: number;
  readonly delayMs: number | undefined;
  readonly duplicate: number | undefined;
  readonly signature: SignatureKind | undefined;
  readonly drop: boolean;
  fired: number;
};

/** A POST that is sent again at `at`, unix ms of the simulator's clock. */
type Repeat = { readonly at: number; readonly waiting: QueuedPost; timer: NodeJS.Timeout | undefined };

/** One POST holds no more updates [upstream protocol 1.6]. */
const mostUpdates = 1000;

type QueuedPost = { readonly post: WebhookPost; readonly events: readonly WebhookEvent[] };

/**
 * Webhooks from event to answer. An event is held, collected into a batch, or becomes a POST at once; at most `webhook_concurrency` POSTs
 * are in flight, and each is retried by the schedule until it is answered 200 [upstream protocol 1.6].
 */
export class WebhooksOut {
  readonly ledger: Ledger<WebhookPost>;
  readonly rules: WebhookRule[] = [];
  delivered = 0;
  waiting = 0;
  givenUp = 0;
  readonly #app: { readonly id: string; readonly secret: string };
  readonly #settings: Settings;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #repeats = new Set<Repeat>();
  readonly #now: () => number;
  readonly #poster = new Poster();
  #held: WebhookEvent[] | null = null;
  #batches = new Map<string, WebhookEvent[]>();
  #queue: QueuedPost[] = [];
  #inFlight = 0;
  #era = 0;

  constructor(
    app: { readonly id: string; readonly secret: string },
    settings: Settings,
    ledgerLimit: number,
    now: () => number,
  ) {
    this.#now = now;
    this.#app = app;
    this.#settings = settings;
    this.ledger = new Ledger(ledgerLimit);
  }

  emit(event: WebhookEvent): void {
    if (this.#held) this.#held.push(event);
    else if (this.#settings.batch > 1) this.#gather(event);
    else this.post([event]);
  }

  hold(): void {
    this.#held ??= [];
  }

  isHolding(): boolean {
    return this.#held !== null;
  }

  held(): readonly WebhookEvent[] {
    return this.#held ?? [];
  }

  /** Releases the held events in the given order, `batch` to a POST. Returns the number of events. */
  flush(order: 'fifo' | 'reverse' | 'shuffle', batch: number, duplicate: number, keep: boolean): number {
    const events = ordered(this.#held ?? [], order);
    this.#held = keep ? [] : null;
    for (let copy = 0; copy <= duplicate; copy += 1) {
      for (const group of groupsOf(events, Math.min(batch, mostUpdates))) this.post(group);
    }
    return events.length;
  }

  /** What `act` emits is sent in as few POSTs as the platform would use. */
  together(act: () => void): void {
    if (this.#held) return act();
    this.#held = [];
    act();
    this.flush('fifo', mostUpdates, 0, false);
  }

  /** Sends the events, all of one object and URL, as one POST, subject to settings and rules. */
  post(events: readonly WebhookEvent[]): void {
    const [first] = events;
    if (!first) return;
    const rule = this.#rule(events);
    const body = envelopeText(events, this.#settings);
    const kinds = events.map((event) => event.kind);
    const signature = rule?.signature ?? this.#settings.signature;
    const copies = 1 + (rule?.duplicate ?? this.#settings.duplicate);
    for (let copy = 0; copy < copies; copy += 1) {
      // Only the first copy reports to the events, so that each is settled once.
      const reporting = copy === 0 ? events : [];
      this.enter({ object: first.object, kinds, url: first.url, body, signature }, reporting, rule);
    }
  }

  /** Adds a POST with a ready body to the ledger and sends it. */
  enter(
    fresh: Pick<WebhookPost, 'object' | 'kinds' | 'url' | 'body' | 'signature'>,
    events: readonly WebhookEvent[] = [],
    rule?: WebhookRule,
  ): WebhookPost {
    const post: WebhookPost = {
      ...fresh,
      n: this.ledger.total,
      at: Date.now(),
      answers: [],
      outcome: 'waiting',
    };
    this.ledger.add(post);
    if (rule?.drop) {
      post.outcome = 'dropped';
      for (const event of events) event.answered?.(0);
      for (const event of events) event.settled?.(0);
      return post;
    }
    this.waiting += 1;
    const delayMs = rule?.delayMs ?? this.#settings.delay_ms;
    if (delayMs > 0) this.#later(delayMs, () => this.#enqueue({ post, events }));
    else this.#enqueue({ post, events });
    return post;
  }

  /** Drops pending webhooks; answers to POSTs in flight are ignored. */
  reset(): void {
    this.#era += 1;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    for (const { timer } of this.#repeats) clearTimeout(timer);
    this.#repeats.clear();
    this.#held = null;
    this.#batches.clear();
    this.#queue = [];
    this.rules.length = 0;
    this.delivered = 0;
    this.waiting = 0;
    this.givenUp = 0;
    this.ledger.clear();
  }

  async close(): Promise<void> {
    this.reset();
    await this.#poster.close();
  }

  #gather(event: WebhookEvent): void {
    const key = `${event.object} ${event.url}`;
    const batch = this.#batches.get(key);
    if (!batch) {
      this.#batches.set(key, [event]);
      this.#later(this.#settings.batch_ms, () => this.#closeBatch(key));
    } else if (batch.push(event) >= this.#settings.batch) this.#closeBatch(key);
  }

  #closeBatch(key: string): void {
    const batch = this.#batches.get(key);
    this.#batches.delete(key);
    if (batch) this.post(batch);
  }

  #rule(events: readonly WebhookEvent[]): WebhookRule | undefined {
    if (this.rules.length === 0) return undefined;
    const rule = this.rules.find(
      (candidate) =>
        (candidate.times === 0 || candidate.fired < candidate.times) &&
        events.some((event) => matches(candidate, event)),
    );
    if (rule) rule.fired += 1;
    return rule;
  }

  #enqueue(waiting: QueuedPost): void {
    this.#queue.push(waiting);
    this.#pump();
  }

  #pump(): void {
    while (this.#inFlight < this.#settings.webhook_concurrency) {
      const waiting = this.#queue.shift();
      if (!waiting) return;
      this.#inFlight += 1;
      this.#attempt(waiting);
    }
  }

  #attempt(waiting: QueuedPost): void {
    const era = this.#era;
    const { url, body, signature, object } = waiting.post;
    const { instagram_secret: own } = this.#settings;
    // [upstream protocol 1.5] The Instagram product can have a secret of its own.
    const secret = object === 'instagram' && own !== null ? own : this.#app.secret;
    const headers = signatureHeaders(body, signature, secret);
    // No answer counts as an answer: it is recorded as 0 and retried like any other refusal.
    this.#poster.post(url, headers, body, this.#settings.webhook_timeout_ms, (answer) => {
      this.#inFlight -= 1;
      if (era === this.#era) this.#answered(waiting, answer);
      this.#pump();
    });
  }

  #answered({ post, events }: QueuedPost, answer: number): void {
    post.answers.push(answer);
    for (const event of events) event.answered?.(answer);
    const pause = this.#settings.retry_schedule_ms[post.answers.length - 1];
    if (answer !== 200 && pause !== undefined) {
      this.#again(pause, { post, events });
    } else {
      post.outcome = answer === 200 ? 'delivered' : 'given_up';
      this.waiting -= 1;
      if (answer === 200) this.delivered += 1;
      else this.givenUp += 1;
      for (const event of events) event.settled?.(answer);
    }
    this.ledger.wake();
  }

  /** Repeats follow the simulator's clock, because some come after days. */
  #again(pauseMs: number, waiting: QueuedPost): void {
    this.#arm({ at: this.#now() + pauseMs, waiting, timer: undefined });
  }

  #arm(repeat: Repeat): void {
    clearTimeout(repeat.timer);
    this.#repeats.add(repeat);
    repeat.timer = setTimeout(
      () => {
        this.#repeats.delete(repeat);
        this.#enqueue(repeat.waiting);
      },
      Math.max(0, repeat.at - this.#now()),
    );
  }

  /** The clock was moved: repeats that are due now are sent. */
  clockMoved(): void {
    for (const repeat of this.#repeats) this.#arm(repeat);
  }

  #later(ms: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      act();
    }, ms);
    this.#timers.add(timer);
  }
}

function matches(rule: WebhookRule, event: WebhookEvent): boolean {
  const isKind = rule.kind === undefined || rule.kind === event.kind || rule.kind === event.field;
  return isKind && (rule.object === undefined || rule.object === event.object);
}

function ordered(
  events: readonly WebhookEvent[],
  order: 'fifo' | 'reverse' | 'shuffle',
): readonly WebhookEvent[] {
  if (order === 'fifo') return events;
  if (order === 'reverse') return events.toReversed();
  const placed = events.map((event) => ({ event, place: Math.random() }));
  return placed.toSorted((left, right) => left.place - right.place).map(({ event }) => event);
}

/** Groups of at most `size` events that may share a POST: same object, same URL. */
function groupsOf(events: readonly WebhookEvent[], size: number): WebhookEvent[][] {
  const groups: WebhookEvent[][] = [];
  for (const event of events) {
    const last = groups.at(-1);
    const fits = last && last.length < size && last[0]?.object === event.object && last[0].url === event.url;
    if (fits) last.push(event);
    else groups.push([event]);
  }
  return groups;
}
