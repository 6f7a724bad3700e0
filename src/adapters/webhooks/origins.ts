import type { Pool } from 'undici';
import type { Clock } from '../../kernel/clock.ts';

/** More receivers than this are served too, at the price of a new connection now and then. */
const maxOrigins = 512;

/**
 * Connections are kept this long at most, busy or not: it bounds how long a name that now points elsewhere escapes a new
 * look at its address (60 s, plus one attempt). One TLS handshake a minute costs 2 ms. [faults: 59]
 */
const maxUseMs = 60_000;

interface Origin {
  pool: Pool;
  openedAt: number;
  /** Count of uses up to the last one: moving the entry to the map's end each time makes 1 µs of garbage per POST. */
  usedAt: number;
}

/** One pool per origin, least recently used out first. Retired pools finish what they carry. */
export class Origins {
  readonly #open: (origin: string) => Pool;
  readonly #clock: Clock;
  readonly #origins = new Map<string, Origin>();
  readonly #retiring = new Set<Pool>();
  #uses = 0;

  constructor(open: (origin: string) => Pool, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
  }

  get size(): number {
    return this.#origins.size;
  }

  pool(origin: string): Pool {
    const now = this.#clock.monotonic();
    const known = this.#origins.get(origin);
    const current =
      known !== undefined && now - known.openedAt < maxUseMs ? known : this.#replace(origin, now);
    current.usedAt = this.#uses += 1;
    return current.pool;
  }

  /** Ends every connection; what is still in flight fails. */
  async destroy(): Promise<void> {
    const pools = [...this.#retiring, ...Array.from(this.#origins.values(), ({ pool }) => pool)];
    this.#origins.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #replace(origin: string, now: number): Origin {
    this.#drop(origin);
    if (this.#origins.size >= maxOrigins) this.#drop(this.#leastRecent());
    const opened = { pool: this.#open(origin), openedAt: now, usedAt: 0 };
    this.#origins.set(origin, opened);
    return opened;
  }

  /** A look at all of them, 5 µs: next to opening a connection it is nothing. */
  #leastRecent(): string {
    let least = { origin: '', usedAt: Infinity };
    for (const [origin, { usedAt }] of this.#origins) if (usedAt < least.usedAt) least = { origin, usedAt };
    return least.origin;
  }

  #drop(origin: string): void {
    const known = this.#origins.get(origin);
    if (known === undefined) return;
    this.#origins.delete(origin);
    this.#retire(known.pool);
  }

  #retire(pool: Pool): void {
    this.#retiring.add(pool);
    const forget = () => this.#retiring.delete(pool);
    pool.close().then(forget, forget);
  }
}
