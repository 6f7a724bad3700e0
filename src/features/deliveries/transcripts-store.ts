/** Transcripts of delivery attempts: request and answer. */
import type { RecordsOf } from '../../storage/records.ts';
import { dropOfEach, trimTo } from '../../storage/bounds.ts';
import { transcripts as transcriptsEntity } from './entity.ts';
import type { KeptTranscript } from './entity.ts';

export function transcriptStore(recordsOf: RecordsOf) {
  const transcripts = recordsOf(transcriptsEntity);
  const by = 'ofChannel';
  return {
    /** Skips transcripts that are stored already. */
    add: (all: readonly KeptTranscript[]): Promise<void> => transcripts.insertEach(all),
    /** Transcripts of one delivery, newest first. */
    ofDelivery(
      { accountId, channelId, deliveryId }: Pick<KeptTranscript, 'accountId' | 'channelId' | 'deliveryId'>,
      limit: number,
    ): Promise<KeptTranscript[]> {
      const equal = { accountId, channelId, deliveryId };
      return transcripts.list({ by: 'ofDelivery', equal, isDescending: true, limit });
    },
    /** Keeps each channel's newest `most` successful and `most` failed ones, none older than `since` (ms). Returns the number dropped. */
    trim(most: number, since: number, stopping?: AbortSignal): Promise<number> {
      const trimOf = (channelId: string, isTaken: boolean): Promise<number> =>
        trimTo(transcripts, { by, equal: { channelId, isTaken } }, { most, since }, stopping);
      const trimBoth = async (channelId: string): Promise<number> =>
        (await trimOf(channelId, false)) + (await trimOf(channelId, true));
      return dropOfEach(transcripts, by, trimBoth, stopping);
    },
  };
}

export type TranscriptStore = ReturnType<typeof transcriptStore>;
