/**
 * Times of each key's last use on this node, buffered in memory and written once a minute. A request costs nothing, since only the
 * look-up every few seconds is noted. A node that dies loses one minute.
 */
import type { ApiKey } from '../../domain/accounts/account.ts';
import { WriteBehindBuffer } from '../write-behind-buffer.ts';
import type { KeyStore } from '../ports/accounts.ts';

/** Keys used between two writes; about 100 B each. */
const maxKeys = 20_000;

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
