import type { AccountWord } from '../../../use-cases/ports/accounts.ts';
import { entity } from './entity.ts';
import { text } from './fields.ts';

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
