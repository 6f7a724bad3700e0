import { LRUCache } from 'lru-cache';
import type { Pool } from 'undici';
import type { Clock } from '../kernel/clock.ts';
import { guardedConnector, makeDial, maxHeaderBytes } from './dial.ts';
import type { DialRules, Lookup } from './dial.ts';
import { guardHeads } from './heads.ts';

/** Further receivers are served too, but connections are then reopened more often. */
const maxOrigins = 1_024;

/**
 * A pool is replaced after this time, even a busy one: it bounds how long a changed DNS record goes unnoticed (60 s, plus one attempt). One
 * TLS handshake per minute costs 2 ms. [faults: 59]
 */
const maxUseMs = 60_000;

/** Connection pool of one origin. */
type Connections = Pick<Pool, 'dispatch' | 'close' | 'destroy'>;

interface Origin {
  pool: Connections;
  openedAt: number;
}

/** One pool per origin; the least recently used is evicted. An evicted pool finishes its requests. */
export class OriginPools {
  readonly #open: (origin: string) => Connections;
  readonly #clock: Clock;
  readonly #origins: LRUCache<string, Origin>;
  readonly #retiring = new Set<Connections>();

  constructor(open: (origin: string) => Connections, clock: Clock) {
    this.#open = open;
    this.#clock = clock;
    const dispose = ({ pool }: Origin): void => this.#retire(pool);
    this.#origins = new LRUCache({ max: maxOrigins, dispose });
  }

  get size(): number {
    return this.#origins.size;
  }

  pool(origin: string): Connections {
    const now = this.#clock.monotonic();
    const known = this.#origins.get(origin);
    if (known !== undefined && now - known.openedAt < maxUseMs) return known.pool;
    const pool = this.#open(origin);
    this.#origins.set(origin, { pool, openedAt: now });
    return pool;
  }

  /** Closes every connection; requests in flight fail. */
  async destroy(): Promise<void> {
    this.#origins.clear();
    await Promise.all(Array.from(this.#retiring, (pool) => pool.destroy()));
  }

  #retire(pool: Connections): void {
    this.#retiring.add(pool);
    const forget = () => this.#retiring.delete(pool);
    pool.close().then(forget, forget);
  }
}

/**
 * Idle connections stay open this long, or shorter if the receiver names a shorter limit. Gunicorn closes them after 2 s and Uvicorn after
 * 5 s, without a word of it: a POST that meets the close on its way is reset, and would be tried again half a minute later. The rest is for
 * the way, of at most a quarter of a second. A longer limit that an answer names may be that of the program, which HAProxy passes on, and not
 * its own. [faults: 520, 539]
 */
const keepIdleMs = 1_500;

interface WireOptions {
  lookup: Lookup;
  rules: DialRules;
  clock: Clock;
  timeoutMs: number;
  ca: string | undefined;
}

/** Loads undici (40 ms, some MB) lazily, with the first POST. */
export async function openOriginPools(options: WireOptions): Promise<OriginPools> {
  const { Pool, buildConnector } = await import('undici');
  const { lookup, rules, clock, timeoutMs, ca } = options;
  const trusted = ca === undefined ? {} : { ca };
  const dial = guardedConnector(
    buildConnector({ timeout: timeoutMs, rejectUnauthorized: true, ...trusted }),
    makeDial({ lookup, rules, clock, timeoutMs }),
  );
  const connect: typeof dial = (target, callback) =>
    dial(target, (...connected) => {
      if (connected[0] === null) guardHeads(connected[1]);
      callback(...connected);
    });
  const poolOptions = {
    connect,
    keepAliveTimeout: keepIdleMs,
    keepAliveMaxTimeout: keepIdleMs,
    maxHeaderSize: maxHeaderBytes,
    // Disabled: a dripped body or a flood of 1xx outlives them. `Attempt` has the deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  return new OriginPools((origin) => new Pool(origin, poolOptions), options.clock);
}
