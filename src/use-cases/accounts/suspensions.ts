import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import type { AccountStore } from '../ports/accounts.ts';
import { ReadThroughCache } from '../read-through-cache.ts';

const max = 10_000;
/** So long another node goes on after an account was suspended here. */
const ttlMs = 5_000;

/** Which accounts may send: a busy one costs no query. */
export class Suspensions {
  readonly #accounts: Pick<AccountStore, 'byId'>;
  readonly #running: ReadThroughCache<true, null>;

  constructor(accounts: Pick<AccountStore, 'byId'>, clock: Clock) {
    this.#accounts = accounts;
    this.#running = new ReadThroughCache({ max, ttlMs, clock });
  }

  /** Whether it is known, without a promise: every send asks. */
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

  /** Look-ups that began before do not bring it back. */
  forget(accountId: string): void {
    this.#running.forget(accountId);
  }
}
