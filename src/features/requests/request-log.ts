/**
 * What a node gathers of the API requests that it answers: kept in memory and written once a second, so that a request costs one map look-up.
 * Above a rate per account requests are only counted, and the log contains the count; failures have a rate of their own, so that successes
 * never displace them. A node that dies loses one second. [faults: I11]
 */
import type { EndedRequest } from '../../http/options.ts';
import { minuteMs, dayMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { WriteBehindList } from '../../kernel/write-behind-buffer.ts';
import type { LeftOutRequests, LoggedRequest } from './entity.ts';
import type { RequestLogStore } from './store.ts';

/** Requests logged per account and node. */
const perMinute = { succeeded: 60, failed: 120 };
/** Bound of the whole buffer between two writes; its last part is reserved for failures. */
const maxGathered = { succeeded: 2_000, failed: 4_000 };
const keptMs = 7 * dayMs;
/** Per account; a filter with few matches scans all of them. */
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
  readonly #gathered = new WriteBehindList<LoggedRequest>();

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
    else this.#gathered.add({ ...request, id: newId(), isFailed, leftOut: null, createdAt: now });
  }

  /** Writes the buffer, after a write that is running. Throws StoreUnavailable; then the entries stay buffered. */
  flush(): Promise<void> {
    this.#closeMinutes();
    return this.#gathered.write((requests) => this.#store.add(requests));
  }

  trim(stopping?: AbortSignal): Promise<number> {
    return this.#store.trim(maxKept, oldestKept(this.#clock), stopping);
  }

  #openTally(accountId: string, minute: number): Tally {
    const known = this.#tallies.get(accountId);
    if (known?.minute === minute) return known;
    if (known !== undefined) this.#logLeftOut(accountId, known);
    const tally = { minute, seen: { succeeded: 0, failed: 0 }, leftOut: { succeeded: 0, failed: 0 } };
    this.#tallies.set(accountId, tally);
    return tally;
  }

  /** Logs the counts of omitted requests for past minutes and drops their tallies. */
  #closeMinutes(): void {
    const minute = Math.floor(this.#clock.now() / minuteMs);
    for (const [accountId, tally] of this.#tallies) {
      if (tally.minute === minute) continue;
      this.#logLeftOut(accountId, tally);
      this.#tallies.delete(accountId);
    }
  }

  #logLeftOut(accountId: string, { minute, leftOut }: Tally): void {
    // Bounds the buffer during a long store outage: then such counts are dropped too.
    if (leftOut.succeeded + leftOut.failed === 0 || this.#gathered.length >= 2 * maxGathered.failed) return;
    const none = { apiKeyId: '', method: '', route: '', status: 0, code: null, requestId: '', durationMs: 0 };
    const createdAt = (minute + 1) * minuteMs - 1;
    this.#gathered.add({ ...none, id: newId(), accountId, isFailed: false, leftOut, createdAt });
  }
}

export function oldestKept(clock: Clock): number {
  return clock.now() - keptMs;
}
