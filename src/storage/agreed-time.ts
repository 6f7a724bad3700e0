import type { Clock } from '../kernel/clock.ts';
import type { DueWorkStore } from './due-work.ts';

interface Clocks {
  stores: { dueWork: Pick<DueWorkStore, 'serverTime'> };
  clock: Pick<Clock, 'now'>;
}

/**
 * The time (ms) at which something is over for all nodes, for what cannot be undone: to erase what has expired, to end a licence. A node whose
 * clock is ahead would do that to what the others still need; one whose clock is behind only does it later. Throws StoreUnavailable.
 * [faults: 457]
 */
export async function agreedNow({ stores, clock }: Clocks): Promise<number> {
  const ofServer = await stores.dueWork.serverTime();
  const now = clock.now();
  return ofServer === null ? now : Math.min(now, ofServer);
}
