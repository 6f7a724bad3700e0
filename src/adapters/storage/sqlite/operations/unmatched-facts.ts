/** Writes to facts whose message is not known yet. */
import type { SealedUnmatchedFact } from '../../../../../actors/channel/ports/writes.ts';
import type { Database } from '../sqlite.ts';
import { unmatchedFacts } from '../tables.ts';

export function unmatchedFactOperations(db: Database) {
  const put = unmatchedFacts.put(db);
  const drop = db.prepare('delete from unmatched_facts where channel_id = ? and id = ?');
  return {
    keepWaiting(channelId: string, unmatched: SealedUnmatchedFact): void {
      put({ ...unmatched, channelId });
    },
    dropWaiting(channelId: string, ids: readonly string[]): void {
      for (const id of ids) drop.run(channelId, id);
    },
  };
}
