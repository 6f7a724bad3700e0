/** Transcripts of delivery attempts: request and answer. */
import type { TranscriptStore } from './port.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { dropOfEach, trimTo } from '../../storage/bounds.ts';
import { transcripts as transcriptsEntity } from './entity.ts';

export function transcriptStore(recordsOf: RecordsOf): TranscriptStore {
  const transcripts = recordsOf(transcriptsEntity);
  const by = 'ofChannel';
  return {
    add: (all) => transcripts.insertEach(all),
    ofDelivery({ accountId, channelId, deliveryId }, limit) {
      const equal = { accountId, channelId, deliveryId };
      return transcripts.list({ by: 'ofDelivery', equal, isDescending: true, limit });
    },
    trim(most, since, stopping) {
      const trimOf = (channelId: string, isTaken: boolean): Promise<number> =>
        trimTo(transcripts, { by, equal: { channelId, isTaken } }, { most, since }, stopping);
      const trimBoth = async (channelId: string): Promise<number> =>
        (await trimOf(channelId, false)) + (await trimOf(channelId, true));
      return dropOfEach(transcripts, by, trimBoth, stopping);
    },
  };
}
