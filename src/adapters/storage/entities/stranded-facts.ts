import type { StrandedFacts } from '../../../use-cases/ports/messages.ts';
import { entity } from './entity.ts';
import { bytes, integer, integerOrNull, text, textOrNull } from './fields.ts';

/** Put aside: `asideOf` has the channel, since `asideAt`, and `channelId` is empty: nobody asks for an empty one. */
export type StoredStrandedFacts = StrandedFacts & { asideAt: number | null; asideOf: string | null };

/** On disk the table and its indexes keep the name `parked_facts`: what is stored opens in this build. */
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
