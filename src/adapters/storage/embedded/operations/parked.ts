/** Writes to facts that wait for their channel's owner. */
import type { ParkedFacts } from '../../../../use-cases/ports/messages.ts';
import type { Database } from '../sqlite.ts';
import { parkedFacts } from '../tables/parked-facts.ts';

export function parkedOperations(db: Database) {
  const add = parkedFacts.insert(db, 'on conflict (id) do nothing');
  const drop = db.prepare('delete from parked_facts where id = ?');
  return {
    parkFacts(parked: readonly ParkedFacts[]): void {
      for (const each of parked) add(each);
    },
    dropParked(ids: readonly string[]): void {
      for (const id of ids) drop.run(id);
    },
  };
}
