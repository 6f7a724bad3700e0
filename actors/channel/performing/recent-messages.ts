/**
 * Cache of what a status needs of its message, for the messages with the latest sends or statuses: upstream reports most statuses within
 * seconds of the send, three per message, and names our id in them. Ids, recipient and origin never change; `statusAt` rises with what this
 * activation records. One cache per node. An entry is visible only to the activation that made it: another channel must not see it, and
 * after another owner the store may have more. [performance §4; faults: I6, I11]
 */
import type { SubjectMessage } from '../../../src/storage/journal/channel-journal.ts';

interface RecentMessage extends SubjectMessage {
  channelId: string;
  epoch: number;
}

/** The activation that asks. */
interface Owner {
  key: string;
  grant: { epoch: number };
}

const noIds: string[] = [];

export class RecentMessages {
  readonly #perHalf: number;
  /** Two halves: when the young one is full it replaces the old one, whose messages are forgotten. */
  #young = new Map<string, RecentMessage>();
  #old = new Map<string, RecentMessage>();

  /** About 300 B for each of `max`. */
  constructor(max = 20_000) {
    this.#perHalf = Math.ceil(max / 2);
  }

  /** The message is stored, and from now on only this owner emits events about it. */
  remember(
    { key, grant }: Owner,
    { id, origin, recipient, statusAt }: Omit<SubjectMessage, 'upstreamIds'>,
  ): void {
    if (this.#young.size >= this.#perHalf) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    const { epoch } = grant;
    this.#young.set(id, { id, origin, recipient, statusAt, upstreamIds: noIds, channelId: key, epoch });
  }

  /** The message, without upstream ids: a look-up by upstream id has to ask the store. */
  find({ key, grant }: Owner, id: string): SubjectMessage | undefined {
    const found = this.#young.get(id) ?? this.#old.get(id);
    return found?.channelId === key && found.epoch === grant.epoch ? found : undefined;
  }

  /** A status at this time is stored. */
  raise(owner: Owner, id: string, at: number): void {
    const found = this.find(owner, id);
    if (found !== undefined) found.statusAt = Math.max(found.statusAt ?? 0, at);
  }

  /** The stored state of the message is uncertain. */
  forget(id: string): void {
    this.#young.delete(id);
    this.#old.delete(id);
  }
}
