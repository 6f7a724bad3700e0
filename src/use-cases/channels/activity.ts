/**
 * When each channel was last heard and last delivered, gathered in memory and written once a minute: a POST of upstream and a delivery
 * pay a look into a map. A node that dies takes a minute of it along. [faults: I11]
 */
import type { ChannelHealth } from '../../domain/channels/health.ts';
import type { ChannelFact } from '../../domain/messages/facts.ts';
import { warnedAttempt } from '../../domain/webhooks/retry.ts';
import { Gathered } from '../gathered.ts';
import type { Activity, HealthStore } from '../ports/health.ts';

/** Channels that are heard of between two writes; about 200 B each. */
const maxChannels = 20_000;

type Times = Omit<Activity, 'channelId'>;
type Store = Pick<HealthStore, 'noteActivity' | 'failingAmong'>;

/** `result`: what the endpoint answered when it failed. */
export interface Posted {
  isTaken: boolean;
  attempt: number;
  result: string;
}

interface Failing {
  failingSince?: number | null;
  warnedAt?: number | null;
}

/** Since when the receiver fails, if the account was warned of it; null: it works, or nobody was warned. */
function warnedFailure({ failingSince = null, warnedAt }: Failing): number | null {
  return failingSince !== null && (warnedAt ?? 0) >= failingSince ? failingSince : null;
}

export class ChannelActivity {
  readonly #store: Store;
  readonly #seen = new Gathered<Times>(maxChannels);
  #recovered = new Map<string, number>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Upstream told the channel this. */
  heard(channelId: string, facts: readonly ChannelFact[], now: number): void {
    const times = this.#seen.of(channelId, noTimes);
    if (times === undefined) return;
    for (const { kind } of facts) {
      if (kind === 'inbound') times.inboundAt = now;
      else if (kind !== 'echo') times.statusAt = now;
    }
  }

  /** A receiver took a delivery of the channel, or did not. */
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
      // The mail goes out with this very attempt. [spec: Warning e-mail]
      if (posted.attempt >= warnedAttempt) times.warnedAt = now;
    }
  }

  /** Asked for before the store is read: adds what this node has seen to what is read. */
  reader(): (health: ChannelHealth) => ChannelHealth {
    const seenOf = this.#seen.reader();
    return (health) => Object.assign({ ...health }, ...seenOf(health.channelId));
  }

  /**
   * Before it is written, `recovered` is told of channels whose receivers work again after their owners were warned, with since when
   * they had failed. Throws StoreUnavailable; then everything stays for the next time.
   */
  keep(recovered: (channelId: string, since: number) => Promise<void>): Promise<void> {
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

  /** Of those that were taken from again now, the ones that the store knows as failing and warned. */
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
