/** Search index of operators: words of each account's name and address, and of the present and past names of its channels. */

export interface AccountWord {
  accountId: string;
  word: string;
}

export interface AccountWordStore {
  /** Adds the words; words that are stored already stay. */
  add(words: readonly AccountWord[]): Promise<void>;
  /** Words that begin with `prefix`, in alphabetical order, at most `limit`. */
  beginning(prefix: string, limit: number): Promise<AccountWord[]>;
  /** Whether the index also covers the accounts and channels that are older than the index itself. */
  isComplete(): Promise<boolean>;
  noteComplete(): Promise<void>;
}
