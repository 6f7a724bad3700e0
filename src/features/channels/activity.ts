/**
 * Times of each channel's last upstream events and deliveries, buffered in memory and written once a minute: a POST of upstream or a
 * delivery costs one map look-up. A node that dies loses one minute. [faults: I11]
 */
import type { ChannelHealth } from '../../rules/channels/health.ts';
import type { ChannelFact } from '../../rules/messages/facts.ts';
import { warnedAttempt } from '../../rules/webhooks/retry.ts';
import { WriteBehindBuffer } from '../../kernel/write-behind-buffer.ts';
import type { Activity, HealthStore } from './health-store.ts';

/** Channels with activity between two writes; about 200 B each. */
const maxChannels = 20_000;

type Times = Omit<Activity, 'channelId'>;
type Store = Pick<HealthStore, 'noteActivity' | 'failingAmong'>;

/** A delivery attempt. `result` describes the failure. */
export interface Posted {
  isTaken: boolean;
  attempt: number;
  result: string;
}

interface Failing {
  failingSince?: number | null;
  warnedAt?: number | null;
}

/** Start of the receiver's failure if the account was warned of it; null if deliveries work or nobody was warned. */
function warnedFailure({ failingSince = null, warnedAt }: Failing): number | null {
  return failingSince !== null && (warnedAt ?? 0) >= failingSince ? failingSince : null;
}

export class ChannelActivity {
  readonly #store: Store;
  readonly #seen = new WriteBehindBuffer<Times>(maxChannels);
  #recovered = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Notes facts that upstream reported. */
  heard(channelId: string, facts: readonly ChannelFact[], now: number): void {
    const times = this.#seen.of(channelId, noTimes);
    if (times === undefined) return;
    for (const { kind } of facts) {
      if (kind === 'inbound') times.inboundAt = now;
      else if (kind !== 'echo' && kind !== 'person') times.statusAt = now;
    }
  }

  /** Notes the outcome of a delivery attempt. */
  delivered(channelId: string, posted: Posted, now: number): void {
    const times = this.#seen.of(channelId, noTimes);
    if (times === undefined) return;
    if (posted.isTaken) {
      const since = warnedFailure(times);
      if (since !== null) this.#recovered.set(channelId, since);
      times.deliveredAt = now;
      times.failingSince = null;
    } else {
      times.deliveryFailedAt = now;
      times.failingSince ??= now;
      times.lastFailure = posted.result;
      // The warning mail is sent at this attempt. [spec: Warning e-mail]
      if (posted.attempt >= warnedAttempt) times.warnedAt = now;
    }
  }

  /** What has failed until now counts no more. */
  forgetFailing(channelId: string): void {
    const times = this.#seen.of(channelId, noTimes);
    if (times !== undefined) times.failingSince = null;
  }

  /** Call it before reading the store: the reader adds this node's buffered times to a health that was read. */
  reader(): (health: ChannelHealth) => ChannelHealth {
    const seenOf = this.#seen.reader();
    return (health) => Object.assign({ ...health }, ...seenOf(health.channelId));
  }

  /**
   * Writes the buffer. Before that it calls `recovered` for each channel whose receiver works again after the account was warned, with
   * the start of the failure. Throws StoreUnavailable; then everything stays buffered.
   */
  flush(recovered: (channelId: string, since: number) => Promise<void>): Promise<void> {
    return this.#seen.write(async (seen) => {
      const again = this.#recovered;
      this.#recovered = new Map();
      try {
        for (const [channelId, since] of await this.#recoveredIn(seen)) again.set(channelId, since);
        for (const [channelId, since] of again) await recovered(channelId, since);
        await this.#store.noteActivity([...seen].map(([channelId, times]) => ({ channelId, ...times })));
      } catch (error) {
        for (const [channelId, since] of again) this.#recovered.set(channelId, since);
        throw error;
      }
    });
  }

  /** Channels with a new successful delivery that the store records as failing and warned. */
  async #recoveredIn(seen: ReadonlyMap<string, Times>): Promise<[string, number][]> {
    const taken = [...seen].flatMap(([channelId, { deliveredAt }]) =>
      deliveredAt === undefined ? [] : [channelId],
    );
    if (taken.length === 0) return [];
    return (await this.#store.failingAmong(taken)).flatMap((health) => {
      const since = warnedFailure(health);
      const deliveredAt = seen.get(health.channelId)?.deliveredAt ?? 0;
      return since !== null && deliveredAt >= since ? [[health.channelId, since]] : [];
    });
  }
}

function noTimes(): Times {
  return {};
}
