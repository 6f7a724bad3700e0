/**
 * Wakes channels that have due work but no live owner. What their owners cannot end now, because a receiver fails or a number is paused,
 * stays due: so a sweep continues behind the one before, or a few hundred such channels would keep all others from being woken.
 * [architecture §6.6; faults: 450]
 */
import type { ChannelRouter } from '../../actors/channel/asks.ts';
import type { Clock } from '../kernel/clock.ts';
import type { DueWorkStore } from '../storage/due-work.ts';

const channelsPerSweep = 200;

interface Parts {
  stores: { dueWork: Pick<DueWorkStore, 'channelsWithDueWork' | 'channelsWithUntakenSends'> };
  router: Pick<ChannelRouter, 'tell'>;
  clock: Pick<Clock, 'now'>;
}

export class DueWorkSweep {
  readonly #parts: Parts;
  /** The last channel that was woken; empty: the next sweep begins with the first. */
  #after = '';
  /**
   * As `#after`, of a look at all open work, once: an earlier process with its clock ahead has dated it, perhaps hours ahead. Its owner sees
   * that. null: all was looked at. [faults: 555]
   */
  #lookedUpTo: string | null = '';

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws StoreUnavailable. */
  async sweep(): Promise<void> {
    const { stores, router, clock } = this.#parts;
    const channels = await stores.dueWork.channelsWithDueWork(clock.now(), channelsPerSweep, this.#after);
    this.#after = channels.length < channelsPerSweep ? '' : (channels.at(-1) ?? '');
    const left = await this.#left();
    for (const channelId of new Set([...channels, ...left])) router.tell(channelId, { type: 'wake' });
    for (const channelId of await stores.dueWork.channelsWithUntakenSends(channelsPerSweep))
      router.tell(channelId, { type: 'wake', untaken: true });
  }

  async #left(): Promise<string[]> {
    if (this.#lookedUpTo === null) return [];
    const { dueWork } = this.#parts.stores;
    const left = await dueWork.channelsWithDueWork(Infinity, channelsPerSweep, this.#lookedUpTo);
    this.#lookedUpTo = left.length < channelsPerSweep ? null : (left.at(-1) ?? null);
    return left;
  }
}
