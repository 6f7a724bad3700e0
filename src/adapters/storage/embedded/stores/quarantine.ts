/** What nobody understood, as operators see it. */
import type { QuarantinedItem, QuarantineStore } from '../../../../use-cases/ports/operating.ts';
import type { WriterThread } from '../writer-thread.ts';
import type { Reader } from '../reader.ts';
import { quarantine } from '../tables.ts';
import type { Row } from '../table.ts';
import { afterAll, pageOf } from './paging.ts';

export function quarantineStore(reader: Reader, writer: WriterThread): QuarantineStore {
  const byId = reader.query<Row<QuarantinedItem>>(`select ${quarantine.list} from quarantine where id = ?`);
  const newest = reader.query<Row<QuarantinedItem>>(`
    select ${quarantine.list} from quarantine where (created_at, id) < (?, ?) order by created_at desc, id desc limit ?`);
  return {
    add: (items) => writer.call('addQuarantined', items),
    list: (page) =>
      pageOf(page, afterAll, (after, limit) =>
        newest.all(after.createdAt, after.id, limit).map(quarantine.of),
      ),
    find: async (id) => {
      const row = byId.get(id);
      return row === undefined ? null : quarantine.of(row);
    },
    drop: (id) => writer.call('dropQuarantined', id),
    trim: (max, before) => writer.call('trimQuarantine', max, before),
  };
}
