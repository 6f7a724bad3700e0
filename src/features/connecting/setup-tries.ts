import { minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';
import type { SetupSession } from './entity.ts';

/**
 * Rate limit of dialog codes at the callback: each code costs upstream calls, and anybody with a setup URL can invent codes. Per flow a
 * burst of ten, then one a minute, so that one person can't keep the account's others from connecting. Per account a burst of a hundred,
 * then two a second, because flows can be started as fast as the API allows a key. Counted per node. [faults: 190]
 */
export class SetupTries {
  readonly #ofFlow: TokenBuckets;
  readonly #ofAccount: TokenBuckets;

  constructor(clock: Clock) {
    this.#ofFlow = new TokenBuckets({ burst: 10, perSecond: 1_000 / minuteMs, clock, names: 10_000 });
    this.#ofAccount = new TokenBuckets({ burst: 100, perSecond: 2, clock, names: 10_000 });
  }

  /** False if upstream must not be called now. */
  take({ id, accountId }: Pick<SetupSession, 'id' | 'accountId'>): boolean {
    return this.#ofFlow.take(id) === 0 && this.#ofAccount.take(accountId) === 0;
  }
}
