/**
 * What a status needs of the message it is about, of the messages with the latest send or status: upstream reports most statuses within
 * seconds of the send, three to a message, and names our id in them. Ids, recipient and origin never change; `statusAt` is raised with
 * what this activation records. One memory for a node; nothing is said of a message to another channel, nor to another activation of its
 * own: an owner in between may have recorded more. [performance §4; faults: I6, I11]
 */
import type { SubjectMessage } from '../ports/store.ts';

interface RecentMessage extends SubjectMessage {
  channelId: string;
  epoch: number;
}

/** Whose memory is asked. */
interface Owner {
  key: string;
  lease: { epoch: number };
}

const noIds: string[] = [];

export class RecentMessages {
  readonly #perHalf: number;
  /** Two halves: when the young one is full it takes the place of the old one, whose messages are forgotten. */
  #young = new Map<string, RecentMessage>();
  #old = new Map<string, RecentMessage>();

  /** Some 300 B for each of `max`. */
  constructor(max = 20_000) {
    this.#perHalf = Math.ceil(max / 2);
  }

  /** The message is on record, and this owner emits every event about it from now on. */
  remember(
    { key, lease }: Owner,
    { id, origin, recipient, statusAt }: Omit<SubjectMessage, 'upstreamIds'>,
  ): void {
    if (this.#young.size >= this.#perHalf) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const { epoch } = lease;
    this.#young.set(id, { id, origin, recipient, statusAt, upstreamIds: noIds, channelId: key, epoch });
  }

  /** The message without its upstream ids: a look-up by upstream id goes to the store. */
  find({ key, lease }: Owner, id: string): SubjectMessage | undefined {
    const found = this.#young.get(id) ?? this.#old.get(id);
    return found?.channelId === key && found.epoch === lease.epoch ? found : undefined;
  }

  /** A status at this time is on record. */
  raise(owner: Owner, id: string, at: number): void {
    const found = this.find(owner, id);
    if (found !== undefined) found.statusAt = Math.max(found.statusAt ?? 0, at);
  }

  /** The record of the message is not certain. */
  forget(id: string): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }
}
