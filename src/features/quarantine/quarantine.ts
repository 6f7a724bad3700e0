/**
 * Samples of upstream items that were dropped unintentionally, for operators: one entry per shape, with the number of its
 * items. Buffered in memory and written once a second, so that a POST costs nothing; a node that dies loses one
 * second of samples, and its counters. [faults: 46, I11]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { UnparsedItem } from '../../rules/messages/facts.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { dayMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { SerialQueue } from '../../kernel/serial.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { QuarantinedItem } from './entity.ts';
import type { QuarantineStore } from './store.ts';

/** Shapes between two writes; further ones are only counted. */
const maxGathered = 200;
/** Shapes kept in the store, and their retention after they were last seen. */
const maxKept = 1_000;
const keptMs = 30 * dayMs;

type Gathered = UnparsedItem & { sealed: null; id: string; createdAt: number; lastSeenAt: number };

/** The channels of upstream's identities. */
interface Channels {
  byIdentity: (
    channelType: ChannelType,
    identities: readonly string[],
  ) => Promise<ReadonlyMap<string, Pick<Channel, 'id' | 'accountId'>>>;
}

export class Quarantine {
  readonly #store: QuarantineStore;
  readonly #channels: Channels;
  readonly #clock: Clock;
  #gathered = new Map<string, Gathered>();
  readonly #writing = new SerialQueue();

  constructor(store: QuarantineStore, channels: Channels, clock: Clock) {
    this.#store = store;
    this.#channels = channels;
    this.#clock = clock;
  }

  take(items: readonly UnparsedItem[]): void {
    const now = this.#clock.now();
    for (const item of items) {
      const id = makeItemId(item);
      const known = this.#gathered.get(id);
      if (known !== undefined) {
        known.times += item.times;
        known.lastSeenAt = now;
      } else if (this.#gathered.size < maxGathered) {
        this.#gathered.set(id, { ...item, id, sealed: null, createdAt: now, lastSeenAt: now });
      }
    }
  }

  /** Writes the buffer, after a write that is running. Throws StoreUnavailable; then the items stay buffered. */
  flush(): Promise<void> {
    return this.#writing.run(() => this.#write());
  }

  async #write(): Promise<void> {
    if (this.#gathered.size === 0) return;
    const gathered = this.#gathered;
    this.#gathered = new Map();
    try {
      await this.#store.add(await this.#withChannels([...gathered.values()]));
    } catch (error) {
      this.take([...gathered.values()]);
      throw error;
    }
  }

  trim(stopping?: AbortSignal): Promise<number> {
    return this.#store.trim(maxKept, this.#clock.now() - keptMs, stopping);
  }

  async #withChannels(gathered: readonly Gathered[]): Promise<QuarantinedItem[]> {
    const byType = new Map<ChannelType, Set<string>>();
    for (const { channelType, identity } of gathered) {
      if (channelType === null || identity === null) continue;
      byType.set(channelType, (byType.get(channelType) ?? new Set()).add(identity));
    }
    const channels = new Map<string, { channelId: string; accountId: string }>();
    for (const [channelType, identities] of byType) {
      const found = await this.#channels.byIdentity(channelType, [...identities]);
      for (const [identity, { id: channelId, accountId }] of found)
        channels.set(`${channelType} ${identity}`, { channelId, accountId });
    }
    const nobody = { channelId: null, accountId: null };
    return gathered.map((item) => ({
      ...item,
      ...(channels.get(`${item.channelType} ${item.identity}`) ?? nobody),
    }));
  }
}

function makeItemId({ reason, channelType, identity, kind, shape }: UnparsedItem): string {
  return idFrom('quarantine', reason, channelType ?? '', identity ?? '', kind, shape);
}
