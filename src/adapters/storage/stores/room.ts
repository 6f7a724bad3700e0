/** Enforces a bound on the items of an account or a channel, however many nodes add items at once. */
import { sleep, systemClock } from '../../../kernel/clock.ts';

/**
 * How often an item checks whether the ones behind it are gone. If they stay, this node's clock is behind, and the bound was reached
 * before.
 */
const looks = 40;
/** In ms; grows with each look, five seconds in all: a busy node may take a second to remove its own item. */
const pauses = { step: 20, longest: 150 };

/**
 * Whether the item with this id, which was just added, may stay. Counts after adding: of concurrent calls the last sees all items, so that
 * no more than `max` stay. If there are too many, the items behind the first `max` are rejected, and the calls of the others count again
 * until those are gone. `list` must return the items in the same order to all callers.
 */
export async function hasRoom(
  { id, max }: { id: string; max: number },
  list: () => Promise<readonly { id: string }[]>,
): Promise<boolean> {
  for (let look = 1; look <= looks; look += 1) {
    const found = await list();
    if (found.length <= max) return true;
    if (!found.slice(0, max).some((one) => one.id === id)) return false;
    await sleep(systemClock, Math.min(look * pauses.step, pauses.longest));
  }
  return false;
}
