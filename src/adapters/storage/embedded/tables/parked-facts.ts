import type { ParkedFacts } from '../../../../use-cases/ports/messages.ts';
import { bytes, id, integer, text } from './fields.ts';
import { Table } from './table.ts';

export const parkedFacts = new Table<ParkedFacts>(
  'parked_facts',
  { id: id(), channelId: text(), at: integer(), facts: bytes() },
  { indexes: { parked_facts_of_channel: '(channel_id, at, id)' } },
);
