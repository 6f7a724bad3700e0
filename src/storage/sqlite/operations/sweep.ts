/** Erases finished messages, deliveries and facts in slices. */
import { systemClock } from '../../../kernel/clock.ts';
import type { PagePosition } from '../../../kernel/paging.ts';
import type { SweptSlice } from '../../sweep.ts';
import { inSteps, stepRows } from './in-steps.ts';
import type { SliceClock } from './in-steps.ts';
import { changed } from '../sqlite.ts';
import type { Database, Value } from '../sqlite.ts';
import { packId, unpackId } from '../packed-ids.ts';

/** Payloads per slice, about 3 ms of the writing thread: a client may wait for all of them. */
const keptRows = 25;

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

interface SweptDeliveries extends SweptSlice {
  /** Where the next slice begins. */
  upTo: PagePosition;
}

export function sweepOperations(db: Database, clock: SliceClock = systemClock) {
  // Upstream's time of an echo may be any.
  const old = db.prepare<OldMessage>(`
    select id, channel_id, upstream_ids from messages
    where channel_id = ?1 and created_at < ?2 and state in ('sent', 'failed', 'abandoned')
      and (attempted_at < ?2 or origin = 'echo')
    order by created_at, id limit ${stepRows}`);
  const dropUpstreamIds = db.prepare(`
    delete from message_upstream_ids
    where channel_id = ?1 and upstream_id in (select value from json_each(?2)) and message_id = ?3`);
  const dropMessage = db.prepare('delete from messages where id = ?');
  const oldDeliveries = db.prepare<OldDelivery>(`
    select created_at as createdAt, id, state, kept_since as keptSince from deliveries
    where channel_id = ? and (created_at, id) > (?, ?) and created_at < ? order by created_at, id limit ${stepRows}`);
  const dropDelivery = db.prepare('delete from deliveries where id = ?');
  const dropWaiting = db.prepare(`
    delete from unmatched_facts where (channel_id, id) in (
      select channel_id, id from unmatched_facts where expires_at < ? order by expires_at limit ${stepRows})`);

  return {
    /** Erases old messages of the channel. */
    dropFinishedSlice(channelId: string, before: number): SweptSlice {
      const packed = packId(channelId);
      return inSteps(clock, () => {
        const messages = old.all(packed, before);
        for (const message of messages) {
          dropUpstreamIds.run(message.channel_id, message.upstream_ids, message.id);
          dropMessage.run(message.id);
        }
        return { dropped: messages.length, isLast: messages.length < stepRows };
      });
    },
    /** Erases the channel's old deliveries after `after`, so that a sweep skips kept ones only once. */
    dropDeliveriesSlice(channelId: string, before: number, after: PagePosition): SweptDeliveries {
      const packed = packId(channelId);
      let upTo = after;
      const slice = inSteps(clock, () => {
        const found = oldDeliveries.all(packed, upTo.createdAt, packId(upTo.id), before);
        const finished = found.filter(({ state, keptSince }) => state !== 'pending' && keptSince === null);
        for (const { id } of finished) dropDelivery.run(id);
        const last = found.at(-1);
        if (last !== undefined) upTo = { createdAt: last.createdAt, id: unpackId(last.id) };
        return { dropped: finished.length, isLast: found.length < stepRows };
      });
      return { ...slice, upTo };
    },
    eraseKeptSlice: makeEraseKept(db),
    /** Erases expired facts that no message was found for. */
    dropUnmatchedSlice: (before: number): SweptSlice =>
      inSteps(clock, () => {
        const dropped = changed(dropWaiting.run(before));
        return { dropped, isLast: dropped < stepRows };
      }),
  };
}

function makeEraseKept(db: Database) {
  const erase = db.prepare(`
    update deliveries set payload = null, payload_place = null, kept_since = null, kept_bytes = null where id in (
      select id from deliveries indexed by kept_deliveries_by_age
      where channel_id = ? and kept_since <= ? limit ${keptRows})`);
  /** Erases payloads of the channel's given-up deliveries. */
  return function eraseKeptSlice(channelId: string, upTo: number): SweptSlice {
    const dropped = changed(erase.run(packId(channelId), upTo));
    return { dropped, isLast: dropped < keptRows };
  };
}
