/** Erasing what is finished, a slice at a time: one call must not hold up the writes behind it. */
import { changed } from '../sqlite.ts';
import type { Database } from '../sqlite.ts';

/** Rows of each kind per call; the caller repeats until none is left. About 20 ms of the writing thread, at 120 µs a row. */
const sliceRows = 100;

interface OldMessage {
  id: string;
  channel_id: string;
  upstream_ids: string;
}

export function sweepOperations(db: Database) {
  const old = db.prepare<OldMessage>(`
    select id, channel_id, upstream_ids from messages
    where channel_id = ? and created_at < ? and state in ('sent', 'failed', 'abandoned')
    order by created_at, id limit ${sliceRows}`);
  const dropUpstreamIds = db.prepare(`
    delete from message_upstream_ids
    where channel_id = ?1 and upstream_id in (select value from json_each(?2)) and message_id = ?3`);
  const dropMessage = db.prepare('delete from messages where id = ?');
  const dropDeliveries = db.prepare(`
    delete from deliveries where id in (
      select id from deliveries where channel_id = ? and created_at < ? and state in ('delivered', 'failed')
      order by created_at, id limit ${sliceRows})`);
  const dropWaiting = db.prepare(`
    delete from unmatched_facts where (channel_id, id) in (
      select channel_id, id from unmatched_facts where expires_at < ? order by expires_at limit ${sliceRows})`);

  return {
    /** How many messages and deliveries of the channel went. 0: nothing is left. */
    dropFinishedSlice(channelId: string, before: number): number {
      const messages = old.all(channelId, before);
      for (const message of messages) {
        dropUpstreamIds.run(message.channel_id, message.upstream_ids, message.id);
        dropMessage.run(message.id);
      }
      return messages.length + changed(dropDeliveries.run(channelId, before));
    },
    /** How many unmatched facts went. 0: nothing is left. */
    dropUnmatchedSlice: (before: number): number => changed(dropWaiting.run(before)),
  };
}
