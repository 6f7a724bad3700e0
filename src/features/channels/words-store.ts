/** An index of the channels of each account by words. A channel that was renamed is found by its former words too. */
import { endOfPrefix } from '../../storage/records.ts';
import type { RecordsOf } from '../../storage/records.ts';
import { channelWords } from './entity.ts';
import type { ChannelWord } from './entity.ts';

/** Marker, not a word of a channel: all active channels have their words in the index. */
const complete: ChannelWord = { id: 'complete', accountId: '', word: '', channelId: '' };

export function channelWordStore(recordsOf: RecordsOf) {
  const index = recordsOf(channelWords);
  return {
    /** Adds the words; words that are stored already stay. */
    add: (words: readonly Omit<ChannelWord, 'id'>[]): Promise<void> =>
      index.insertEach(words.map((each) => ({ ...each, id: `${each.channelId} ${each.word}` }))),
    /** Ids of the account's channels with a word that begins with `prefix`, in the order of their words; of at most `limit` words. */
    async beginning(accountId: string, prefix: string, limit: number): Promise<string[]> {
      const range = { on: 'word', from: prefix, below: endOfPrefix(prefix) } as const;
      const found = await index.list({ by: 'byWord', equal: { accountId }, range, limit });
      return [...new Set(found.map(({ channelId }) => channelId))];
    },
    /** Whether the index also covers the channels that are older than the index itself. */
    isComplete: async (): Promise<boolean> => (await index.one({ id: complete.id })) !== null,
    async noteComplete(): Promise<void> {
      await index.insert(complete);
    },
  };
}
