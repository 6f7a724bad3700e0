/** Kept deliveries of a channel, in order of creation. */
import type { KeptDelivery, KeptPlace, KeptQuery } from '../../../../../actors/channel/ports/store.ts';
import { yieldToLoop } from '../../../../kernel/yield-to-loop.ts';
import { packId } from '../packed-ids.ts';
import type { Reader } from '../reader.ts';
import { pendingColumns } from '../tables.ts';
import type { Row } from '../table.ts';

/** About 2 ms of reading before yielding to the event loop. */
const rowsPerSlice = 400;

type KeptRow = Row<Omit<KeptDelivery, 'bytes' | 'keptSince'>> & { bytes: number; keptSince: number };

type ReadKept = (channelId: string, query: KeptQuery, after: KeptPlace) => AsyncGenerator<KeptDelivery>;

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
