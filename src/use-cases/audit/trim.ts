import type { UseCaseDeps } from '../deps.ts';
import { mostAudited } from '../ports/audit.ts';
import type { ActorKind } from '../ports/audit.ts';

/**
 * Each kind of actor has a bound of its own, so that a key which changes settings all day displaces no entries of people. Entries of
 * operators have no bound.
 */
const bounded: readonly ActorKind[] = ['key', 'person'];
/** Accounts per call, once a minute. */
const accountsAtOnce = 200;

/** Trims some accounts per call, and starts over after the last account. */
export class AuditTrim {
  readonly #stores: Pick<UseCaseDeps['stores'], 'audit'>;
  readonly #most: number;
  #last = '';

  constructor({ stores }: { stores: Pick<UseCaseDeps['stores'], 'audit'> }, most = mostAudited) {
    this.#stores = stores;
    this.#most = most;
  }

  /** Throws StoreUnavailable; then the next call begins with the same accounts. */
  async run(): Promise<void> {
    const { audit } = this.#stores;
    const accountIds = await audit.accountsAfter(this.#last, accountsAtOnce);
    for (const accountId of accountIds)
      for (const actor of bounded) await audit.keepNewest({ accountId, actor }, this.#most);
    this.#last = accountIds.length < accountsAtOnce ? '' : (accountIds.at(-1) ?? '');
  }
}
