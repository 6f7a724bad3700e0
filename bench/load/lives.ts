/**
 * Statuses in the order of life: each message is told sent, then delivered, then read, soon after one another, as upstream
 * does; between two of the same message lie those of `apart` others, so that neither overtakes the other on the way. [performance §3]
 */

type LifeStatus = 'sent' | 'delivered' | 'read';
const order: readonly LifeStatus[] = ['sent', 'delivered', 'read'];

export interface Message {
  /** Upstream's name of the sender. */
  phone: string;
  tag: string;
}

export interface Turn extends Message {
  status: LifeStatus;
}

const apart = 64;

/** Every status of every message once. */
export function* lifeOf(messages: readonly Message[], gap = apart): Generator<Turn> {
  const steps = messages.length + (order.length - 1) * gap;
  for (let step = 0; step < steps; step += 1) {
    for (const [index, status] of order.entries()) {
      const message = messages[step - index * gap];
      if (message !== undefined) yield { ...message, status };
    }
  }
}

/** A stock of statuses that is used up, and filled with messages that were really sent. */
export class Lives {
  readonly #supply: (count: number) => Promise<readonly Message[]>;
  #turns: Iterator<Turn> = lifeOf([]);

  constructor(supply: (count: number) => Promise<readonly Message[]>) {
    this.#supply = supply;
  }

  /** Enough for so many statuses; what was left over is dropped, because its messages are no longer young. */
  async stock(statuses: number): Promise<void> {
    this.#turns = lifeOf(await this.#supply(Math.ceil(statuses / order.length)));
  }

  next(): Turn {
    const turn = this.#turns.next();
    if (turn.done === true) throw new Error('there are no more messages to report on');
    return turn.value;
  }
}
