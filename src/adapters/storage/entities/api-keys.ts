import type { ApiKey } from '../../../domain/accounts/account.ts';
import { entity } from './entity.ts';
import { integer, integerOrNull, text, textOrNull, uniqueText } from './fields.ts';

export const apiKeys = entity<ApiKey>('api_keys', {
  fields: {
    id: text(),
    accountId: text(),
    hash: uniqueText(),
    hint: text(),
    createdAt: integer(),
    revokedAt: integerOrNull(),
    name: textOrNull(),
    lastFour: textOrNull(),
    lastUsedAt: integerOrNull(),
    madeBy: textOrNull(),
  },
  indexes: {
    hash: { on: ['hash'], isUnique: true, database: 'hash' },
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      file: 'api_keys_of_account',
      database: 'of_account',
    },
  },
});
