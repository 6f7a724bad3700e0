/**
 * What a node hears of the names of people: kept in memory and written once a second, each once a day, so that a message or a send costs one
 * map look-up if upstream told a second name, and nothing otherwise. A node that dies loses one second of it; the person's next message tells
 * it again. [spec: Additions; faults: 367]
 */
import type { Channel } from '../../rules/channels/channel.ts';
import type { ChannelFact } from '../../rules/messages/facts.ts';
import type { RecipientNames } from '../../rules/messages/recipient-names.ts';
import { namesToldBy, namesToldOf } from '../../rules/messages/same-person.ts';
import type { SamePerson } from '../../rules/messages/same-person.ts';
import { dayMs } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import { lruCache } from '../../kernel/lru-cache.ts';
import { WriteBehindBuffer } from '../../kernel/write-behind-buffer.ts';
import type { PersonName } from './entity.ts';
import type { PersonNameStore } from './store.ts';

/** Names told between two writes; about 300 B each. Further ones are told again later. */
const maxGathered = 20_000;
/** Names of which the node remembers that they are stored. */
const maxRemembered = 50_000;
/** Per account. */
const maxKept = 1_000_000;

type Owner = Pick<Channel, 'id' | 'accountId'>;

export class PersonNames {
  readonly #store: PersonNameStore;
  readonly #clock: Clock;
  readonly #keptMs: number;
  readonly #gathered = new WriteBehindBuffer<PersonName>(maxGathered);
  /** What was told of a name, and since when it is stored. */
  readonly #stored = lruCache<{ sameAs: string; at: number }>(maxRemembered);

  /** `keptMs`: as long as messages are listed. */
  constructor(store: PersonNameStore, clock: Clock, keptMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#keptMs = keptMs;
  }

  /** Facts that upstream reported. */
  heard(channel: Owner, facts: readonly ChannelFact[]): void {
    for (const fact of facts) this.#noteAll(channel, namesToldBy(fact));
  }

  /** How upstream's answer to a send names its recipient. */
  answered(channel: Owner, recipient: string, names: RecipientNames): void {
    this.#noteAll(channel, namesToldOf(recipient, names));
  }

  /** Throws StoreUnavailable; then the names stay buffered. */
  flush(): Promise<void> {
    return this.#gathered.write((names) => this.#store.put([...names.values()]));
  }

  trim(stopping?: AbortSignal): Promise<number> {
    return this.#store.trim(maxKept, this.#clock.now() - this.#keptMs - dayMs, stopping);
  }

  #noteAll({ id: channelId, accountId }: Owner, told: readonly SamePerson[]): void {
    for (const { name, sameAs } of told) {
      const key = `${channelId} ${name}`;
      const now = this.#clock.now();
      const stored = this.#stored.get(key);
      if (stored?.sameAs === sameAs && now - stored.at < dayMs) continue;
      const id = idFrom('person-name', channelId, name);
      const item = { id, accountId, channelId, name, sameAs, createdAt: now };
      const gathered = this.#gathered.of(id, () => item);
      if (gathered === undefined) continue;
      Object.assign(gathered, item);
      this.#stored.set(key, { sameAs, at: now });
    }
  }
}
