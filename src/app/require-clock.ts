import { dayMs, toIso } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import type { DueWorkStore } from '../storage/due-work.ts';
import { StartError } from './listener.ts';

/**
 * A clock may be wrong at a start, and is then believed. What a node with a clock of days ago stores is older than what the others keep, and
 * gone within a minute. One that is ahead loses nothing: what cannot be undone waits for the server's clock too. Throws StartError.
 * [faults: 457]
 */
export async function requireClock(
  dueWork: Pick<DueWorkStore, 'serverTime'>,
  clock: Pick<Clock, 'wall'>,
): Promise<void> {
  const ofServer = await dueWork.serverTime();
  const own = clock.wall();
  if (ofServer === null || ofServer - own <= dayMs) return;
  throw new StartError(
    `the clock of this machine says ${toIso(own)}, and MongoDB's ${toIso(ofServer)}: set the one that is wrong, then start again`,
  );
}
