/** Writes to facts that wait for their channel's owner. */
import type { ParkedFacts } from '../../../../use-cases/ports/messages.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { parkedFacts } from '../tables.ts';

const sliceRows = 500;

export function parkedOperations(db: Database) {
  const add = parkedFacts.insert(db, 'on conflict (id) do nothing');
  const putAside = db.prepare(`
    update parked_facts set aside_at = ?, aside_of = channel_id, channel_id = ''
    where id = ? and aside_at is null`);
  const bringBack = db.prepare(`
    update parked_facts set aside_at = null, channel_id = aside_of, aside_of = null where id in (
      select id from parked_facts where aside_at < ? limit ${sliceRows})`);
  const drop = db.prepare('delete from parked_facts where id = ?');
  return {
    parkFacts(parked: readonly ParkedFacts[]): void {
      for (const each of parked) add({ ...each, asideAt: null, asideOf: null });
    },
    putAsideParked(ids: readonly string[], now: number): void {
      for (const id of ids) putAside.run(now, id);
    },
    bringBackParkedSlice: (before: number): number => changed(bringBack.run(before)),
    dropParked(ids: readonly string[]): void {
      for (const id of ids) drop.run(id);
    },
  };
}
