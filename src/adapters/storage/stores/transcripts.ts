/** What was sent in attempts of deliveries, and what came back. */
import type { TranscriptStore } from '../../../use-cases/ports/transcripts.ts';
import type { RecordsOf } from '../records.ts';

const channelsPerStep = 100;
const perRemoval = 200;

export function transcriptStore(recordsOf: RecordsOf): TranscriptStore {
  const transcripts = recordsOf('transcripts');

  /** Those behind the first `skip`, newest first, until none is left. */
  async function dropBehind(
    equal: { channelId: string; isTaken: boolean },
    skip: number,
    below: number,
  ): Promise<number> {
    for (let dropped = 0; ;) {
      const range = { on: 'createdAt', from: 0, below } as const;
      const asked = { by: 'ofChannel', equal, range, isDescending: true, skip, limit: perRemoval };
      const old = await transcripts.list(asked);
      if (old.length === 0) return dropped;
      await transcripts.removeEach(old.map(({ id }) => id));
      dropped += old.length;
    }
  }

  return {
    add: (all) => transcripts.insertEach(all),
    ofDelivery({ accountId, channelId, deliveryId }, limit) {
      const equal = { accountId, channelId, deliveryId };
      return transcripts.list({ by: 'ofDelivery', equal, isDescending: true, limit });
    },
    async trim(most, since) {
      let dropped = 0;
      for (let last = ''; ;) {
        const channelIds = await transcripts.firsts('ofChannel', last, channelsPerStep);
        for (const channelId of channelIds) {
          for (const isTaken of [false, true]) {
            dropped += await dropBehind({ channelId, isTaken }, most, Number.MAX_SAFE_INTEGER);
            dropped += await dropBehind({ channelId, isTaken }, 0, since);
          }
        }
        if (channelIds.length < channelsPerStep) return dropped;
        last = channelIds.at(-1) ?? last;
      }
    },
  };
}
