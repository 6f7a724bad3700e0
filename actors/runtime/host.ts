import { joinFigures } from '../../src/kernel/metrics.ts';
import type { Figures } from '../../src/kernel/metrics.ts';
import type { ActorKind, Ownership } from './actor.ts';
import { Activation, ActivationGone } from './activation.ts';
import type { ActivationEvents } from './activation.ts';
import { Alarm } from './alarm.ts';
import type { Clock } from '../../src/kernel/clock.ts';

interface HostOptions<State, Message, Effect> {
  kind: ActorKind<State, Message, Effect>;
  ownership: Ownership;
  clock: Clock;
  /** Asks that the mailbox of one activation holds before it rejects more as `overloaded`. */
  mailboxCapacity: number;
  /** An idle activation (`isIdle`) is evicted after this long without a message. */
  idleAfterMs: number;
  /** Called for every activation that ended other than by drain or eviction. */
  onFailure(key: string, error: Error): void;
}

/** All activations of this node: get-or-activate, eviction, drain of all. */
export class Host<State, Message, Effect> {
  readonly #options: HostOptions<State, Message, Effect>;
  readonly #activations = new Map<string, Activation<State, Message, Effect>>();
  readonly #activating = new Map<string, Promise<Activation<State, Message, Effect>>>();
  /** Actors being handed over: acquired again only once they are released. */
  readonly #leaving = new Map<string, Promise<void>>();
  readonly #alarm: Alarm;
  readonly #events: ActivationEvents;
  #draining = false;
  #cancelEviction: () => void = () => undefined;

  constructor(options: HostOptions<State, Message, Effect>) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, (key) => this.#activations.get(key)?.ring());
    this.#events = {
      now: () => options.clock.now(),
      wakeAt: (key, at) => this.#alarm.set(key, at),
      gone: (ended, error) => this.#forget(ended, error),
    };
    this.#scheduleEviction();
  }

  get size(): number {
    return this.#activations.size;
  }

  get isDraining(): boolean {
    return this.#draining;
  }

  keys(): string[] {
    return [...this.#activations.keys()];
  }

  /** The sum over all its actors. */
  figures(): Figures {
    return joinFigures(Array.from(this.#activations.values(), ({ figures }) => figures));
  }

  /** Makes the actor live here if it is not. Rejects with what `Ownership.acquire` throws, or with ActivationGone while draining. */
  async activate(key: string): Promise<Activation<State, Message, Effect>> {
    const live = this.#activations.get(key);
    if (live !== undefined) return live;
    const running = this.#activating.get(key);
    if (running !== undefined) return running;
    const activating = this.#activate(key).finally(() => this.#activating.delete(key));
    this.#activating.set(key, activating);
    return activating;
  }

  /** The live activation, or undefined: saves hot paths a promise. */
  live(key: string): Activation<State, Message, Effect> | undefined {
    return this.#activations.get(key);
  }

  /** Hands over one actor: in-flight work ends and is recorded, then the grant is released. */
  handOver(key: string): Promise<void> {
    const running = this.#leaving.get(key);
    const activation = this.#activations.get(key);
    if (running !== undefined || activation === undefined) return running ?? Promise.resolve();
    const leaving = this.#leave(activation).finally(() => this.#leaving.delete(key));
    this.#leaving.set(key, leaving);
    return leaving;
  }

  /** Ends every actor within `budgetMs`; the next owner finds unfinished work in the store. */
  async drain(budgetMs: number): Promise<void> {
    this.#draining = true;
    this.#cancelEviction();
    await new Promise<void>((resolve) => {
      const cancelBudget = this.#options.clock.after(budgetMs, resolve);
      void this.#handOverAll().then(cancelBudget).then(resolve);
    });
    this.closeAll(null);
    this.#alarm.stop();
  }

  /** Ends every actor at once (the node's lease was lost, or the process stops hard). */
  closeAll(error: Error | null): void {
    for (const activation of this.#activations.values()) activation.close(error);
  }

  /** Ends one actor at once. */
  close(key: string, error: Error): void {
    this.#activations.get(key)?.close(error);
  }

  async #activate(key: string): Promise<Activation<State, Message, Effect>> {
    if (this.#draining) throw new ActivationGone('this node is draining', true);
    const { ownership, kind, mailboxCapacity } = this.#options;
    await this.#leaving.get(key); // that release would end the new grant
    const grant = await ownership.acquire(key);
    if (this.#draining) {
      await ownership.release(key, grant);
      throw new ActivationGone('this node is draining', true);
    }
    const activation = new Activation(key, grant, kind, this.#events, mailboxCapacity);
    this.#activations.set(key, activation);
    void activation.load();
    return activation;
  }

  async #leave(activation: Activation<State, Message, Effect>): Promise<void> {
    await activation.drain();
    await this.#options.ownership.release(activation.key, activation.grant);
  }

  async #handOverAll(): Promise<void> {
    await Promise.allSettled(this.#activating.values());
    await Promise.all(this.keys().map((key) => this.handOver(key)));
    await Promise.all(this.#leaving.values());
  }

  #forget(ended: { readonly key: string }, error: Error | null): void {
    const { key } = ended;
    if (this.#activations.get(key) === ended) this.#activations.delete(key);
    if (error !== null) this.#options.onFailure(key, error);
  }

  #scheduleEviction(): void {
    const { clock, idleAfterMs } = this.#options;
    this.#cancelEviction = clock.after(idleAfterMs, () => {
      const before = clock.now() - idleAfterMs;
      for (const activation of this.#activations.values()) {
        if (activation.lastUsedAt <= before && activation.isIdle) void this.handOver(activation.key);
      }
      this.#scheduleEviction();
    });
  }
}
