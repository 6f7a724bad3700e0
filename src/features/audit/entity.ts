import type { AuditEntry } from './port.ts';
import { entity } from '../../storage/entities/entity.ts';
import { integer, integerOrNull, jsonOrNull, text, textOrNull } from '../../storage/entities/fields.ts';

export const audit = entity<AuditEntry>('audit', {
  fields: {
    id: text(),
    accountId: textOrNull(),
    actor: text(),
    actorName: textOrNull(),
    action: text(),
    subject: textOrNull(),
    before: jsonOrNull(),
    after: jsonOrNull(),
    address: textOrNull(),
    requestId: textOrNull(),
    createdAt: integer(),
    times: integer({ before: 1 }),
    lastAt: integerOrNull(),
  },
  indexes: {
    byAge: { on: ['createdAt', 'id'], file: 'audit_by_age', database: 'by_age' },
    ofAccount: { on: ['accountId', 'createdAt', 'id'], file: 'audit_of_account', database: 'of_account' },
    ofAccountAndActor: {
      on: ['accountId', 'actor', 'createdAt', 'id'],
      file: 'audit_of_account_and_actor',
      database: 'of_account_and_actor',
    },
    ofActor: { on: ['actor', 'createdAt', 'id'], file: 'audit_of_actor', database: 'of_actor' },
    ofAction: { on: ['action', 'createdAt', 'id'], file: 'audit_of_action', database: 'of_action' },
  },
});
