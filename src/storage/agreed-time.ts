import type { Clock } from '../kernel/clock.ts';
import type { DueWorkStore } from './due-work.ts';

interface Clocks {
  stores: { dueWork: Pick<DueWorkStore, 'serverTime'> };
  clock: Pick<Clock, 'now'>;
}

/**
 * The time (ms) at which something is over for all nodes, for what cannot be undone: to erase what has expired, to end a licence. A node whose
 * clock is ahead would do that to what the others still need; one whose clock is behind only does it later. `aheadMs`: of this node's clock
 * before the server's; negative: behind. Throws StoreUnavailable. [faults: 457]
 */
export async function agreedTime({ stores, clock }: Clocks): Promise<{ now: number; aheadMs: number }> {
  const ofServer = await stores.dueWork.serverTime();
  const own = clock.now();
  const aheadMs = ofServer === null ? 0 : own - ofServer;
  return { now: own - Math.max(0, aheadMs), aheadMs };
}

export const agreedNow = async (clocks: Clocks): Promise<number> => (await agreedTime(clocks)).now;
