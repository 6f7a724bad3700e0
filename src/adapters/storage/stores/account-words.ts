/** Index of words for searching accounts. */
import { wordsOfAccount } from '../../../domain/accounts/search-words.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import type { AccountWord, AccountWordStore } from '../../../use-cases/ports/accounts.ts';
import type { StoredAccountWord } from '../entities/account-words.ts';
import type { RecordsOf } from '../records.ts';

/** Marker, not a word of an account: all accounts have their words in the index. */
const complete: StoredAccountWord = { id: 'complete', word: '', accountId: '' };
/** Sorts after every other character. */
const last = '\u{10ffff}';

export function accountWordStore(recordsOf: RecordsOf): AccountWordStore {
  const index = recordsOf('accountWords');
  return {
    add: (words) => index.insertEach(words.map(toStored)),
    async beginning(prefix, limit) {
      const range = { on: 'word', from: prefix, below: `${prefix}${last}` } as const;
      const found = await index.list({ by: 'byWord', range, limit });
      return found.map(({ word, accountId }) => ({ word, accountId }));
    },
    isComplete: async () => (await index.one({ id: complete.id })) !== null,
    async noteComplete() {
      await index.insert(complete);
    },
  };
}

function toStored({ word, accountId }: AccountWord): StoredAccountWord {
  return { id: `${word} ${accountId}`, word, accountId };
}

export function listStoredWords(account: Account): StoredAccountWord[] {
  return wordsOfAccount(account).map((word) => toStored({ word, accountId: account.id }));
}
