import type { ServerResponse } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';

const mib = 1024 * 1024;

/** An answer on its way; `accountId` once a right key was shown. */
export type Answering = ServerResponse & { accountId?: string };

export interface Unread {
  ofAccounts: UnreadAnswers;
  /** By address. */
  ofStrangers: UnreadAnswers;
}

interface Bounds {
  /** Of the listeners of a node. */
  room: number;
  /** Of one holder. */
  share: number;
  /** How long an answer may lie there, beside the time that its bytes take on a slow line. */
  patienceMs: number;
}

const usual: Bounds = { room: 128 * mib, share: 16 * mib, patienceMs: 60_000 };
/** Half a megabit a second. */
const slowBytesPerMs = 64;

interface Held {
  response: ServerResponse;
  bytes: number;
  cancel: () => void;
}

/**
 * Answers that are written and that clients have not taken: Node keeps what the connection does not. Each has its time; where there are too
 * many bytes of one holder, or of all, the oldest of who holds most ends with its connection, so that who reads is not cut off because of
 * who does not. The newest of a holder has its share alone, however long it is. [faults: 184, I11]
 */
export class UnreadAnswers {
  readonly #clock: Clock;
  readonly #bounds: Bounds;
  /** Of each holder the oldest first. */
  readonly #byHolder = new Map<string, Set<Held>>();
  readonly #bytesOf = new Map<string, number>();
  #bytes = 0;

  constructor(clock: Clock, bounds: Partial<Bounds> = {}) {
    this.#clock = clock;
    this.#bounds = { ...usual, ...bounds };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** For an answer that has been written as a whole and is not yet with its client. */
  hold(response: ServerResponse, holder: string): void {
    const bytes = response.writableLength;
    const { patienceMs, share, room } = this.#bounds;
    const held: Held = {
      response,
      bytes,
      cancel: this.#clock.after(patienceMs + bytes / slowBytesPerMs, () => response.destroy()),
    };
    const own = this.#byHolder.get(holder) ?? new Set();
    this.#byHolder.set(holder, own.add(held));
    this.#count(holder, bytes);
    response.once('close', () => this.#free(holder, held));
    while (this.#heldBy(holder) > share && own.size > 1) this.#endOldest(holder);
    while (this.#bytes > room) this.#endOldest(this.#whoHoldsMost());
  }

  #endOldest(holder: string): void {
    const [oldest] = this.#byHolder.get(holder) ?? [];
    if (oldest === undefined) return;
    this.#free(holder, oldest);
    oldest.response.destroy();
  }

  #free(holder: string, held: Held): void {
    const own = this.#byHolder.get(holder);
    if (own?.delete(held) !== true) return;
    held.cancel();
    this.#count(holder, -held.bytes);
    if (own.size === 0) this.#byHolder.delete(holder);
  }

  #count(holder: string, bytes: number): void {
    this.#bytes += bytes;
    const own = this.#heldBy(holder) + bytes;
    if (own > 0) this.#bytesOf.set(holder, own);
    else this.#bytesOf.delete(holder);
  }

  #heldBy(holder: string): number {
    return this.#bytesOf.get(holder) ?? 0;
  }

  #whoHoldsMost(): string {
    let most = '';
    for (const [holder, bytes] of this.#bytesOf) if (bytes > this.#heldBy(most)) most = holder;
    return most;
  }
}
