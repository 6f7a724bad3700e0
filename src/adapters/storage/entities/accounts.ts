import type { Account } from '../../../domain/accounts/account.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, text, textOrNull, uniqueText } from './fields.ts';

export const accounts = entity<Account>('accounts', {
  fields: {
    id: text(),
    email: uniqueText(),
    name: textOrNull(),
    suspendedAt: integerOrNull(),
    createdAt: integer(),
  },
  indexes: {
    email: { on: ['email'], isUnique: true, database: 'email' },
    byAge: { on: ['createdAt', 'id'], file: 'accounts_by_age', database: 'age' },
  },
});
