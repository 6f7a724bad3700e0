/** Transcripts of delivery attempts: the request sent and the answer received. */
import type { SealedBytes } from '../../domain/accounts/sealed.ts';
import type { TranscribedAttempt } from '../../domain/webhooks/transcript.ts';

export interface KeptTranscript extends Omit<TranscribedAttempt, 'transcript'> {
  id: string;
  createdAt: number;
  content: SealedBytes;
}

export interface TranscriptStore {
  /** Skips transcripts that are stored already. */
  add(all: readonly KeptTranscript[]): Promise<void>;
  /** Transcripts of one delivery, newest first. */
  ofDelivery(
    which: Pick<KeptTranscript, 'accountId' | 'channelId' | 'deliveryId'>,
    limit: number,
  ): Promise<KeptTranscript[]>;
  /** Keeps each channel's newest `most` successful and `most` failed ones, none older than `since` (ms). Returns the number dropped. */
  trim(most: number, since: number): Promise<number>;
}
