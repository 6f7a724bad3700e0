/**
 * Events of a channel over the last 24 hours, in parts of two hours: counted along the log's index when somebody looks, and kept for a
 * minute. No delivery pays for it, and nothing is stored. [portal: How it looks, plots]
 */
import { hourMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ReadThroughCache } from '../../kernel/read-through-cache.ts';
import type { SearchQueue } from '../../kernel/search-queue.ts';
import type { Stores } from '../stores.ts';

export interface ChannelHours {
  /** Start of the first part (ms). */
  since: number;
  /** Oldest first; the last one is under way. A part of more than `mostCounted` counts as so many. */
  counts: readonly number[];
}

export const partMs = 2 * hourMs;
const partCount = 12;
/** A channel that had no more is read at once; of a busier one each part is counted by itself. */
const mostRead = 100;
export const mostCounted = 250;
const keptMs = 60_000;
const maxKept = 5_000;

interface Sources {
  log: Pick<Stores['deliveryLog'], 'timesSince' | 'countBetween'>;
  searches: SearchQueue;
  clock: Clock;
}

export class ChannelHourCounts {
  readonly #sources: Sources;
  readonly #known: ReadThroughCache<ChannelHours>;

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#known = new ReadThroughCache({ max: maxKept, ttlMs: keptMs, clock: sources.clock });
  }

  /** Of channels that the account has, one after the other. Throws 429 if too many searches of the account wait. */
  async ofEach(accountId: string, channelIds: readonly string[]): Promise<ReadonlyMap<string, ChannelHours>> {
    const found = new Map<string, ChannelHours>();
    for (const id of channelIds) {
      const known = this.#known.get(id);
      if (known !== undefined) found.set(id, known);
    }
    const missing = channelIds.filter((id) => !found.has(id));
    if (missing.length > 0)
      await this.#sources.searches.run(accountId, async () => {
        for (const id of missing) found.set(id, await this.#known.find(id, () => this.#count(id)));
      });
    return found;
  }

  async #count(channelId: string): Promise<ChannelHours> {
    const { log, clock } = this.#sources;
    const now = clock.now();
    const since = now - (now % partMs) - (partCount - 1) * partMs;
    const times = await log.timesSince({ channelId, since, limit: mostRead + 1 });
    const starts = Array.from({ length: partCount }, (_, part) => since + part * partMs);
    const count = async (from: number): Promise<number> => {
      const below = from + partMs;
      if (times.length <= mostRead) return times.filter((at) => at >= from && at < below).length;
      return log.countBetween({ channelId, from, below, limit: mostCounted });
    };
    return { since, counts: await Promise.all(starts.map(count)) };
  }
}
