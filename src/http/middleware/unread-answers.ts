import type { ServerResponse } from 'node:http';
import { mib } from '../../kernel/bytes.ts';
import type { Clock } from '../../kernel/clock.ts';
import { cutOff } from '../cut-off.ts';

/** A response in progress; `accountId` is set once a valid key was presented. */
export type Answering = ServerResponse & { accountId?: string };

export interface Unread {
  ofAccounts: UnreadAnswers;
  /** The holder is the client's address. */
  ofAnonymous: UnreadAnswers;
}

interface Bounds {
  /** Bytes of all holders on a node. */
  total: number;
  /** Bytes of one holder. */
  share: number;
  /** How long an answer may stay unread, in addition to the time that its bytes take on a slow line. */
  patienceMs: number;
}

const usual: Bounds = { total: 128 * mib, share: 16 * mib, patienceMs: 60_000 };
/** Half a megabit a second. */
const slowBytesPerMs = 64;

interface Held {
  response: ServerResponse;
  bytes: number;
  cancel: () => void;
}

interface Holder {
  name: string;
  /** Oldest first. */
  answers: Set<Held>;
  bytes: number;
}

/**
 * Written answers that clients have not read yet and that Node buffers. Each has a time limit. When one holder exceeds its share, its
 * oldest answer is destroyed with its connection; when all together exceed the total, the oldest of the largest holder is, so that clients
 * that read are not cut off because of others. A holder's newest answer may exceed the share alone. [faults: 184, I11]
 */
export class UnreadAnswers {
  readonly #clock: Clock;
  readonly #bounds: Bounds;
  readonly #holders = new Map<string, Holder>();
  #bytes = 0;

  constructor(clock: Clock, bounds: Partial<Bounds> = {}) {
    this.#clock = clock;
    this.#bounds = { ...usual, ...bounds };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an answer that is completely written but not yet read by its client. */
  hold(response: ServerResponse, holder: string): void {
    const bytes = response.writableLength;
    const { patienceMs, share, total } = this.#bounds;
    const held: Held = {
      response,
      bytes,
      cancel: this.#clock.after(patienceMs + bytes / slowBytesPerMs, () => cutOff(response)),
    };
    const own = this.#holders.get(holder) ?? { name: holder, answers: new Set(), bytes: 0 };
    this.#holders.set(holder, own);
    own.answers.add(held);
    this.#count(own, bytes);
    response.once('close', () => this.#free(own, held));
    while (own.bytes > share && own.answers.size > 1) this.#endOldest(own);
    while (this.#bytes > total) this.#endOldest(this.#whoHoldsMost(own));
  }

  #endOldest(own: Holder): void {
    const [oldest] = own.answers;
    if (oldest === undefined) return;
    this.#free(own, oldest);
    cutOff(oldest.response);
  }

  #free(own: Holder, held: Held): void {
    if (!own.answers.delete(held)) return;
    held.cancel();
    this.#count(own, -held.bytes);
    if (own.answers.size === 0) this.#holders.delete(own.name);
  }

  #count(own: Holder, bytes: number): void {
    this.#bytes += bytes;
    own.bytes += bytes;
  }

  #whoHoldsMost(first: Holder): Holder {
    let most = first;
    for (const holder of this.#holders.values()) if (holder.bytes > most.bytes) most = holder;
    return most;
  }
}
