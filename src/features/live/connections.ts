const maxOnNode = 1_000;
const maxPerAccount = 20;

/**
 * The live connections of this node. Each account has a limit. Beyond the node's limit the account with most connections loses its oldest,
 * so that fifty accounts with full shares lock nobody out. [faults: 112, I11]
 */
export class Connections<C> {
  /** By account, oldest first. */
  readonly #byAccount = new Map<string, Set<C>>();
  readonly #end: (connection: C) => void;
  readonly #maxOnNode: number;
  readonly #maxPerHolder: number;
  #count = 0;

  /** `end`: closes an evicted connection. */
  constructor(end: (connection: C) => void, most = maxOnNode, perHolder = maxPerAccount) {
    this.#end = end;
    this.#maxOnNode = most;
    this.#maxPerHolder = perHolder;
  }

  /** False if the account has reached its limit. */
  add(accountId: string, connection: C): boolean {
    const own = this.#byAccount.get(accountId) ?? new Set();
    if (own.size >= this.#maxPerHolder) return false;
    this.#byAccount.set(accountId, own.add(connection));
    this.#count += 1;
    if (this.#count > this.#maxOnNode) this.#evictOldest();
    return true;
  }

  remove(accountId: string, connection: C): void {
    const own = this.#byAccount.get(accountId);
    if (own?.delete(connection) !== true) return;
    this.#count -= 1;
    if (own.size === 0) this.#byAccount.delete(accountId);
  }

  #evictOldest(): void {
    const [first] = this.#byAccount;
    if (first === undefined) return;
    let most = first;
    for (const each of this.#byAccount) if (each[1].size > most[1].size) most = each;
    const [accountId, [oldest]] = most;
    if (oldest === undefined) return;
    this.remove(accountId, oldest);
    this.#end(oldest);
  }
}
