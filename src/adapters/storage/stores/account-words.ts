/** Words that lead to accounts. */
import { wordsOfAccount } from '../../../domain/accounts/search-words.ts';
import type { Account } from '../../../domain/accounts/account.ts';
import type { AccountWord, AccountWordStore } from '../../../use-cases/ports/account-words.ts';
import type { StoredAccountWord } from '../entities/account-words.ts';
import type { RecordsOf } from '../records.ts';

/** Of no account and no word: says that all are there. */
const complete: StoredAccountWord = { id: 'complete', word: '', accountId: '' };
/** Behind every letter. */
const last = '\u{10ffff}';

export function accountWordStore(recordsOf: RecordsOf): AccountWordStore {
  const kept = recordsOf('accountWords');
  return {
    add: (words) => kept.insertEach(words.map(toStored)),
    async beginning(prefix, limit) {
      const range = { on: 'word', from: prefix, below: `${prefix}${last}` } as const;
      const found = await kept.list({ by: 'byWord', range, limit });
      return found.map(({ word, accountId }) => ({ word, accountId }));
    },
    isComplete: async () => (await kept.one({ id: complete.id })) !== null,
    async noteComplete() {
      await kept.insert(complete);
    },
  };
}

function toStored({ word, accountId }: AccountWord): StoredAccountWord {
  return { id: `${word} ${accountId}`, word, accountId };
}

export function listStoredWords(account: Account): StoredAccountWord[] {
  return wordsOfAccount(account).map((word) => toStored({ word, accountId: account.id }));
}
