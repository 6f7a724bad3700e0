import type { SealedUnmatchedFact } from '../../../../../actors/channel/ports.ts';
import { integer, text } from './fields.ts';
import { Table } from './table.ts';

export const unmatchedFacts = new Table<SealedUnmatchedFact & { channelId: string }>(
  'unmatched_facts',
  { channelId: text(), id: text(), fact: text(), expiresAt: integer() },
  { key: ['channel_id', 'id'], indexes: { unmatched_facts_by_expiry: '(expires_at)' } },
);
