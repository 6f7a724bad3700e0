/**
 * Limits of page requests on this node. A person reads one page a second, with tabs that refresh by themselves. Many people can share one
 * address: an office, or everybody behind a proxy that is not trusted. [faults: 182]
 */
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { TokenBuckets } from '../../kernel/token-buckets.ts';

export const pagesOf = {
  person: { burst: 300, perSecond: 30 },
  address: { burst: 2_000, perSecond: 200 },
  setup: { burst: 100, perSecond: 5 },
  setupAddress: { burst: 2_000, perSecond: 200 },
} as const;
const names = 10_000;

export interface PageLimits {
  /** Throws Fault 429 with the seconds to wait. */
  take(whose: keyof typeof pagesOf, name: string): void;
}

export function makePageLimits(clock: Clock): PageLimits {
  const buckets = {
    person: new TokenBuckets({ ...pagesOf.person, clock, names }),
    address: new TokenBuckets({ ...pagesOf.address, clock, names }),
    setup: new TokenBuckets({ ...pagesOf.setup, clock, names }),
    setupAddress: new TokenBuckets({ ...pagesOf.setupAddress, clock, names }),
  };
  return {
    take(whose, name) {
      const waitSeconds = buckets[whose].take(name);
      if (waitSeconds > 0) throw fault('rate_limited', { retryAfter: Math.ceil(waitSeconds) });
    },
  };
}
