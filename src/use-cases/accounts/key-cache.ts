/**
 * Who a key belongs to, by the key's hash, for a few seconds: authentication costs one SHA-256 on a busy key. A key revoked on
 * another node may be accepted here for 5 s at most. [faults: API2; performance §2.6]
 */
import type { Clock } from '../../kernel/clock.ts';
import type { Caller } from '../caller.ts';
import type { KeyStore } from '../ports/accounts.ts';
import { ReadThroughCache } from '../read-through-cache.ts';
import { ShortLivedCache } from '../short-lived-cache.ts';

const max = 10_000;
const knownTtlMs = 5_000;
/** Wrong keys live apart, so that guessing can't push real keys out. */
const unknownTtlMs = 1_000;

export class KeyCache {
  readonly #keys: KeyStore;
  readonly #noteUse: (keyId: string) => void;
  readonly #known: ReadThroughCache<Caller, null>;
  readonly #unknown: ShortLivedCache<true>;

  /** `noteUse`: told of a key that is used, every few seconds at most. */
  constructor(keys: KeyStore, clock: Clock, noteUse: (keyId: string) => void = () => {}) {
    this.#keys = keys;
    this.#noteUse = noteUse;
    this.#known = new ReadThroughCache({ max, ttlMs: knownTtlMs, clock });
    this.#unknown = new ShortLivedCache({ max, ttlMs: unknownTtlMs, clock });
  }

  /** As `byHash` for a key that was looked up a moment ago, and without a promise: every request asks. null: the store must be asked. */
  known(hash: string): Caller | null {
    return this.#known.get(hash) ?? null;
  }

  /** null: unknown or revoked. */
  async byHash(hash: string): Promise<Caller | null> {
    if (this.#unknown.get(hash) !== undefined) return null;
    return this.#known.find(hash, () => this.#load(hash));
  }

  /** Forgets the key at once; a load that began before does not bring it back. */
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
