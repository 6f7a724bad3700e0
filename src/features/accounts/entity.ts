import type { Account, ApiKey } from './account.ts';
import { entity } from '../../storage/entities/entity.ts';
import {
  integer,
  integerOrNull,
  jsonOrNull,
  text,
  textOrNull,
  uniqueText,
} from '../../storage/entities/fields.ts';

export const accounts = entity<Account>('accounts', {
  fields: {
    id: text(),
    email: uniqueText(),
    name: textOrNull(),
    suspendedAt: integerOrNull(),
    suspendedWhy: textOrNull(),
    note: textOrNull(),
    createdAt: integer(),
  },
  indexes: {
    email: { on: ['email'], isUnique: true, database: 'email' },
    byAge: { on: ['createdAt', 'id'], file: 'accounts_by_age', database: 'age' },
  },
});

/** `id`: the word and the account's id. */
export interface StoredAccountWord extends AccountWord {
  id: string;
}

export const accountWords = entity<StoredAccountWord>('account_words', {
  fields: { id: text(), word: text(), accountId: text() },
  indexes: {
    byWord: { on: ['word', 'accountId'], file: 'account_words_by_word', database: 'by_word' },
    ofAccount: { on: ['accountId', 'word'], file: 'account_words_of_account', database: 'of_account' },
  },
});

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
    scopes: jsonOrNull(),
    endsAt: integerOrNull(),
    lastUsedFrom: textOrNull(),
  },
  indexes: {
    hash: { on: ['hash'], isUnique: true, database: 'hash' },
    ofAccount: {
      on: ['accountId', 'createdAt', 'id'],
      file: 'api_keys_of_account',
      database: 'of_account',
    },
    ending: {
      on: ['endsAt', 'id'],
      where: { present: 'endsAt' },
      file: 'api_keys_ending',
      database: 'ending',
    },
  },
});

/** Search index of operators: words of each account's name and address, and of the present and past names of its channels. */
export interface AccountWord {
  accountId: string;
  word: string;
}
