/**
 * Kept payloads of given-up deliveries, in the rows of the deliveries. Not over records: they are counted by a set of events, along the
 * index that replays use.
 */
import type { KeptDelivery, KeptPlace, KeptQuery } from '../../journal/channel-journal.ts';
import { yieldToLoop } from '../../../kernel/clock.ts';
import type { RecordsOf } from '../../records.ts';
import { sweep, sweepAtOnce } from '../../sweep.ts';
import type { Reader } from '../reader.ts';
import type { WriterThread } from '../writer-thread.ts';
import { packId } from '../packed-ids.ts';
import { pendingColumns } from '../tables.ts';
import type { Row } from '../columns.ts';
import type { KeptDeliveryStore } from '../../kept-deliveries.ts';
import { deliveries as deliveriesEntity } from '../../entities/deliveries.ts';

export function keptDeliveryStore(
  recordsOf: RecordsOf,
  reader: Reader,
  writer: WriterThread,
): KeptDeliveryStore {
  const deliveries = recordsOf(deliveriesEntity);
  const readKept = makeReadKept(reader);
  return {
    channels: (after, limit) => deliveries.firsts('keptByAge', after, limit),
    async count(channelId, query) {
      let count = 0;
      for await (const _ of readKept(channelId, query, { createdAt: -1, id: '' })) count += 1;
      return count;
    },
    erase: (channelId, upTo) => sweepAtOnce(() => writer.call('eraseKeptSlice', channelId, upTo)),
    sweep: (channelId, upTo, stopping) =>
      sweep(() => writer.call('eraseKeptSlice', channelId, upTo), stopping),
  };
}

/** About 2 ms of reading before yielding to the event loop. */
const rowsPerSlice = 400;

type KeptRow = Row<Omit<Required<KeptDelivery>, 'bytes' | 'keptSince'>> & {
  bytes: number;
  keptSince: number;
};

type ReadKept = (channelId: string, query: KeptQuery, after: KeptPlace) => AsyncGenerator<KeptDelivery>;

/** Reads kept deliveries of a channel, in order of creation. */
export function makeReadKept(reader: Reader): ReadKept {
  const slice = reader.query<KeptRow>(`
    select ${pendingColumns.list}, kept_bytes as bytes, kept_since as keptSince
    from deliveries indexed by kept_deliveries
    where channel_id = ? and kept_since is not null and (created_at, id) > (?, ?)
    order by created_at, id limit ${rowsPerSlice}`);
  return async function* readKept(channelId, { since, until, events }, after) {
    for (let place = after; ; await yieldToLoop()) {
      const rows = slice.all(packId(channelId), place.createdAt, packId(place.id));
      const found = rows.map((row) => ({
        ...pendingColumns.of(row),
        bytes: row.bytes,
        keptSince: row.keptSince,
      }));
      yield* found.filter(
        ({ keptSince, event }) =>
          keptSince >= since && keptSince <= until && (events === null || events.includes(event)),
      );
      const last = found.at(-1);
      if (last === undefined || found.length < rowsPerSlice) return;
      place = last;
    }
  };
}
