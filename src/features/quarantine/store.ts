/** Items from upstream that no parser understood. A repeated write may count its items twice, which does no harm to samples. */
import { readPage, removeSeen } from '../../storage/records.ts';
import type { Records, RecordsOf } from '../../storage/records.ts';
import { sweep } from '../../storage/sweep.ts';
import type { QuarantinedItem } from './entity.ts';
import { quarantine as quarantineEntity } from './entity.ts';
import type { Page, PageRequest } from '../../kernel/paging.ts';

export function quarantineStore(recordsOf: RecordsOf) {
  const quarantine = recordsOf(quarantineEntity);
  return {
    /** Adds each item's `times` to the stored entry of its id, whose other fields are kept. */
    add: (items: readonly QuarantinedItem[]): Promise<void> =>
      quarantine.upsertEach(items, { times: 'add', lastSeenAt: 'max' }),
    /** Latest first seen first. */
    list: (page: PageRequest): Promise<Page<QuarantinedItem>> =>
      readPage(quarantine, { by: 'byAge', isDescending: true }, page),
    find: (id: string): Promise<QuarantinedItem | null> => quarantine.one({ id }),
    /** Returns the dropped entry, of concurrent callers to one; null if there is none. */
    drop: (id: string): Promise<QuarantinedItem | null> =>
      removeSeen(quarantine, { id }, ({ times }) => ({ times })),
    /** Keeps about `max` entries, the last seen ones, and none last seen before `before`. Returns the number of dropped entries. */
    async trim(max: number, before: number, stopping?: AbortSignal): Promise<number> {
      const old = await quarantine.sweep({ on: 'lastSeenAt', upTo: before - 1 }, stopping);
      return old + (await dropShapesBeyond(quarantine, max, stopping));
    },
  };
}

export type QuarantineStore = ReturnType<typeof quarantineStore>;

const perRead = 200;
const perRemoval = 200;

/**
 * Removes samples beyond the newest `max`. Sealed items, which operators can retry, are removed by age alone, however many samples follow
 * them.
 */
async function dropShapesBeyond(
  quarantine: Records<QuarantinedItem>,
  max: number,
  stopping?: AbortSignal,
): Promise<number> {
  const range = { on: 'lastSeenAt', from: 0 } as const;
  const page = { by: 'seen', isDescending: true, range } as const;
  // This runs every minute and hardly ever finds any beyond `max`.
  if ((await quarantine.list({ ...page, skip: max, limit: 1 })).length === 0) return 0;
  const tooMany: string[] = [];
  let shapes = 0;
  for (let skip = 0; ; skip += perRead) {
    const found = await quarantine.list({ ...page, skip, limit: perRead });
    for (const { id, sealed } of found) {
      if (sealed !== null) continue;
      shapes += 1;
      if (shapes > max) tooMany.push(id);
    }
    if (found.length < perRead) break;
  }
  return sweep(async () => {
    const ids = tooMany.splice(0, perRemoval);
    if (ids.length > 0) await quarantine.removeEach(ids);
    return { dropped: ids.length, isLast: tooMany.length === 0 };
  }, stopping);
}
