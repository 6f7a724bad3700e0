/** Erases finished items in slices: a call must not delay the writes behind it. */
import { systemClock } from '../../../../kernel/clock.ts';
import type { Clock } from '../../../../kernel/clock.ts';
import type { PagePosition } from '../../../../use-cases/ports/paging.ts';
import { changed } from '../sqlite.ts';
import { packId, unpackId } from '../packed-ids.ts';
import type { Database, Value } from '../sqlite.ts';

/** Rows of each kind per call, at most. About 3 ms of the writing thread, at 120 µs a row. */
export const sliceRows = 25;
/** A slice ends early after this time: in a file that is larger than memory each row costs reads of the disk. */
const sliceMs = 4;
/** Rows between two looks at the clock. */
const stepRows = 5;

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

interface SweptSlice {
  dropped: number;
  /** Nothing is left. */
  isLast: boolean;
}

interface SweptDeliveries extends SweptSlice {
  /** Where the next slice begins. */
  upTo: PagePosition;
}

/** Repeats the step, which returns the number of rows that it found and dropped, until none is left or the slice is full or took its time. */
function inSteps(clock: SliceClock, step: () => { found: number; dropped: number }): SweptSlice {
  const endsAt = clock.monotonic() + sliceMs;
  let dropped = 0;
  for (let rows = 0; rows < sliceRows && clock.monotonic() < endsAt; rows += stepRows) {
    const done = step();
    dropped += done.dropped;
    if (done.found < stepRows) return { dropped, isLast: true };
  }
  return { dropped, isLast: false };
}

type SliceClock = Pick<Clock, 'monotonic'>;

export function sweepOperations(db: Database, clock: SliceClock = systemClock) {
  const old = db.prepare<OldMessage>(`
    select id, channel_id, upstream_ids from messages
    where channel_id = ? and created_at < ? and state in ('sent', 'failed', 'abandoned')
    order by created_at, id limit ${stepRows}`);
  const dropUpstreamIds = db.prepare(`
    delete from message_upstream_ids
    where channel_id = ?1 and upstream_id in (select value from json_each(?2)) and message_id = ?3`);
  const dropMessage = db.prepare('delete from messages where id = ?');
  const oldDeliveries = db.prepare<OldDelivery>(`
    select created_at as createdAt, id, state, kept_since as keptSince from deliveries
    where channel_id = ? and (created_at, id) > (?, ?) and created_at < ? order by created_at, id limit ${stepRows}`);
  const dropDelivery = db.prepare('delete from deliveries where id = ?');
  const eraseKept = db.prepare(`
    update deliveries set payload = null, payload_place = null, kept_since = null, kept_bytes = null where id in (
      select id from deliveries indexed by kept_deliveries_by_age
      where channel_id = ? and kept_since <= ? limit ${sliceRows})`);
  const dropWaiting = db.prepare(`
    delete from unmatched_facts where (channel_id, id) in (
      select channel_id, id from unmatched_facts where expires_at < ? order by expires_at limit ${sliceRows})`);

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
        return { found: messages.length, dropped: messages.length };
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
        return { found: found.length, dropped: finished.length };
      });
      return { ...slice, upTo };
    },
    /** Number of payloads of given-up deliveries that were erased. 0: none is left. */
    eraseKeptSlice: (channelId: string, upTo: number): number =>
      changed(eraseKept.run(packId(channelId), upTo)),
    /** Number of unmatched facts that were erased. Less than a slice: none is left. */
    dropUnmatchedSlice: (before: number): number => changed(dropWaiting.run(before)),
  };
}
