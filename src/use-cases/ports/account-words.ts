/** By which words operators find accounts: those of their names and addresses, and what their channels are or were called. */

export interface AccountWord {
  accountId: string;
  word: string;
}

export interface AccountWordStore {
  /** Each word leads to its account from now on. What is there stays. */
  add(words: readonly AccountWord[]): Promise<void>;
  /** What has a word that begins so, in the order of words, at most `limit`. */
  beginning(prefix: string, limit: number): Promise<AccountWord[]>;
  /** Whether the words of all that was kept before there were any have been added. */
  isComplete(): Promise<boolean>;
  noteComplete(): Promise<void>;
}
