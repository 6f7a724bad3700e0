/** What a node remembers of API keys: whose each is, and when each was last used. */
import type { Clock } from '../../kernel/clock.ts';
import type { KeyCaller } from '../../rules/caller.ts';
import { grantedBits } from '../../rules/scopes.ts';
import { ReadThroughCache } from '../../kernel/read-through-cache.ts';
import { ShortLivedCache } from '../../kernel/short-lived-cache.ts';
import type { ApiKey } from './account.ts';
import { WriteBehindBuffer } from '../../kernel/write-behind-buffer.ts';
import type { KeyStore } from './keys-store.ts';

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
  readonly #clock: Clock;
  readonly #noteUse: NoteUse;
  readonly #known: ReadThroughCache<KeyCaller, null>;
  readonly #unknown: ShortLivedCache<true>;

  /** `noteUse` is called for a used key, every few seconds at most. */
  constructor(keys: KeyStore, clock: Clock, noteUse: NoteUse = () => {}) {
    this.#keys = keys;
    this.#clock = clock;
    this.#noteUse = noteUse;
    this.#known = new ReadThroughCache({ max, ttlMs: knownTtlMs, clock });
    this.#unknown = new ShortLivedCache({ max, ttlMs: unknownTtlMs, clock });
  }

  /** As `byHash`, from the cache alone and without a promise, because every request calls it. null on a miss. */
  known(hash: string): KeyCaller | null {
    return this.#unlessEnded(this.#known.get(hash) ?? null);
  }

  /** null: unknown, revoked or ended. `address`: of the client; null: not known. */
  async byHash(hash: string, address: string | null = null): Promise<KeyCaller | null> {
    if (this.#unknown.get(hash) !== undefined) return null;
    return this.#unlessEnded(await this.#known.find(hash, () => this.#load(hash, address)));
  }

  /** Evicts the key; a load that began before does not restore it. */
  invalidate(keyId: string): void {
    this.#known.forgetWhere((caller) => caller.apiKeyId === keyId);
  }

  async #load(hash: string, address: string | null): Promise<KeyCaller | null> {
    const key = await this.#keys.activeByHash(hash);
    if (key === null || this.#isOver(key.endsAt)) {
      this.#unknown.set(hash, true);
      return null;
    }
    const { id, accountId, scopes, endsAt } = key;
    this.#noteUse(id, address);
    return { accountId, apiKeyId: id, granted: grantedBits(scopes), endsAt };
  }

  /** A remembered key ends on time, not when the memory of it does. */
  #unlessEnded(caller: KeyCaller | null): KeyCaller | null {
    return caller === null || this.#isOver(caller.endsAt) ? null : caller;
  }

  #isOver(endsAt: number | null): boolean {
    return endsAt !== null && endsAt <= this.#clock.now();
  }
}

type NoteUse = (keyId: string, address: string | null) => void;

interface KeyUse {
  at: number;
  /** IP address of the client; null: not known. */
  address: string | null;
}

/** Keys used between two writes; about 150 B each. */
const maxKeys = 20_000;

/**
 * Times of each key's last use on this node, buffered in memory and written once a minute. A request costs nothing, since only the
 * look-up every few seconds is noted. A node that dies loses one minute.
 */
export class KeyUses {
  readonly #store: KeyStore;
  readonly #seen = new WriteBehindBuffer<KeyUse>(maxKeys);

  constructor(store: KeyStore) {
    this.#store = store;
  }

  used(keyId: string, now: number, address: string | null = null): void {
    const use = this.#seen.of(keyId, () => ({ at: now, address }));
    if (use !== undefined) Object.assign(use, { at: now, address: address ?? use.address });
  }

  /** Call it before reading the store: the reader adds this node's buffered uses to a key that was read. */
  reader(): (key: ApiKey) => ApiKey {
    const seenOf = this.#seen.reader();
    return (key) => {
      const last = seenOf(key.id).at(-1);
      if (last === undefined || last.at < (key.lastUsedAt ?? 0)) return key;
      return { ...key, lastUsedAt: last.at, lastUsedFrom: last.address ?? key.lastUsedFrom };
    };
  }

  /** Throws StoreUnavailable; then the uses stay buffered. */
  flush(): Promise<void> {
    return this.#seen.write((seen) =>
      this.#store.noteUsed([...seen].map(([keyId, use]) => ({ keyId, ...use }))),
    );
  }
}
