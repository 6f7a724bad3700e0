/** Facts of upstream that wait until their channel's owner can be reached. */
import type { StrandedFactsStore } from './port.ts';
import type { StoredStrandedFacts } from '../../storage/entities/facts.ts';
import type { RecordsOf } from '../../storage/records.ts';
import type { StrandedFacts } from '../../storage/entities/facts.ts';
import { strandedFacts } from '../../storage/entities/facts.ts';

const postponedPerSlice = 500;

export function strandedFactsStore(recordsOf: RecordsOf): StrandedFactsStore {
  const stranded = recordsOf(strandedFacts);
  return {
    add: (facts) => stranded.insertEach(facts.map((each) => ({ ...each, asideAt: null, asideOf: null }))),
    channels: (after, limit) => stranded.firsts('ofChannel', after, limit),
    async ofChannel(channelId, limit) {
      return (await stranded.list({ by: 'ofChannel', equal: { channelId }, limit })).map(toStrandedFacts);
    },
    countGone: ({ id, channelId }, more) =>
      stranded.patchEach([{ which: { id, channelId }, change: { add: { nodesGone: more } } }]),
    drop: (ids) => stranded.removeEach(ids),
    postpone: (facts, now) =>
      stranded.patchEach(
        facts.map(({ id, channelId }) => ({
          which: { id, channelId },
          change: { set: { asideAt: now, asideOf: channelId, channelId: '' } },
        })),
      ),
    async bringBack(before) {
      const range = { on: 'asideAt', below: before } as const;
      for (let broughtBack = 0; ;) {
        const slice = await stranded.list({ by: 'aside', range, limit: postponedPerSlice });
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
