import { FencedError, StoreUnavailable } from '../../../src/kernel/faults.ts';
import type { OwnerStore } from '../../../src/storage/owners.ts';

interface Entry {
  channelId: string;
  epoch: number;
  messageId: string;
}

/**
 * The shared store of all nodes of a test, with the contract of the storage ports: epochs of a channel only increase, a write under a
 * lower one is refused, and the first insert of a message id wins.
 */
export class Ledger implements OwnerStore {
  readonly #owners = new Map<string, { epoch: number; incarnation: string }>();
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

  async mint(
    channelId: string,
    owner: { nodeId: string; incarnation: string },
  ): Promise<{ epoch: number; previous: string | null }> {
    if (this.isDown) throw new StoreUnavailable('the test took the store away');
    const held = this.#heldMints;
    if (held !== null) await new Promise<void>((go) => held.push(go));
    const last = this.#owners.get(channelId);
    const epoch = (last?.epoch ?? 0) + 1;
    this.#owners.set(channelId, { epoch, incarnation: owner.incarnation });
    this.minted.set(channelId, [...(this.minted.get(channelId) ?? []), epoch]);
    return answered({ epoch, previous: last?.incarnation ?? null });
  }

  async lastOwners(
    channelIds: readonly string[],
  ): Promise<ReadonlyMap<string, { epoch: number; incarnation: string }>> {
    if (this.isDown) throw new StoreUnavailable('the test took the store away');
    const found = channelIds.flatMap((id) => {
      const last = this.#owners.get(id);
      return last === undefined ? [] : [[id, { ...last }] as const];
    });
    return answered(new Map(found));
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

  channelsLastMintedBy(incarnation: string): string[] {
    return [...this.#owners]
      .filter(([, owner]) => owner.incarnation === incarnation)
      .map(([channelId]) => channelId);
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
