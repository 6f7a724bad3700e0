import type { SealedUnmatchedFact } from '../../../../actors/channel/ports/writes.ts';
import { entityBy, hourMs } from './entity.ts';
import { integer, integerOrNull, text } from './fields.ts';

type StoredUnmatchedFact = SealedUnmatchedFact & { channelId: string };

export const unmatchedFacts = entityBy<StoredUnmatchedFact>('unmatched_facts', ['channelId', 'id'], {
  fields: {
    channelId: text(),
    id: text({ inDocument: 'factId' }),
    fact: text(),
    expiresAt: integer({ isDate: true }),
    dueAt: integerOrNull(),
    tries: integer({ before: 0 }),
  },
  indexes: {
    byExpiry: {
      on: ['expiresAt'],
      file: 'unmatched_facts_by_expiry',
      database: 'expiry',
      expiresAfterMs: hourMs,
    },
    waiting: { on: ['channelId', 'expiresAt', 'id'], where: { absent: 'dueAt' }, file: 'waiting_facts' },
    due: {
      on: ['channelId', 'dueAt'],
      where: { present: 'dueAt' },
      filter: { dueAt: { $gte: 0 } },
      file: 'due_facts',
      database: 'due',
    },
  },
  inDatabase: { of_channel: { key: { channelId: 1, expiresAt: 1 } } },
});
