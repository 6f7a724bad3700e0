import { minuteMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { lruCache } from '../../kernel/lru-cache.ts';

const testsPerMinute = 10;
const maxAccounts = 10_000;

/** Rate limit of webhook tests per account; nobody presses the button faster. */
export class WebhookTestLimit {
  readonly #clock: Clock;
  readonly #recent = lruCache<number[]>(maxAccounts);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws 429 `rate_limited`. */
  take(accountId: string): void {
    const now = this.#clock.monotonic();
    const recent = (this.#recent.get(accountId) ?? []).filter((at) => at > now - minuteMs);
    const [oldest = now] = recent;
    if (recent.length >= testsPerMinute)
      throw fault('rate_limited', { retryAfter: Math.ceil((oldest + minuteMs - now) / 1_000) });
    this.#recent.set(accountId, [...recent, now]);
  }
}
