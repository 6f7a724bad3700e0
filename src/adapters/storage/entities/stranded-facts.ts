import type { StrandedFacts } from '../../../use-cases/ports/messages.ts';
import { entity } from './entity.ts';
import { bytes, integer, integerOrNull, text, textOrNull } from './fields.ts';

/** Facts that were postponed at `asideAt` (ms): `asideOf` has their channel, and `channelId` is empty, which no query asks for. */
export type StoredStrandedFacts = StrandedFacts & { asideAt: number | null; asideOf: string | null };

/** The table and its indexes are named `parked_facts` on disk, as in older versions. */
export const strandedFacts = entity<StoredStrandedFacts>('parked_facts', {
  fields: {
    id: text(),
    channelId: text(),
    at: integer(),
    nodesGone: integer({ before: 0 }),
    asideAt: integerOrNull({ inDocument: 'aside' }),
    asideOf: textOrNull(),
    facts: bytes({ inDocument: 'payload' }),
  },
  indexes: {
    ofChannel: { on: ['channelId', 'at', 'id'], file: 'parked_facts_of_channel', database: 'of_channel' },
    aside: {
      on: ['asideAt'],
      where: { present: 'asideAt' },
      file: 'parked_facts_aside',
      database: 'aside',
    },
  },
});
