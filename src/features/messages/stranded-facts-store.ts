/** Facts of upstream that wait until their channel's owner can be reached. */
import type { RecordsOf } from '../../storage/records.ts';
import { strandedFacts } from '../../storage/entities/facts.ts';
import type { StoredStrandedFacts, StrandedFacts } from '../../storage/entities/facts.ts';

const asidePerSlice = 500;

export function strandedFactsStore(recordsOf: RecordsOf) {
  const stranded = recordsOf(strandedFacts);
  return {
    /** Stores all of them durably, or rejects. A record whose id exists is left unchanged. */
    add: (facts: readonly StrandedFacts[]): Promise<void> =>
      stranded.insertEach(facts.map((each) => ({ ...each, asideAt: null, asideOf: null }))),
    /** Channels with stranded facts, by id, the first `limit` after `after`. Polled every second: cheap if there are none. */
    channels: (after: string, limit: number): Promise<string[]> => stranded.firsts('ofChannel', after, limit),
    /** Oldest first. */
    async ofChannel(channelId: string, limit: number): Promise<StrandedFacts[]> {
      return (await stranded.list({ by: 'ofChannel', equal: { channelId }, limit })).map(toStrandedFacts);
    },
    /** Adds `more` to `nodesGone`. */
    countGone: ({ id, channelId }: Pick<StrandedFacts, 'id' | 'channelId'>, more: number): Promise<void> =>
      stranded.patchEach([{ which: { id, channelId }, change: { add: { nodesGone: more } } }]),
    drop: (ids: readonly string[]): Promise<void> => stranded.removeEach(ids),
    /** Hides the records from `channels` and `ofChannel` until `bringBack`. */
    putAside: (facts: readonly Pick<StrandedFacts, 'id' | 'channelId'>[], now: number): Promise<void> =>
      stranded.patchEach(
        facts.map(({ id, channelId }) => ({
          which: { id, channelId },
          change: { set: { asideAt: now, asideOf: channelId, channelId: '' } },
        })),
      ),
    /** Brings back records that were put aside before this. Returns their number. */
    async bringBack(before: number): Promise<number> {
      const range = { on: 'asideAt', below: before } as const;
      for (let broughtBack = 0; ;) {
        const slice = await stranded.list({ by: 'aside', range, limit: asidePerSlice });
        if (slice.length === 0) return broughtBack;
        await stranded.patchEach(
          slice.map(({ id, asideAt, asideOf }) => ({
            which: { id, asideAt },
            change: { set: { channelId: asideOf ?? '', asideAt: null, asideOf: null } },
          })),
        );
        broughtBack += slice.length;
      }
    },
  };
}

function toStrandedFacts({ id, channelId, at, nodesGone, facts }: StoredStrandedFacts): StrandedFacts {
  return { id, channelId, at, nodesGone, facts };
}
