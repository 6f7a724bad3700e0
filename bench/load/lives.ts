/**
 * Statuses in the order of a message's life: sent, delivered, read, soon after one another, as upstream reports them. Between two statuses
 * of the same message are those of `apart` other messages, so that the two cannot overtake each other. [performance §3]
 */

type LifeStatus = 'sent' | 'delivered' | 'read';
const order: readonly LifeStatus[] = ['sent', 'delivered', 'read'];

export interface Message {
  /** The sender's phone number id at upstream. */
  phone: string;
  tag: string;
}

export interface Turn extends Message {
  status: LifeStatus;
}

const apart = 64;

/** Yields every status of every message once. */
export function* lifeOf(messages: readonly Message[], gap = apart): Generator<Turn> {
  const steps = messages.length + (order.length - 1) * gap;
  for (let step = 0; step < steps; step += 1) {
    for (const [index, status] of order.entries()) {
      const message = messages[step - index * gap];
      if (message !== undefined) yield { ...message, status };
    }
  }
}

/** A supply of statuses for messages that were really sent; each status is used once. */
export class Lives {
  readonly #supply: (count: number) => Promise<readonly Message[]>;
  #turns: Iterator<Turn> = lifeOf([]);

  constructor(supply: (count: number) => Promise<readonly Message[]>) {
    this.#supply = supply;
  }

  /** Provides at least this many statuses; drops what is left of earlier messages, because those are no longer recent. */
  async stock(statuses: number): Promise<void> {
    this.#turns = lifeOf(await this.#supply(Math.ceil(statuses / order.length)));
  }

  next(): Turn {
    const turn = this.#turns.next();
    if (turn.done === true) throw new Error('there are no more messages to report on');
    return turn.value;
  }
}
