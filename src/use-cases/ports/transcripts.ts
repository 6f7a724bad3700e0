/** What was sent in attempts of deliveries, and what came back. */
import type { SealedBytes } from '../../domain/accounts/sealed.ts';
import type { TranscribedAttempt } from '../../domain/webhooks/transcript.ts';

export interface KeptTranscript extends Omit<TranscribedAttempt, 'transcript'> {
  id: string;
  createdAt: number;
  content: SealedBytes;
}

export interface TranscriptStore {
  /** Those that are there already are left out. */
  add(all: readonly KeptTranscript[]): Promise<void>;
  /** Of one delivery, the newest first. */
  ofDelivery(
    which: Pick<KeptTranscript, 'accountId' | 'channelId' | 'deliveryId'>,
    limit: number,
  ): Promise<KeptTranscript[]>;
  /** Of each channel the newest `most` of either sort stay, and none from before `since` (ms). Answers how many went. */
  trim(most: number, since: number): Promise<number>;
}
