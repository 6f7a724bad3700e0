import { minuteMs, systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { asError } from './faults.ts';
import type { Log } from './log.ts';

/** So many outages a minute are told one by one. */
const toldPerMinute = 5;

/**
 * Logs one outage of one external service, however many connections are affected and however often they retry: `<name>.away` when the first
 * connection is lost, `<name>.back` when the last is back. A service that takes connections and then refuses what they ask for would be away
 * and back twice a second, for days: after a few such turns it is away until a minute has passed without one. [faults: 559]
 */
export class Outage {
  readonly #name: string;
  readonly #host: string;
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #cutOff = new Set<string>();
  /** When the last outages began. */
  #began: number[] = [];
  /** As the log says. */
  #isAway = false;
  #cancelBack: () => void = () => undefined;

  constructor(name: string, host: string, log: Log, clock: Pick<Clock, 'monotonic' | 'after'> = systemClock) {
    this.#name = name;
    this.#host = host;
    this.#log = log;
    this.#clock = clock;
  }

  /** Logged without the error's stack, which has no code of this project. */
  away(connection: string, error?: unknown): void {
    if (this.#cutOff.size === 0) this.#begin();
    this.#cutOff.add(connection);
    if (this.#isAway) return;
    this.#isAway = true;
    const why = error === undefined ? 'the connection ended' : sayReason(asError(error));
    this.#log.warn({ host: this.#host, connection, why }, `${this.#name}.away`);
  }

  back(connection: string): void {
    if (!this.#cutOff.delete(connection) || this.#cutOff.size > 0) return;
    const [oldest = 0] = this.#began;
    const isOften = this.#began.length === toldPerMinute && this.#clock.monotonic() - oldest < minuteMs;
    if (isOften) this.#cancelBack = this.#clock.after(minuteMs, () => this.#tellBack());
    else this.#tellBack();
  }

  #begin(): void {
    this.#cancelBack();
    this.#began = [...this.#began, this.#clock.monotonic()].slice(-toldPerMinute);
  }

  #tellBack(): void {
    this.#isAway = false;
    this.#log.info({ host: this.#host }, `${this.#name}.back`);
  }
}

/** A host with several addresses fails with an error that has a code and no message. */
function sayReason(error: Error): string {
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}
