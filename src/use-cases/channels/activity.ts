/**
 * When each channel was last heard and last delivered, gathered in memory and written once a minute: a POST of upstream and a delivery
 * pay a look into a map. A node that dies takes a minute of it along. [faults: I11]
 */
import type { ChannelHealth } from '../../domain/channels/health.ts';
import type { ChannelFact } from '../../domain/messages/facts.ts';
import type { Activity, HealthStore } from '../ports/health.ts';

/** Channels that are heard of between two writes; about 200 B each. */
const maxChannels = 20_000;

type Times = Omit<Activity, 'channelId'>;

export class ChannelActivity {
  readonly #store: HealthStore;
  #seen = new Map<string, Times>();

  constructor(store: HealthStore) {
    this.#store = store;
  }

  /** Upstream told the channel this. */
  heard(channelId: string, facts: readonly ChannelFact[], now: number): void {
    const times = this.#timesOf(channelId);
    if (times === undefined) return;
    for (const { kind } of facts) {
      if (kind === 'inbound') times.inboundAt = now;
      else if (kind !== 'echo') times.statusAt = now;
    }
  }

  /** A receiver took a delivery of the channel, or did not. */
  delivered(channelId: string, isTaken: boolean, now: number): void {
    const times = this.#timesOf(channelId);
    if (times !== undefined) times[isTaken ? 'deliveredAt' : 'deliveryFailedAt'] = now;
  }

  /** What is written and what this node has seen since. */
  with(health: ChannelHealth): ChannelHealth {
    return { ...health, ...this.#seen.get(health.channelId) };
  }

  /** Throws StoreUnavailable; then it stays for the next time. */
  async keep(): Promise<void> {
    if (this.#seen.size === 0) return;
    const seen = this.#seen;
    this.#seen = new Map();
    try {
      await this.#store.noteActivity([...seen].map(([channelId, times]) => ({ channelId, ...times })));
    } catch (error) {
      for (const [channelId, times] of seen)
        this.#seen.set(channelId, { ...times, ...this.#seen.get(channelId) });
      throw error;
    }
  }

  #timesOf(channelId: string): Times | undefined {
    const known = this.#seen.get(channelId);
    if (known !== undefined || this.#seen.size >= maxChannels) return known;
    const times: Times = {};
    this.#seen.set(channelId, times);
    return times;
  }
}
