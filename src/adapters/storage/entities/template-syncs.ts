import type { TemplateSync } from '../../../use-cases/ports/templates.ts';
import { entityBy } from './entity.ts';
import { integer, integerOrNull, text } from './fields.ts';

export const templateSyncs = entityBy<TemplateSync>('template_syncs', ['accountId', 'businessAccountId'], {
  fields: {
    accountId: text(),
    businessAccountId: text(),
    syncedAt: integerOrNull(),
    dueAt: integerOrNull(),
    failures: integer({ before: 0 }),
  },
  indexes: {
    due: {
      on: ['dueAt'],
      where: { present: 'dueAt' },
      filter: { dueAt: { $gte: 0 } },
      file: 'template_syncs_due',
      database: 'due',
    },
  },
});
