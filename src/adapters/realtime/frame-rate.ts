import type { Clock } from '../../kernel/clock.ts';
import { refilled } from '../../kernel/token-buckets.ts';

const bounds = { burst: 60, perSecond: 2 };

/**
 * The rate limit of one connection's frames: beside its key a client sends an answer to a ping each 25 s, a few frames to change from polling
 * to a WebSocket, pings of its own. 9,000 frames come in one packet, and nothing else bounds them. [faults: 186]
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
