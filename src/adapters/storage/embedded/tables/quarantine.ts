import type { QuarantinedItem } from '../../../../use-cases/ports/operating.ts';
import { id, integer, text, textOrNull } from './fields.ts';
import { Table } from './table.ts';

export const quarantine = new Table<QuarantinedItem>(
  'quarantine',
  {
    id: id(),
    reason: text(),
    channelType: textOrNull(),
    channelId: textOrNull(),
    accountId: textOrNull(),
    identity: textOrNull(),
    kind: text(),
    shape: text(),
    times: integer(),
    lastSeenAt: integer(),
    createdAt: integer(),
  },
  { indexes: { quarantine_by_age: '(created_at, id)', quarantine_seen: '(last_seen_at)' } },
);
