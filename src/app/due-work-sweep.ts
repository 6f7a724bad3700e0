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

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Throws StoreUnavailable. */
  async sweep(): Promise<void> {
    const { stores, router, clock } = this.#parts;
    const channels = await stores.dueWork.channelsWithDueWork(clock.now(), channelsPerSweep, this.#after);
    this.#after = channels.length < channelsPerSweep ? '' : (channels.at(-1) ?? '');
    for (const channelId of channels) router.tell(channelId, { type: 'wake' });
    for (const channelId of await stores.dueWork.channelsWithUntakenSends(channelsPerSweep))
      router.tell(channelId, { type: 'wake', untaken: true });
  }
}
