/** Writes to facts that wait for their channel's owner. */
import type { ParkedFacts } from '../../../../use-cases/ports/messages.ts';
import type { Database } from '../sqlite.ts';
import { insertInto } from './insert.ts';

export function parkedOperations(db: Database) {
  const columns = ['id', 'channel_id', 'at', 'facts'];
  const add = db.prepare(insertInto('parked_facts', columns, 'on conflict (id) do nothing'));
  const drop = db.prepare('delete from parked_facts where id = ?');
  return {
    parkFacts(parked: readonly ParkedFacts[]): void {
      for (const { id, channelId, at, facts } of parked) add.run(id, channelId, at, facts);
    },
    dropParked(ids: readonly string[]): void {
      for (const id of ids) drop.run(id);
    },
  };
}
