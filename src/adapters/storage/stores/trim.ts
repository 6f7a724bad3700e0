/** Removes items beyond a number or an age, in batches, for each of many channels or accounts. */
import type { Equal, Records } from '../records.ts';

const firstsPerStep = 100;
const perRemoval = 200;

/** Calls `drop` for each value of the index's first field and returns the sum. */
export async function dropOfEach<T>(
  records: Pick<Records<T>, 'firsts'>,
  by: string,
  drop: (first: string) => Promise<number>,
): Promise<number> {
  let dropped = 0;
  for (let last = ''; ;) {
    const firsts = await records.firsts(by, last, firstsPerStep);
    for (const first of firsts) dropped += await drop(first);
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

/** Of the matching items made before `below` (ms), removes all but the newest `skip`. Returns how many. */
export async function dropBehind<T extends { id: string; createdAt: number }>(
  records: Trimmed<T>,
  some: Some<T>,
  skip: number,
  below = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  const places = records.only('createdAt', 'id');
  const range = { on: 'createdAt', from: 0, below } as const;
  for (let dropped = 0; ;) {
    const old = await places.list({ ...some, range, isDescending: true, skip, limit: perRemoval });
    if (old.length === 0) return dropped;
    await records.removeEach(old.map(({ id }) => id));
    dropped += old.length;
  }
}

/** Removes all matching items but the newest `most`, and those made before `since` (ms). Returns how many. */
export async function trimTo<T extends { id: string; createdAt: number }>(
  records: Trimmed<T>,
  some: Some<T>,
  most: number,
  since: number,
): Promise<number> {
  const beyond = await dropBehind(records, some, most);
  return beyond + (await dropBehind(records, some, 0, since));
}
