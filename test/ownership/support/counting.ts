/** A minimal actor: it writes each send to the ledger, counts them, and can hold an answer. */
import type { ActorKind, Turn, Work } from '../../../actors/runtime/actor.ts';
import type { ChannelMessage } from '../../../actors/channel/messages.ts';
import type { Ledger } from './ledger.ts';

interface State {
  count: number;
}

type Effect =
  | { effect: 'append'; messageId: string; ask: number | null; hold: boolean }
  | { effect: 'insight'; ask: number; count: number };

/** Answers of one node that a test holds back. */
export class Holds {
  readonly #waiting = new Map<string, () => void>();

  until(messageId: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(messageId, resolve));
  }

  has(messageId: string): boolean {
    return this.#waiting.has(messageId);
  }

  release(messageId: string): void {
    this.#waiting.get(messageId)?.();
    this.#waiting.delete(messageId);
  }
}

/**
 * `recipient` "hold": the entry is written, the answer waits for `holds.release(messageId)`. `inspect` returns the activation's
 * epoch, and as `sendsOpen` the number of its sends.
 */
export function countingActor(ledger: Ledger, holds: Holds): ActorKind<unknown, ChannelMessage, unknown> {
  const kind: ActorKind<State, ChannelMessage, Effect> = {
    load: () => Promise.resolve({ count: 0 }),
    decide,
    async perform(effects, work) {
      for (const effect of effects) await perform(effect, work, ledger, holds);
    },
    wakeAt: () => null,
    alarm: { type: 'alarm' },
    drain: { type: 'drain' },
    isQuiet: () => true,
    isIdle: () => true,
  };
  return kind;
}

function decide(state: State, message: ChannelMessage, { ask }: Turn): Effect[] {
  switch (message.type) {
    case 'send':
      state.count += 1;
      return [{ effect: 'append', messageId: message.messageId, ask, hold: message.recipient === 'hold' }];
    case 'inspect':
      return ask === null ? [] : [{ effect: 'insight', ask, count: state.count }];
    default:
      return [];
  }
}

async function perform(
  effect: Effect,
  work: Work<ChannelMessage>,
  ledger: Ledger,
  holds: Holds,
): Promise<void> {
  const { epoch } = work.grant;
  if (effect.effect === 'insight') {
    const nothing = { sendsWaiting: 0, deliveriesPending: 0, factsHeld: 0, filesOpen: 0 };
    work.answer(effect.ask, { epoch, sendsOpen: effect.count, ...nothing });
    return;
  }
  await ledger.append({ channelId: work.key, epoch, messageId: effect.messageId });
  if (effect.hold) await holds.until(effect.messageId);
  if (effect.ask !== null) work.answer(effect.ask, { status: 'sent' });
}
