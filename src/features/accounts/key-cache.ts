/** What a node remembers of API keys: whose each is, and when each was last used. */
import type { Clock } from '../../kernel/clock.ts';
import type { Caller } from '../../rules/caller.ts';
import { ReadThroughCache } from '../../kernel/read-through-cache.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import type { ApiKey } from './account.ts';
import { WriteBehindBuffer } from '../../kernel/write-behind-buffer.ts';
import type { KeyStore } from './store.ts';

const max = 10_000;
const knownTtlMs = 5_000;
/** Unknown keys have a cache of their own, so that guessing can't evict real keys. */
const unknownTtlMs = 1_000;

/**
 * Caches the caller of a key, by the key's hash, for a few seconds: authentication of a busy key costs one SHA-256. A key revoked on
 * another node may be accepted here for 5 s at most. [faults: API2; performance §2.6]
 */
export class KeyCache {
  readonly #keys: KeyStore;
  readonly #noteUse: (keyId: string) => void;
  readonly #known: ReadThroughCache<Caller, null>;
  readonly #unknown: ShortLivedCache<true>;

  /** `noteUse` is called for a used key, every few seconds at most. */
  constructor(keys: KeyStore, clock: Clock, noteUse: (keyId: string) => void = () => {}) {
    this.#keys = keys;
    this.#noteUse = noteUse;
    this.#known = new ReadThroughCache({ max, ttlMs: knownTtlMs, clock });
    this.#unknown = new ShortLivedCache({ max, ttlMs: unknownTtlMs, clock });
  }

  /** As `byHash`, from the cache alone and without a promise, because every request calls it. null on a miss. */
  known(hash: string): Caller | null {
    return this.#known.get(hash) ?? null;
  }

  /** null: unknown or revoked. */
  async byHash(hash: string): Promise<Caller | null> {
    if (this.#unknown.get(hash) !== undefined) return null;
    return this.#known.find(hash, () => this.#load(hash));
  }

  /** Evicts the key; a load that began before does not restore it. */
  invalidate(keyId: string): void {
    this.#known.forgetWhere((caller) => caller.apiKeyId === keyId);
  }

  async #load(hash: string): Promise<Caller | null> {
    const key = await this.#keys.activeByHash(hash);
    if (key === null) {
      this.#unknown.set(hash, true);
      return null;
    }
    this.#noteUse(key.id);
    return { accountId: key.accountId, apiKeyId: key.id };
  }
}

/** Keys used between two writes; about 100 B each. */
const maxKeys = 20_000;

/**
 * Times of each key's last use on this node, buffered in memory and written once a minute. A request costs nothing, since only the
 * look-up every few seconds is noted. A node that dies loses one minute.
 */
export class KeyUses {
  readonly #store: KeyStore;
  readonly #seen = new WriteBehindBuffer<{ at: number }>(maxKeys);

  constructor(store: KeyStore) {
    this.#store = store;
  }

  used(keyId: string, now: number): void {
    const use = this.#seen.of(keyId, () => ({ at: now }));
    if (use !== undefined) use.at = now;
  }

  /** Call it before reading the store: the reader adds this node's buffered uses to a key that was read. */
  reader(): (key: ApiKey) => ApiKey {
    const seenOf = this.#seen.reader();
    return (key) => {
      const seen = seenOf(key.id).map(({ at }) => at);
      return seen.length === 0 ? key : { ...key, lastUsedAt: Math.max(...seen, key.lastUsedAt ?? 0) };
    };
  }

  /** Throws StoreUnavailable; then the uses stay buffered. */
  flush(): Promise<void> {
    return this.#seen.write((seen) =>
      this.#store.noteUsed([...seen].map(([keyId, { at }]) => ({ keyId, at }))),
    );
  }
}
