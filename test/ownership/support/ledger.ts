import { FencedError, StoreUnavailable } from '../../../src/kernel/faults.ts';
import type { LastOwner, Minted, MintTerms, Owner, OwnerStore } from '../../../src/storage/owners.ts';

interface Entry {
  channelId: string;
  epoch: number;
  messageId: string;
}

/**
 * The shared store of all nodes of a test, with the contract of the storage ports: epochs of a channel only increase, a write under a
 * lower one is refused, and the first insert of a message id wins. Every epoch is one higher, whatever step is asked for.
 */
export class Ledger implements OwnerStore {
  readonly #owners = new Map<string, LastOwner & { previous: string | null }>();
  readonly #written = new Map<string, Entry>();
  /** Every issued epoch, by channel, in order. */
  readonly minted = new Map<string, number[]>();
  refused = 0;
  isDown = false;
  #heldMints: (() => void)[] | null = null;

  /** Epochs stay unanswered until `letGo`. */
  holdMints(): { readonly waiting: number; letGo(): void } {
    const held: (() => void)[] = [];
    this.#heldMints = held;
    return {
      get waiting() {
        return held.length;
      },
      letGo: () => {
        this.#heldMints = null;
        for (const go of held) go();
      },
    };
  }

  async mint(channelId: string, { incarnation }: Owner, _now = 0, { from }: MintTerms = {}): Promise<Minted> {
    this.#answers();
    const held = this.#heldMints;
    if (held !== null) await new Promise<void>((go) => held.push(go));
    const last = this.#owners.get(channelId) ?? { epoch: 0, incarnation: null, previous: null };
    const isOthers = last.incarnation !== null && last.incarnation !== incarnation;
    if (isOthers && from?.includes(last.incarnation ?? '') === false)
      return answered({ owner: last.incarnation ?? '', epoch: last.epoch, previous: last.previous });
    const epoch = last.epoch + 1;
    const previous = last.incarnation ?? last.previous;
    this.#owners.set(channelId, { epoch, incarnation, previous });
    this.minted.set(channelId, [...(this.minted.get(channelId) ?? []), epoch]);
    return answered({ owner: incarnation, epoch, previous });
  }

  async release(channelId: string, incarnation: string, epoch?: number): Promise<void> {
    this.#answers();
    const last = this.#owners.get(channelId);
    if (last?.incarnation === incarnation && (epoch ?? last.epoch) === last.epoch)
      this.#owners.set(channelId, { epoch: last.epoch, incarnation: null, previous: incarnation });
    await answered(undefined);
  }

  async lastOwners(channelIds: readonly string[]): Promise<ReadonlyMap<string, LastOwner>> {
    this.#answers();
    const found = channelIds.flatMap((id) => {
      const last = this.#owners.get(id);
      return last === undefined ? [] : [[id, { epoch: last.epoch, incarnation: last.incarnation }] as const];
    });
    return answered(new Map(found));
  }

  ownedBy(incarnation: string): Promise<string[]> {
    this.#answers();
    return answered(this.channelsOf(incarnation));
  }

  async countOwnedBy(incarnation: string): Promise<number> {
    return (await this.ownedBy(incarnation)).length;
  }

  /** The owner of the channel; null: it is free. */
  ownerOf(channelId: string): string | null {
    return this.#owners.get(channelId)?.incarnation ?? null;
  }

  /** Resolves if the present epoch is this or an earlier one; FencedError if a higher epoch was issued. */
  async append(entry: Entry): Promise<void> {
    await answered(undefined);
    if (entry.epoch < (this.#owners.get(entry.channelId)?.epoch ?? 0)) {
      this.refused += 1;
      throw new FencedError('a higher epoch owns the channel');
    }
    if (!this.#written.has(entry.messageId)) this.#written.set(entry.messageId, entry);
  }

  channelsOf(incarnation: string): string[] {
    return [...this.#owners]
      .filter(([, owner]) => owner.incarnation === incarnation)
      .map(([channelId]) => channelId);
  }

  #answers(): void {
    if (this.isDown) throw new StoreUnavailable('the test took the store away');
  }

  epochOf(channelId: string): number {
    return this.#owners.get(channelId)?.epoch ?? 0;
  }

  entries(): Entry[] {
    return [...this.#written.values()];
  }
}

/** Like a real store, it answers in a later tick. */
function answered<T>(value: T): Promise<T> {
  return new Promise((resolve) => setImmediate(() => resolve(value)));
}
