/**
 * What became of each call of the API, gathered in memory and written once a second: a call pays a look into a map. Above a rate an
 * account's calls are counted instead, and the log says how many; those that failed have a rate of their own, so that successes
 * never displace them. A node that dies takes a second of them along. [faults: I11]
 */
import type { Clock } from '../../kernel/clock.ts';
import { OneAtATime } from '../../kernel/each-in-turn.ts';
import { newId } from '../../kernel/ids.ts';
import type { LeftOutRequests, LoggedRequest, RequestLogStore } from '../ports/request-log.ts';
import type { EndedRequest } from './types.ts';

/** Of an account on one node. */
const perMinute = { succeeded: 60, failed: 120 };
/** Between two writes, of all accounts; some are kept free for calls that failed. */
const maxGathered = { succeeded: 2_000, failed: 4_000 };
const minuteMs = 60_000;
const keptMs = 7 * 86_400_000;
/** Of an account; whoever asks for a rare one looks through all of them. */
const maxKept = 10_000;

interface Tally {
  minute: number;
  seen: LeftOutRequests;
  leftOut: LeftOutRequests;
}

export class RequestLog {
  readonly #store: RequestLogStore;
  readonly #clock: Clock;
  #tallies = new Map<string, Tally>();
  #gathered: LoggedRequest[] = [];
  readonly #writing = new OneAtATime();

  constructor(store: RequestLogStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  ended(request: EndedRequest): void {
    const now = this.#clock.now();
    const tally = this.#openTally(request.accountId, Math.floor(now / minuteMs));
    const isFailed = request.status >= 400;
    const sort = isFailed ? 'failed' : 'succeeded';
    tally.seen[sort] += 1;
    if (tally.seen[sort] > perMinute[sort] || this.#gathered.length >= maxGathered[sort])
      tally.leftOut[sort] += 1;
    else this.#gathered.push({ ...request, id: newId(), isFailed, leftOut: null, createdAt: now });
  }

  /** Writes what was gathered, and waits for what is being written. Throws StoreUnavailable; then it stays for the next time. */
  keep(): Promise<void> {
    return this.#writing.run(() => this.#write());
  }

  async #write(): Promise<void> {
    this.#closeMinutes();
    if (this.#gathered.length === 0) return;
    const gathered = this.#gathered;
    this.#gathered = [];
    try {
      await this.#store.add(gathered);
    } catch (error) {
      this.#gathered = [...gathered, ...this.#gathered];
      throw error;
    }
  }

  trim(): Promise<number> {
    return this.#store.trim(maxKept, oldestKept(this.#clock));
  }

  #openTally(accountId: string, minute: number): Tally {
    const known = this.#tallies.get(accountId);
    if (known?.minute === minute) return known;
    if (known !== undefined) this.#tell(accountId, known);
    const tally = { minute, seen: { succeeded: 0, failed: 0 }, leftOut: { succeeded: 0, failed: 0 } };
    this.#tallies.set(accountId, tally);
    return tally;
  }

  /** Of minutes that are over the log says what was left out, and they are forgotten. */
  #closeMinutes(): void {
    const minute = Math.floor(this.#clock.now() / minuteMs);
    for (const [accountId, tally] of this.#tallies) {
      if (tally.minute === minute) continue;
      this.#tell(accountId, tally);
      this.#tallies.delete(accountId);
    }
  }

  #tell(accountId: string, { minute, leftOut }: Tally): void {
    // The store may be away for long: what was left out is then left out of the count too.
    if (leftOut.succeeded + leftOut.failed === 0 || this.#gathered.length >= 2 * maxGathered.failed) return;
    const none = { apiKeyId: '', method: '', route: '', status: 0, code: null, requestId: '', durationMs: 0 };
    const createdAt = (minute + 1) * minuteMs - 1;
    this.#gathered.push({ ...none, id: newId(), accountId, isFailed: false, leftOut, createdAt });
  }
}

export function oldestKept(clock: Clock): number {
  return clock.now() - keptMs;
}
