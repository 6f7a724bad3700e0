import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { AccountStore } from '../ports/accounts.ts';
import { ShortLivedCache } from '../short-lived-cache.ts';

const max = 10_000;
/** So long another node goes on after an account was suspended here. */
const ttlMs = 5_000;

/** Which accounts may send, as the store said it a moment ago: a busy account costs no query. Only what permits is remembered. */
export class Suspensions {
  readonly #accounts: Pick<AccountStore, 'byId'>;
  readonly #running: ShortLivedCache<true>;

  constructor(accounts: Pick<AccountStore, 'byId'>, clock: Clock) {
    this.#accounts = accounts;
    this.#running = new ShortLivedCache({ max, ttlMs, clock });
  }

  /** Whether it is known, without a promise: every send asks. */
  isRunning(accountId: string): boolean {
    return this.#running.get(accountId) === true;
  }

  /** Throws Fault 402 `account_suspended`. */
  async requireRunning(accountId: string): Promise<void> {
    const account = await this.#accounts.byId(accountId);
    if (account !== null && account.suspendedAt !== null) throw fault('account_suspended');
    this.#running.set(accountId, true);
  }

  forget(accountId: string): void {
    this.#running.delete(accountId);
  }
}
