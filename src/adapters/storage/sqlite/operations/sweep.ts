/** Erases finished items in slices: a call must not delay the writes behind it. */
import type { PagePosition } from '../../../../use-cases/ports/paging.ts';
import { changed } from '../sqlite.ts';
import { packId, unpackId } from '../packed-ids.ts';
import type { Database, Value } from '../sqlite.ts';

/** Rows of each kind per call; the caller repeats until a call returns fewer. About 3 ms of the writing thread, at 120 µs a row. */
export const sliceRows = 25;

interface OldMessage {
  id: Value;
  channel_id: Value;
  upstream_ids: string;
}

interface OldDelivery {
  id: Value;
  createdAt: number;
  state: string;
  keptSince: number | null;
}

export interface SweptSlice {
  dropped: number;
  upTo: PagePosition | null;
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
  const oldDeliveries = db.prepare<OldDelivery>(`
    select created_at as createdAt, id, state, kept_since as keptSince from deliveries
    where channel_id = ? and (created_at, id) > (?, ?) and created_at < ? order by created_at, id limit ${sliceRows}`);
  const dropDelivery = db.prepare('delete from deliveries where id = ?');
  const eraseKept = db.prepare(`
    update deliveries set payload = null, payload_place = null, kept_since = null, kept_bytes = null where id in (
      select id from deliveries indexed by kept_deliveries_by_age
      where channel_id = ? and kept_since <= ? limit ${sliceRows})`);
  const dropWaiting = db.prepare(`
    delete from unmatched_facts where (channel_id, id) in (
      select channel_id, id from unmatched_facts where expires_at < ? order by expires_at limit ${sliceRows})`);

  return {
    /** Number of messages of the channel that were erased. Less than a slice: none is left. */
    dropFinishedSlice(channelId: string, before: number): number {
      const messages = old.all(packId(channelId), before);
      for (const message of messages) {
        dropUpstreamIds.run(message.channel_id, message.upstream_ids, message.id);
        dropMessage.run(message.id);
      }
      return messages.length;
    },
    /** Erases the channel's old deliveries after `after`, so that a sweep skips kept ones only once. `upTo` null: none is left. */
    dropDeliveriesSlice(channelId: string, before: number, after: PagePosition): SweptSlice {
      const found = oldDeliveries.all(packId(channelId), after.createdAt, packId(after.id), before);
      const finished = found.filter(({ state, keptSince }) => state !== 'pending' && keptSince === null);
      for (const { id } of finished) dropDelivery.run(id);
      const last = found.length < sliceRows ? undefined : found.at(-1);
      const upTo = last === undefined ? null : { createdAt: last.createdAt, id: unpackId(last.id) };
      return { dropped: finished.length, upTo };
    },
    /** Number of payloads of given-up deliveries that were erased. 0: none is left. */
    eraseKeptSlice: (channelId: string, upTo: number): number =>
      changed(eraseKept.run(packId(channelId), upTo)),
    /** Number of unmatched facts that were erased. Less than a slice: none is left. */
    dropUnmatchedSlice: (before: number): number => changed(dropWaiting.run(before)),
  };
}
