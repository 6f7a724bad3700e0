/**
 * Hourly counts of finished deliveries, buffered in memory and written once a minute: a delivery costs one map look-up. A node that dies
 * loses one minute. [faults: I11]
 */
import { readOwner } from '../../rules/webhooks/endpoints.ts';
import { addCounts, findBucket, emptyHour, findHour } from './hours.ts';
import type { DeliveryHour } from './hours.ts';
import { inTurns } from '../../kernel/clock.ts';
import { SerialQueue } from '../../kernel/serial.ts';
import type { DeliveryHourStore } from './hours-store.ts';

/** Accounts, and channels with given-up deliveries, between two writes; about 300 B each. Further ones are not counted. */
const maxGathered = 20_000;
const perWrite = 500;
/** Takes about 4 ms. */
const channelsPerTurn = 100;

/** A delivery that the receiver acknowledged. */
export interface AcknowledgedDelivery {
  accountId: string;
  attempt: number;
  /** Time from upstream's event to the receiver's 2xx. */
  latencyMs: number;
}

interface GivenUp {
  /** The channel, or an endpoint of it. */
  channelId: string;
  at: number;
  count: number;
}

/** The account of a channel. */
interface Channels {
  byId: (channelId: string) => Promise<{ accountId: string } | null>;
}

export class DeliveryTally {
  readonly #store: DeliveryHourStore;
  readonly #channels: Channels;
  #hours = new Map<string, DeliveryHour>();
  readonly #givenUp = new Map<string, GivenUp>();
  readonly #writing = new SerialQueue();

  constructor(store: DeliveryHourStore, channels: Channels) {
    this.#store = store;
    this.#channels = channels;
  }

  acknowledged({ accountId, attempt, latencyMs }: AcknowledgedDelivery, now: number): void {
    const hour = this.#findHour(accountId, findHour(now));
    if (hour === null) return;
    hour[attempt === 1 ? 'delivered' : 'retried'] += 1;
    hour[findBucket(latencyMs)] += 1;
  }

  /** Counts a delivery of the channel that was given up at this time; -1: it is replayed, and counts by how it ends then. */
  givenUp(channelId: string, endedAt: number, count: 1 | -1 = 1): void {
    const at = findHour(endedAt);
    const key = `${channelId}:${at}`;
    const known = this.#givenUp.get(key);
    if (known !== undefined) known.count += count;
    else if (this.#givenUp.size < maxGathered) this.#givenUp.set(key, { channelId, at, count });
  }

  /**
   * Hours of an account with these channels from `since` on, unordered: stored ones, then buffered ones. Runs between writes, so that
   * nothing is counted twice or missed.
   */
  hoursOf(accountId: string, channelIds: readonly string[], since: number): Promise<DeliveryHour[]> {
    return this.#writing.run(async () => {
      const written = await this.#store.since(accountId, since);
      return [...written, ...this.#gathered(accountId, channelIds)];
    });
  }

  #gathered(accountId: string, channelIds: readonly string[]): DeliveryHour[] {
    const own = new Set(channelIds);
    const acknowledged = [...this.#hours.values()].filter((hour) => hour.accountId === accountId);
    const givenUp = [...this.#givenUp.values()].filter(({ channelId }) =>
      own.has(readOwner(channelId).channelId),
    );
    return [
      ...acknowledged,
      ...givenUp.map(({ at, count }) => ({ ...emptyHour(accountId, at), givenUp: count })),
    ];
  }

  /** Writes the buffer. Throws StoreUnavailable; then unwritten counts stay buffered. */
  async flush(): Promise<void> {
    await this.#findAccounts();
    await this.#writing.run(() => this.#write());
  }

  async #write(): Promise<void> {
    const hours = [...this.#hours.values()];
    this.#hours = new Map();
    for (let written = 0; written < hours.length; written += perWrite) {
      try {
        await this.#store.add(hours.slice(written, written + perWrite));
      } catch (error) {
        for (const left of hours.slice(written)) this.#add(left);
        throw error;
      }
    }
  }

  /** Looks up the account of each channel, here rather than per delivery. Counts of deleted channels are dropped. */
  async #findAccounts(): Promise<void> {
    for await (const [key, givenUp] of inTurns([...this.#givenUp], channelsPerTurn)) {
      const channel = await this.#channels.byId(readOwner(givenUp.channelId).channelId);
      if (this.#givenUp.get(key) !== givenUp) continue; // a concurrent call was faster
      this.#givenUp.delete(key);
      if (channel !== null)
        this.#add({ ...emptyHour(channel.accountId, givenUp.at), givenUp: givenUp.count });
    }
  }

  #add(more: DeliveryHour): void {
    const hour = this.#findHour(more.accountId, more.at);
    if (hour !== null) addCounts(hour, more);
  }

  #findHour(accountId: string, at: number): DeliveryHour | null {
    const key = `${accountId}:${at}`;
    const known = this.#hours.get(key);
    if (known !== undefined || this.#hours.size >= maxGathered) return known ?? null;
    const hour = emptyHour(accountId, at);
    this.#hours.set(key, hour);
    return hour;
  }
}
