import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { ReadThroughCache } from '../../kernel/read-through-cache.ts';
import type { AccountStore } from './store.ts';

const max = 10_000;
/** After a suspension on one node, other nodes may go on sending for this long. */
const ttlMs = 5_000;

/** Caches which accounts are not suspended, so that a busy account costs no query. */
export class Suspensions {
  readonly #accounts: Pick<AccountStore, 'byId'>;
  readonly #running: ReadThroughCache<true, null>;

  constructor(accounts: Pick<AccountStore, 'byId'>, clock: Clock) {
    this.#accounts = accounts;
    this.#running = new ReadThroughCache({ max, ttlMs, clock });
  }

  /** Whether the cache knows that the account may send; without a promise, because every send calls it. */
  isRunning(accountId: string): boolean {
    return this.#running.get(accountId) === true;
  }

  /** Throws Fault 402 `account_suspended`. */
  async requireRunning(accountId: string): Promise<void> {
    if (await this.isSuspended(accountId)) throw fault('account_suspended');
  }

  async isSuspended(accountId: string): Promise<boolean> {
    const running = await this.#running.find(accountId, async () => {
      const account = await this.#accounts.byId(accountId);
      return account === null || account.suspendedAt === null ? true : null;
    });
    return running === null;
  }

  /** Evicts the account; look-ups that began before do not restore it. */
  forget(accountId: string): void {
    this.#running.forget(accountId);
  }
}
