/**
 * When each key was last used here, gathered in memory and written once a minute: a call pays nothing, since only the look-up every
 * few seconds is noted. A node that dies takes a minute of it along.
 */
import type { ApiKey } from '../../domain/accounts/account.ts';
import type { KeyStore } from '../ports/accounts.ts';

/** Keys that are used between two writes; about 100 B each. */
const maxKeys = 20_000;

export class KeyUses {
  readonly #store: KeyStore;
  #seen = new Map<string, number>();

  constructor(store: KeyStore) {
    this.#store = store;
  }

  used(keyId: string, now: number): void {
    if (this.#seen.has(keyId) || this.#seen.size < maxKeys) this.#seen.set(keyId, now);
  }

  /** What is written and what this node has seen since. */
  with(key: ApiKey): ApiKey {
    const seen = this.#seen.get(key.id);
    return seen === undefined ? key : { ...key, lastUsedAt: Math.max(seen, key.lastUsedAt ?? 0) };
  }

  /** Throws StoreUnavailable; then it stays for the next time. */
  async keep(): Promise<void> {
    if (this.#seen.size === 0) return;
    const seen = this.#seen;
    this.#seen = new Map();
    try {
      await this.#store.noteUsed([...seen].map(([keyId, at]) => ({ keyId, at })));
    } catch (error) {
      for (const [keyId, at] of seen) if (!this.#seen.has(keyId)) this.used(keyId, at);
      throw error;
    }
  }
}
