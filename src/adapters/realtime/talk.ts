import type { Clock } from '../../kernel/clock.ts';
import { refilled } from '../../kernel/token-buckets.ts';

const bounds = { burst: 60, perSecond: 2 };

/**
 * What one client says beside its key: an answer to a ping each 25 s, a few words to change from polling to a WebSocket, pings of its
 * own. 9,000 frames come in one packet, and nothing else bounds them. [faults: 186]
 */
export class Talk {
  readonly #clock: Clock;
  readonly #tooMuch: () => void;
  #left = bounds.burst;
  #at: number;

  constructor(clock: Clock, tooMuch: () => void) {
    this.#clock = clock;
    this.#tooMuch = tooMuch;
    this.#at = clock.monotonic();
  }

  readonly said = (): void => {
    const now = this.#clock.monotonic();
    this.#left = refilled(this.#left, now - this.#at, bounds.perSecond, bounds.burst) - 1;
    this.#at = now;
    if (this.#left < 0) this.#tooMuch();
  };
}
