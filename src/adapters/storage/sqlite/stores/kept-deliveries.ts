/**
 * Kept payloads of given-up deliveries, in the rows of the deliveries. Not over records: they are counted by a set of events, along the
 * index that replays use.
 */
import type { KeptDeliveryStore } from '../../../../use-cases/ports/kept-deliveries.ts';
import type { RecordsOf } from '../../records.ts';
import type { Reader } from '../reader.ts';
import { makeReadKept } from './kept-reads.ts';
import type { WriterThread } from '../writer-thread.ts';

export function keptDeliveryStore(
  recordsOf: RecordsOf,
  reader: Reader,
  writer: WriterThread,
): KeptDeliveryStore {
  const deliveries = recordsOf('deliveries');
  const readKept = makeReadKept(reader);
  return {
    channels: (after, limit) => deliveries.firsts('keptByAge', after, limit),
    async count(channelId, query) {
      let count = 0;
      for await (const _ of readKept(channelId, query, { createdAt: -1, id: '' })) count += 1;
      return count;
    },
    async erase(channelId, upTo) {
      for (let erased = 0; ;) {
        const slice = await writer.call('eraseKeptSlice', channelId, upTo);
        if (slice === 0) return erased;
        erased += slice;
      }
    },
  };
}
