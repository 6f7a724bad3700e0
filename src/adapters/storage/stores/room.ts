/** Bounds of what an account or a channel may have, however many are added at once, on whatever nodes. */
import { sleep, systemClock } from '../../../kernel/clock.ts';

/** So long one waits for those behind it to go. They don't where a node's clock is behind: then there was no room for it. */
const looks = 50;
const betweenLooksMs = 20;

/**
 * Whether what was just added under this id may stay. Looked at after it is there: of any that race the last sees all, so that no more
 * than `max` stay. Of too many, those behind the first `max` go and the others look again: so many stay. `list`: in an order that all
 * of them see.
 */
export async function hasRoom(
  { id, max }: { id: string; max: number },
  list: () => Promise<readonly { id: string }[]>,
): Promise<boolean> {
  for (let look = 1; look <= looks; look += 1) {
    const found = await list();
    if (found.length <= max) return true;
    if (!found.slice(0, max).some((one) => one.id === id)) return false;
    await sleep(systemClock, betweenLooksMs);
  }
  return false;
}
