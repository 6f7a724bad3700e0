/** Bounds on the items of an account or a channel: a limit that new items obey, and a number or an age beyond which old ones are removed. */
import { sleep, systemClock } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Equal, Records } from './records.ts';
import { sweep } from './sweep.ts';

/**
 * How often an item checks whether the ones behind it are gone. If they stay, they were accepted before: this node's clock is behind theirs.
 */
const looks = 40;
/** In ms; grows with each look, five seconds in all: a busy node may take a second to remove its own item. */
const pauses = { step: 20, longest: 150 };

/**
 * Whether the item with this id, which was just added, may stay, however many nodes add items at once. Counts after adding: of concurrent
 * calls the last sees all items, so that no more than `max` stay. If there are too many, the items behind the first `max` are rejected, and
 * the calls of the others count again until those are gone. If those stay, the calls give up one by one, the last of the first `max` first, so that
 * as many stay as there is room for. `list` must return the items in the same order to all callers.
 */
export async function hasRoom(
  { id, max }: { id: string; max: number },
  list: () => Promise<readonly { id: string }[]>,
  clock: Clock = systemClock,
): Promise<boolean> {
  for (let look = 1; ; look += 1) {
    const found = await list();
    if (found.length <= max) return true;
    const place = found.slice(0, max).findIndex((one) => one.id === id);
    if (place === -1 || look - looks >= max - 1 - place) return false;
    await sleep(clock, Math.min(look * pauses.step, pauses.longest));
  }
}

const firstsPerStep = 100;
const perRemoval = 200;

/** Calls `drop` for each value of the index's first field, until the signal aborts, and returns the sum. */
export async function dropOfEach<T>(
  records: Pick<Records<T>, 'firsts'>,
  by: string,
  drop: (first: string) => Promise<number>,
  stopping?: AbortSignal,
): Promise<number> {
  let dropped = 0;
  for (let last = ''; ;) {
    const firsts = await records.firsts(by, last, firstsPerStep);
    for (const first of firsts) {
      if (stopping?.aborted === true) return dropped;
      dropped += await drop(first);
    }
    if (firsts.length < firstsPerStep) return dropped;
    last = firsts.at(-1) ?? last;
  }
}

type Trimmed<T> = Pick<Records<T>, 'only' | 'removeEach'>;

interface Some<T> {
  /** Name of an index that ends in `createdAt` and `id`. */
  by: string;
  equal: Equal<T>;
}

/**
 * Of the matching items made before `below` (ms), removes all but the newest `skip`, at the pace of a sweep. Stops early when the signal
 * aborts. Returns how many.
 */
export function dropBehind<T extends { id: string; createdAt: number }>(
  records: Trimmed<T>,
  some: Some<T>,
  { skip, below = Number.MAX_SAFE_INTEGER }: { skip: number; below?: number },
  stopping?: AbortSignal,
  clock?: Clock,
): Promise<number> {
  const places = records.only('createdAt', 'id');
  const range = { on: 'createdAt', from: 0, below } as const;
  return sweep(
    async () => {
      const old = await places.list({ ...some, range, isDescending: true, skip, limit: perRemoval });
      if (old.length > 0) await records.removeEach(old.map(({ id }) => id));
      return { dropped: old.length, isLast: old.length < perRemoval };
    },
    stopping,
    clock,
  );
}

/**
 * Removes all matching items but the newest `most`, and those made before `since` (ms), as `dropBehind` does. Returns how many.
 */
export async function trimTo<T extends { id: string; createdAt: number }>(
  records: Trimmed<T>,
  some: Some<T>,
  { most, since }: { most: number; since: number },
  stopping?: AbortSignal,
): Promise<number> {
  const beyond = await dropBehind(records, some, { skip: most }, stopping);
  return beyond + (await dropBehind(records, some, { skip: 0, below: since }, stopping));
}
