import type { UseCaseDeps } from '../deps.ts';
import { mostAudited } from '../ports/audit.ts';
import type { ActorKind } from '../ports/audit.ts';

/**
 * Each sort has a bound of its own, so that a key which changes something all day pushes out nothing that a person did. What operators
 * did in an account has none.
 */
const bounded: readonly ActorKind[] = ['key', 'person'];
/** Of a look: a minute. */
const accountsAtOnce = 200;

/** Looks at some accounts each time, and begins again with the first after the last. */
export class AuditBound {
  readonly #stores: Pick<UseCaseDeps['stores'], 'audit'>;
  readonly #most: number;
  #last = '';

  constructor({ stores }: { stores: Pick<UseCaseDeps['stores'], 'audit'> }, most = mostAudited) {
    this.#stores = stores;
    this.#most = most;
  }

  /** Throws StoreUnavailable; the next look begins with the same accounts. */
  async look(): Promise<void> {
    const { audit } = this.#stores;
    const accountIds = await audit.accountsAfter(this.#last, accountsAtOnce);
    for (const accountId of accountIds)
      for (const actor of bounded) await audit.keepNewest({ accountId, actor }, this.#most);
    this.#last = accountIds.length < accountsAtOnce ? '' : (accountIds.at(-1) ?? '');
  }
}
