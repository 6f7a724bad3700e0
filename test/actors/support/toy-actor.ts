/** An actor that counts, for tests of the runtime. */
import type { ActorKind, Work, OwnershipGrant, Ownership } from '../../../actors/runtime/actor.ts';
import { FencedError } from '../../../src/kernel/faults.ts';

export type ToyMessage =
  | { type: 'note'; word: string }
  /** Is answered when a later message arrives. */
  | { type: 'slow'; word: string }
  | { type: 'done'; ask: number; word: string }
  | { type: 'wake-at'; at: number }
  | { type: 'throw' }
  | { type: 'be-fenced' }
  | { type: 'alarm' }
  | { type: 'drain' };

export type ToyEffect =
  | { effect: 'answer'; ask: number; reply: string }
  | { effect: 'work'; ask: number; word: string }
  | { effect: 'fenced' };

export interface ToyState {
  key: string;
  seen: string[];
  inFlight: number;
  wakeAt: number | null;
}

/** The outside world of the actor, under the test's control. */
export class ToyWorld {
  loads = 0;
  /** Every word that any activation has processed, in order. */
  readonly seen: string[] = [];
  /** Calls in flight; the test ends them. */
  readonly running: (() => void)[] = [];
  /** The keys of the states that were forgotten. */
  readonly ended: string[] = [];
  load: (key: string) => Promise<ToyState> = (key) =>
    Promise.resolve({ key, seen: [], inFlight: 0, wakeAt: null });

  kind(): ActorKind<ToyState, ToyMessage, ToyEffect> {
    return {
      load: (key) => {
        this.loads += 1;
        return this.load(key);
      },
      decide: (state, message, { ask }) => this.#decide(state, message, ask),
      ended: ({ key }) => this.ended.push(key),
      perform: (effects, work) => this.#perform(effects, work),
      wakeAt: (state) => state.wakeAt,
      alarm: { type: 'alarm' },
      drain: { type: 'drain' },
      isQuiet: (state) => state.inFlight === 0,
      isIdle: (state) => state.inFlight === 0,
    };
  }

  #decide(state: ToyState, message: ToyMessage, ask: number | null): ToyEffect[] {
    switch (message.type) {
      case 'note':
        this.#see(state, message.word);
        return ask === null ? [] : [{ effect: 'answer', ask, reply: state.seen.join(' ') }];
      case 'slow':
        this.#see(state, message.word);
        state.inFlight += 1;
        return ask === null ? [] : [{ effect: 'work', ask, word: message.word }];
      case 'done':
        state.inFlight -= 1;
        this.#see(state, `${message.word} done`);
        return [{ effect: 'answer', ask: message.ask, reply: message.word }];
      case 'wake-at':
        state.wakeAt = message.at;
        return [];
      case 'throw':
        throw new Error('a bug in a turn');
      case 'be-fenced':
        return [{ effect: 'fenced' }];
      case 'alarm':
        state.wakeAt = null;
        this.#see(state, 'alarm');
        return [];
      case 'drain':
        this.#see(state, 'drain');
        return [];
      default:
        return message satisfies never;
    }
  }

  #see(state: ToyState, word: string): void {
    state.seen.push(word);
    this.seen.push(`${state.key}: ${word}`);
  }

  async #perform(effects: readonly ToyEffect[], work: Work<ToyMessage>): Promise<void> {
    for (const effect of effects) {
      if (effect.effect === 'answer') work.answer(effect.ask, effect.reply);
      else if (effect.effect === 'fenced') throw new FencedError('a higher epoch exists');
      else {
        const { ask, word } = effect;
        this.running.push(() => work.report({ type: 'done', ask, word }));
      }
    }
  }
}

/** Issues epochs, and records in order who acquired and released what. */
export class ToyOwnership implements Ownership {
  readonly log: string[] = [];
  #epochs = new Map<string, number>();
  acquiring: Promise<void> = Promise.resolve();
  releasing: Promise<void> = Promise.resolve();

  async acquire(key: string): Promise<OwnershipGrant> {
    const epoch = (this.#epochs.get(key) ?? 0) + 1;
    this.#epochs.set(key, epoch);
    this.log.push(`acquire ${key} ${epoch}`);
    await this.acquiring;
    return { epoch, isValid: () => true, isSure: () => true };
  }

  async release(key: string, grant: OwnershipGrant): Promise<void> {
    await this.releasing;
    this.log.push(`release ${key} ${grant.epoch}`);
  }
}

/** A promise that the test resolves. */
export function gate(): { promise: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open: () => open() };
}
