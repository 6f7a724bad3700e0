/** Writes to what nobody understood. */
import type { QuarantinedItem } from '../../../../use-cases/ports/operating.ts';
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';
import { quarantine } from '../tables.ts';

export function quarantineOperations(db: Database) {
  const add = quarantine.insert(
    db,
    `on conflict (id) do update set times = times + excluded.times,
      last_seen_at = max(last_seen_at, excluded.last_seen_at)`,
  );
  const firstTooMany = db.prepare<{ at: number }>(
    'select last_seen_at as at from quarantine where last_seen_at >= 0 order by last_seen_at desc limit 1 offset ?',
  );
  const dropOne = db.prepare('delete from quarantine where id = ?');
  const drop = db.prepare('delete from quarantine where last_seen_at <= ?');
  return {
    addQuarantined(items: readonly QuarantinedItem[]): void {
      for (const item of items) add(item);
    },
    dropQuarantined(id: string): boolean {
      return changed(dropOne.run(id)) > 0;
    },
    trimQuarantine(max: number, before: number): number {
      return changed(drop.run(Math.max(firstTooMany.get(max)?.at ?? -1, before - 1)));
    },
  };
}
