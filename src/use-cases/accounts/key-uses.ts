/**
 * When each key was last used here, gathered in memory and written once a minute: a call pays nothing, since only the look-up every
 * few seconds is noted. A node that dies takes a minute of it along.
 */
import type { ApiKey } from '../../domain/accounts/account.ts';
import { Gathered } from '../gathered.ts';
import type { KeyStore } from '../ports/accounts.ts';

/** Keys that are used between two writes; about 100 B each. */
const maxKeys = 20_000;

export class KeyUses {
  readonly #store: KeyStore;
  readonly #seen = new Gathered<{ at: number }>(maxKeys);

  constructor(store: KeyStore) {
    this.#store = store;
  }

  used(keyId: string, now: number): void {
    const use = this.#seen.of(keyId, () => ({ at: now }));
    if (use !== undefined) use.at = now;
  }

  /** Asked for before the store is read: adds what this node has seen to what is read. */
  reader(): (key: ApiKey) => ApiKey {
    const seenOf = this.#seen.reader();
    return (key) => {
      const seen = seenOf(key.id).map(({ at }) => at);
      return seen.length === 0 ? key : { ...key, lastUsedAt: Math.max(...seen, key.lastUsedAt ?? 0) };
    };
  }

  /** Throws StoreUnavailable; then it stays for the next time. */
  keep(): Promise<void> {
    return this.#seen.write((seen) =>
      this.#store.noteUsed([...seen].map(([keyId, { at }]) => ({ keyId, at }))),
    );
  }
}
