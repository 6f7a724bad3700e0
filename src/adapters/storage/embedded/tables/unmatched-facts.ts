import type { SealedUnmatchedFact } from '../../../../../actors/channel/ports/writes.ts';
import { integer, integerOrNull, text } from './fields.ts';
import { Table } from './table.ts';

export const unmatchedFacts = new Table<SealedUnmatchedFact & { channelId: string }>(
  'unmatched_facts',
  { channelId: text(), id: text(), fact: text(), expiresAt: integer(), dueAt: integerOrNull() },
  {
    key: ['channel_id', 'id'],
    indexes: {
      unmatched_facts_by_expiry: '(expires_at)',
      waiting_facts: '(channel_id, expires_at, id) where due_at is null',
      due_facts: '(channel_id, due_at) where due_at is not null',
    },
  },
);
