import type { ParkedFacts } from '../../../../use-cases/ports/messages.ts';
import { bytes, id, integer, integerOrNull, text, textOrNull } from './fields.ts';
import { Table } from './table.ts';

/** Put aside: `asideOf` has the channel, since `asideAt`, and `channelId` is empty. Nobody asks for an empty one. */
interface Aside {
  asideAt: number | null;
  asideOf: string | null;
}

export const parkedFacts = new Table<ParkedFacts & Aside>(
  'parked_facts',
  {
    id: id(),
    channelId: text(),
    at: integer(),
    asideAt: integerOrNull(),
    asideOf: textOrNull(),
    facts: bytes(),
  },
  {
    indexes: {
      parked_facts_of_channel: '(channel_id, at, id)',
      parked_facts_aside: '(aside_at) where aside_at is not null',
    },
  },
);
