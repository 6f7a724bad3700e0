import type { Caller } from '../../rules/caller.ts';

export interface RateLimiter {
  /** Seconds that the caller must wait; 0 admits the request. */
  take(caller: Pick<Caller, 'accountId' | 'apiKeyId'>): number;
}
