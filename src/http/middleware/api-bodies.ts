import { fault } from '../../kernel/faults.ts';
import type { Fault } from '../../kernel/faults.ts';

const mib = 1024 * 1024;

const bounds = {
  /** Of one account. */
  share: 16 * mib,
  /** Of the node. */
  room: 64 * mib,
  /** An account that holds no more than this is served even when the room is full, so that a few accounts can't fill it for all. */
  little: mib / 4,
  /** Beyond this total of the node every body is refused. */
  most: 128 * mib,
};

/**
 * Bytes of the API's bodies on this node, from their first byte to the answer of their request: what a body says lives as long as its
 * send does. [faults: 110, I11]
 */
export class ApiBodies {
  readonly #bounds: typeof bounds;
  readonly #byAccount = new Map<string, number>();
  #bytes = 0;

  constructor(given: Partial<typeof bounds> = {}) {
    this.#bounds = { ...bounds, ...given };
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Null: taken. A fault: there is no room, and nothing was taken. */
  take(accountId: string, bytes: number): Fault | null {
    const own = (this.#byAccount.get(accountId) ?? 0) + bytes;
    const all = this.#bytes + bytes;
    const { share, room, little, most } = this.#bounds;
    if (own > share) return fault('rate_limited', { retryAfter: 1 });
    if (all > most || (all > room && own > little)) return fault('overloaded', { retryAfter: 1 });
    this.#byAccount.set(accountId, own);
    this.#bytes = all;
    return null;
  }

  free(accountId: string, bytes: number): void {
    const own = (this.#byAccount.get(accountId) ?? 0) - bytes;
    if (own > 0) this.#byAccount.set(accountId, own);
    else this.#byAccount.delete(accountId);
    this.#bytes -= bytes;
  }
}

/** What one request holds of the room. */
export class HeldBody {
  readonly #bodies: ApiBodies;
  readonly #accountId: string;
  #bytes = 0;

  constructor(bodies: ApiBodies, accountId: string) {
    this.#bodies = bodies;
    this.#accountId = accountId;
  }

  grow(bytes: number): Fault | null {
    const refused = this.#bodies.take(this.#accountId, bytes);
    if (refused === null) this.#bytes += bytes;
    return refused;
  }

  end(): void {
    this.#bodies.free(this.#accountId, this.#bytes);
    this.#bytes = 0;
  }
}
