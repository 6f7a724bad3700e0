import type { QuarantinedItem } from '../../../use-cases/ports/operating.ts';
import { entity } from './entity.ts';
import { integer, text, textOrNull } from './fields.ts';

export const quarantine = entity<QuarantinedItem>('quarantine', {
  fields: {
    id: text(),
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
    sealed: textOrNull(),
  },
  indexes: {
    byAge: { on: ['createdAt', 'id'], file: 'quarantine_by_age', database: 'by_age' },
    seen: { on: ['lastSeenAt'], file: 'quarantine_seen', database: 'seen' },
  },
});
