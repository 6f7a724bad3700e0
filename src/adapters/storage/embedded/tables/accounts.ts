import type { Account, ApiKey, Redirect } from '../../../../domain/accounts/account.ts';
import { id, integer, integerOrNull, text, textOrNull, uniqueText } from './fields.ts';
import { Table } from './table.ts';

export const accounts = new Table<Account>(
  'accounts',
  { id: id(), email: uniqueText(), name: textOrNull(), createdAt: integer() },
  { indexes: { accounts_by_age: '(created_at, id)' } },
);

export const apiKeys = new Table<ApiKey>(
  'api_keys',
  {
    id: id(),
    accountId: text(),
    hash: uniqueText(),
    hint: text(),
    createdAt: integer(),
    revokedAt: integerOrNull(),
    name: textOrNull(),
    lastFour: textOrNull(),
    lastUsedAt: integerOrNull(),
  },
  { indexes: { api_keys_of_account: '(account_id, created_at, id)' } },
);

export const redirects = new Table<Redirect>(
  'redirects',
  { id: id(), accountId: text(), apiKeyId: text(), uriPattern: text(), createdAt: integer() },
  { indexes: { redirects_of_key: '(api_key_id, created_at, id)' } },
);
