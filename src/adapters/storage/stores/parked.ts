/** Facts that wait for their channel's owner. */
import type { ParkedFacts, ParkedFactsStore } from '../../../use-cases/ports/messages.ts';
import type { KeptParkedFacts } from '../entities/parked-facts.ts';
import type { RecordsOf } from '../records.ts';

const putAsidePerSlice = 500;

export function parkedFactsStore(recordsOf: RecordsOf): ParkedFactsStore {
  const parked = recordsOf('parkedFacts');
  return {
    park: (facts) => parked.insertEach(facts.map((each) => ({ ...each, asideAt: null, asideOf: null }))),
    channels: (after, limit) => parked.firsts('ofChannel', after, limit),
    async ofChannel(channelId, limit) {
      return (await parked.list({ by: 'ofChannel', equal: { channelId }, limit })).map(shown);
    },
    drop: (ids) => parked.removeEach(ids),
    putAside: (facts, now) =>
      parked.patchEach(
        facts.map(({ id, channelId }) => ({
          which: { id, channelId },
          change: { set: { asideAt: now, asideOf: channelId, channelId: '' } },
        })),
      ),
    async bringBack(before) {
      const range = { on: 'asideAt', below: before } as const;
      for (let broughtBack = 0; ;) {
        const slice = await parked.list({ by: 'aside', range, limit: putAsidePerSlice });
        if (slice.length === 0) return broughtBack;
        await parked.patchEach(
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

function shown({ id, channelId, at, facts }: KeptParkedFacts): ParkedFacts {
  return { id, channelId, at, facts };
}
