import { wordsOfAccount } from './search-words.ts';
import type { Account } from './account.ts';
import { endOfPrefix } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { accountWords } from './entity.ts';
import type { StoredAccountWord, AccountWord } from './entity.ts';

/** Marker, not a word of an account: all accounts have their words in the index. */
const complete: StoredAccountWord = { id: 'complete', word: '', accountId: '' };

export function accountWordStore(recordsOf: RecordsOf) {
  const index = recordsOf(accountWords);
  return {
    /** Adds the words; words that are stored already stay. */
    add: (words: readonly AccountWord[]): Promise<void> => index.insertEach(words.map(toStored)),
    /** Words that begin with `prefix`, in alphabetical order, at most `limit`. */
    async beginning(prefix: string, limit: number): Promise<AccountWord[]> {
      const range = { on: 'word', from: prefix, below: endOfPrefix(prefix) } as const;
      const found = await index.list({ by: 'byWord', range, limit });
      return found.map(({ word, accountId }) => ({ word, accountId }));
    },
    /** Whether the index also covers the accounts and channels that are older than the index itself. */
    isComplete: async (): Promise<boolean> => (await index.one({ id: complete.id })) !== null,
    async noteComplete(): Promise<void> {
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
