import type { Clock } from '../../kernel/clock.ts';
import { refilled } from '../../kernel/token-buckets.ts';

const bounds = { burst: 60, perSecond: 2 };

/**
 * Rate limit of a connection's frames. Beside its key a client sends an answer to a ping every 25 s, a few frames to upgrade from polling
 * to a WebSocket, and its own pings. One packet can contain 9,000 frames, and nothing else limits them. [faults: 186]
 */
export class FrameRate {
  readonly #clock: Clock;
  readonly #onExceeded: () => void;
  #left = bounds.burst;
  #at: number;

  constructor(clock: Clock, onExceeded: () => void) {
    this.#clock = clock;
    this.#onExceeded = onExceeded;
    this.#at = clock.monotonic();
  }

  readonly count = (): void => {
    const now = this.#clock.monotonic();
    this.#left = refilled(this.#left, now - this.#at, bounds.perSecond, bounds.burst) - 1;
    this.#at = now;
    if (this.#left < 0) this.#onExceeded();
  };
}
