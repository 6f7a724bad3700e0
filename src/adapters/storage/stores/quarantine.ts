/** Items of upstream that no parser understood. A repeated write may count its items twice: they are samples. */
import type { QuarantineStore } from '../../../use-cases/ports/operating.ts';
import { readPage } from '../records.ts';
import type { RecordsOf } from '../records.ts';

export function quarantineStore(recordsOf: RecordsOf): QuarantineStore {
  const quarantine = recordsOf('quarantine');
  return {
    add: (items) => quarantine.upsertEach(items, { times: 'add', lastSeenAt: 'max' }),
    list: (page) => readPage(quarantine, { by: 'byAge', isDescending: true }, page),
    find: (id) => quarantine.one({ id }),
    drop: async (id) => (await quarantine.remove({ id })) > 0,
    async trim(max, before) {
      const range = { on: 'lastSeenAt', from: 0 } as const;
      const [firstTooMany] = await quarantine.list({
        by: 'seen',
        isDescending: true,
        range,
        skip: max,
        limit: 1,
      });
      const upTo = Math.max(firstTooMany?.lastSeenAt ?? -1, before - 1);
      return quarantine.sweep({ on: 'lastSeenAt', upTo });
    },
  };
}
