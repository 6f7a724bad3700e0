/**
 * One live actor, from load to end:
 *
 *   loading ── state loaded ──▶ live ── drain() ──▶ draining ── nothing in flight ──▶ gone
 *      │                          │                                                  ▲
 *      └── load failed ───────────┴── fenced ────────────────────────────────────────┘
 *
 * `loading`: messages wait in the mailbox. `live`: every message is a turn. `draining`: turns continue, so that what is in flight is
 * recorded, but the actor claims nothing and rejects asks from outside. `gone`: nothing happens any more; open asks are rejected with
 * `ActivationGone`, and their senders find the next owner.
 */
import assert from 'node:assert';
import { FencedError, asError, fault } from '../../src/kernel/faults.ts';
import { SparseMap } from '../../src/kernel/sparse-map.ts';
import type { Figures } from '../../src/kernel/metrics.ts';
import type { ActorKind, Work, OwnershipGrant } from './actor.ts';
import { Mailbox } from './mailbox.ts';

type Stage = 'loading' | 'live' | 'draining' | 'gone';

/** The activation ended before it answered: only the store shows whether it acted. */
export class ActivationGone extends Error {
  override readonly name = 'ActivationGone';
  /** True when no turn has seen the message: the next owner can be asked without a duplicate effect. */
  readonly untouched: boolean;

  constructor(why: string, untouched: boolean) {
    super(why);
    this.untouched = untouched;
  }
}

interface Asker {
  resolve(reply: unknown): void;
  reject(error: Error): void;
}

interface Letter<Message> {
  message: Message;
  ask: number | null;
}

/** Shared by every activation of a host, so that an idle activation costs no closure. */
export interface ActivationEvents {
  /** Sets the alarm of the actor (wall ms); null cancels it. */
  wakeAt(key: string, at: number | null): void;
  /** The activation has ended; `error` is null after a drain. */
  gone(ended: { readonly key: string }, error: Error | null): void;
  now(): number;
}

/** Effects get the activation itself as their `Work`, which saves closures, too. */
export class Activation<State, Message, Effect> implements Work<Message> {
  readonly key: string;
  readonly grant: OwnershipGrant;
  readonly #kind: ActorKind<State, Message, Effect>;
  readonly #events: ActivationEvents;
  readonly #capacity: number;
  /** null when empty, as it is between turns. */
  #mailbox: Mailbox<Letter<Message>> | null = null;
  /** null when empty, as the mailbox. */
  #askers: SparseMap<number, Asker> | null = null;
  #stage: Stage = 'loading';
  #state: State | null = null;
  #inTurn = false;
  #nextAsk = 1;
  #performing = 0;
  #drained: (() => void)[] | null = null;
  /** Wall ms of the last message, for eviction. */
  lastUsedAt: number;

  constructor(
    key: string,
    grant: OwnershipGrant,
    kind: ActorKind<State, Message, Effect>,
    events: ActivationEvents,
    capacity: number,
  ) {
    this.key = key;
    this.grant = grant;
    this.#kind = kind;
    this.#events = events;
    this.#capacity = capacity;
    this.lastUsedAt = events.now();
  }

  get stage(): Stage {
    return this.#stage;
  }

  get isIdle(): boolean {
    return (
      this.#stage === 'live' &&
      this.#performing === 0 &&
      this.#askers === null &&
      this.#mailbox === null &&
      this.#state !== null &&
      this.#kind.isIdle(this.#state)
    );
  }

  get figures(): Figures {
    return (this.#state === null ? null : this.#kind.figures?.(this.#state, this.#events.now())) ?? {};
  }

  async load(): Promise<void> {
    assert(this.#stage === 'loading', 'load() is the first thing an activation does');
    try {
      const state = await this.#kind.load(this.key, this.grant);
      if (this.stage === 'gone') return this.#kind.ended?.(state); // closed while loading
      this.#state = state;
      this.#stage = 'live';
      this.#run();
      this.#arm();
    } catch (error) {
      this.close(asError(error));
    }
  }

  ask(message: Message): Promise<unknown> {
    if (this.#stage === 'draining' || this.#stage === 'gone') {
      return Promise.reject(new ActivationGone('the actor is moving to another owner', true));
    }
    if (this.#mailbox !== null && this.#mailbox.isFull) return Promise.reject(fault('overloaded'));
    const ask = this.#nextAsk;
    this.#nextAsk += 1;
    return new Promise((resolve, reject) => {
      this.#askers ??= new SparseMap();
      this.#askers.set(ask, { resolve, reject });
      this.#post(message, ask);
    });
  }

  tell(message: Message): void {
    if (this.#stage === 'gone') return;
    this.#post(message, null);
  }

  ring(): void {
    if (this.#stage === 'gone') return;
    this.report(this.#kind.alarm);
    this.#arm();
  }

  /** Resolves when nothing is in flight and the activation is gone. */
  drain(): Promise<void> {
    if (this.#stage === 'gone') return Promise.resolve();
    const done = new Promise<void>((resolve) => (this.#drained ??= []).push(resolve));
    if (this.#stage === 'loading') {
      this.close(null);
    } else if (this.#stage === 'live') {
      this.#stage = 'draining';
      this.report(this.#kind.drain);
      this.#closeWhenQuiet();
    }
    return done;
  }

  /** Ends at once and forgets everything: fenced, failed to load, or out of time. */
  close(error: Error | null): void {
    if (this.#stage === 'gone') return;
    const untouched = new Set(this.#mailbox?.drain().map((letter) => letter.ask));
    this.#mailbox = null;
    this.#stage = 'gone';
    if (this.#state !== null) this.#kind.ended?.(this.#state);
    this.#state = null;
    const why = error === null ? 'the actor moved to another owner' : error.message;
    // FencedError means that another owner exists: an ask that no turn has seen may be repeated there. [architecture §4]
    const hasMoved = error === null || error instanceof FencedError || error instanceof ActivationGone;
    for (const [ask, asker] of this.#askers ?? []) {
      const isUntouched = untouched.has(ask);
      asker.reject(isUntouched && !hasMoved ? error : new ActivationGone(why, isUntouched));
    }
    this.#askers = null;
    this.#events.wakeAt(this.key, null);
    this.#events.gone(this, error);
    for (const resolve of this.#drained ?? []) resolve();
  }

  report(message: Message): void {
    if (this.#stage === 'gone') return;
    this.#take(message, null);
  }

  answer(ask: number, reply: unknown): void {
    this.#settle(ask)?.resolve(reply);
  }

  refuse(ask: number, error: Error): void {
    this.#settle(ask)?.reject(error);
  }

  isLive(): boolean {
    return this.#stage !== 'gone';
  }

  #post(message: Message, ask: number | null): void {
    this.lastUsedAt = this.#events.now();
    this.#take(message, ask);
  }

  /** Runs the message at once if no turn is running, as for nearly every message: the mailbox is empty then. */
  #take(message: Message, ask: number | null): void {
    if (!this.#inTurn && this.#state !== null) return this.#run({ message, ask });
    this.#mailbox ??= new Mailbox(this.#capacity);
    this.#mailbox.push({ message, ask });
  }

  #next(): Letter<Message> | undefined {
    const letter = this.#mailbox?.take();
    if (this.#mailbox?.size === 0) this.#mailbox = null;
    return letter;
  }

  /** Runs `first`, then the messages of the mailbox. */
  #run(first?: Letter<Message>): void {
    if (this.#inTurn || this.#state === null) return;
    this.#inTurn = true;
    try {
      for (let letter = first ?? this.#next(); letter !== undefined; letter = this.#next()) {
        if (this.#state === null) return;
        const effects = this.#kind.decide(this.#state, letter.message, {
          now: this.#events.now(),
          ask: letter.ask,
        });
        if (effects.length > 0) this.#perform(effects);
      }
    } catch (error) {
      this.close(asError(error)); // a turn that throws is a bug: the next owner starts from the store
      return;
    } finally {
      this.#inTurn = false;
    }
    this.#arm();
    this.#closeWhenQuiet();
  }

  #perform(effects: readonly Effect[]): void {
    this.#performing += 1;
    this.#kind.perform(effects, this).then(
      () => this.#performed(),
      (error: unknown) => {
        this.close(asError(error));
        this.#performed();
      },
    );
  }

  #performed(): void {
    this.#performing -= 1;
    this.#closeWhenQuiet();
  }

  #arm(): void {
    if (this.#state !== null) this.#events.wakeAt(this.key, this.#kind.wakeAt(this.#state));
  }

  #closeWhenQuiet(): void {
    if (this.#stage !== 'draining' || this.#inTurn || this.#performing > 0 || this.#mailbox !== null) return;
    if (this.#state !== null && this.#kind.isQuiet(this.#state)) this.close(null);
  }

  /** Removes the sender that waits for this ask, so that it is answered once. */
  #settle(ask: number): Asker | undefined {
    const asker = this.#askers?.get(ask);
    this.#askers?.delete(ask);
    if (this.#askers?.size === 0) this.#askers = null;
    return asker;
  }
}
