import type { Clock } from '../../kernel/clock.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import type { SetupSession } from '../ports/connecting.ts';

const minuteSeconds = 60;

/**
 * Codes that are brought to the callback: each costs calls upstream, and whoever has a setup URL can make some up. Of a flow ten at once,
 * then one a minute, so that one person keeps no other of the account from connecting; flows are begun as fast as the API lets a key, so
 * of an account a hundred at once, then two a second. Per node. [faults: 190]
 */
export class SetupTries {
  readonly #ofFlow: TokenBuckets;
  readonly #ofAccount: TokenBuckets;

  constructor(clock: Clock) {
    this.#ofFlow = new TokenBuckets({ burst: 10, perSecond: 1 / minuteSeconds, clock, names: 10_000 });
    this.#ofAccount = new TokenBuckets({ burst: 100, perSecond: 2, clock, names: 10_000 });
  }

  /** False: upstream is not to be asked now. */
  take({ id, accountId }: Pick<SetupSession, 'id' | 'accountId'>): boolean {
    return this.#ofFlow.take(id) === 0 && this.#ofAccount.take(accountId) === 0;
  }
}
