/** Maintains the operators' search index of accounts, including a one-time backfill for older accounts and channels. */
import type { AccountWord } from './entity.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { wordsOfAccount, wordsOfChannel } from './search-words.ts';
import { asError } from '../../kernel/faults.ts';
import type { World } from '../world.ts';
import type { PagePosition } from '../../kernel/paging.ts';

type WordsWorld = Pick<World, 'stores' | 'clock' | 'log'>;

/** Rows per call. */
const perCall = 500;

function ofChannel(channel: Channel): AccountWord[] {
  return wordsOfChannel(channel).map((word) => ({ word, accountId: channel.accountId }));
}

/** Never throws: without its words a channel can still be found by id. */
export async function noteChannelWords({ stores, log }: WordsWorld, channel: Channel): Promise<void> {
  try {
    await stores.accountWords.add(ofChannel(channel));
  } catch (thrown) {
    log.warn({ channel: channel.id, error: asError(thrown) }, 'channel.words-not-kept');
  }
}

/** The backfill: all accounts, then all active channels, some per call, until the store has it marked as complete. */
export class AccountWordsBackfill {
  readonly #world: WordsWorld;
  #account: PagePosition | null = null;
  /** Cursor in the channels; null while accounts are left. */
  #channelId: string | null = null;
  #isDone = false;

  constructor(world: WordsWorld) {
    this.#world = world;
  }

  /** Throws StoreUnavailable; then the next call repeats the same rows. */
  async run(): Promise<void> {
    const { accountWords } = this.#world.stores;
    if (this.#isDone || (this.#isDone = await accountWords.isComplete())) return;
    if (this.#channelId === null) await this.#lookAtAccounts();
    else await this.#lookAtChannels(this.#channelId);
  }

  async #lookAtAccounts(): Promise<void> {
    const { stores, clock } = this.#world;
    const page = { limit: perCall, cursor: this.#account };
    const { items, nextCursor } = await stores.accounts.madeIn({ from: 0, below: clock.now() + 1 }, page);
    const words = items.flatMap((account) =>
      wordsOfAccount(account).map((word) => ({ word, accountId: account.id })),
    );
    await stores.accountWords.add(words);
    this.#account = nextCursor;
    if (nextCursor === null) this.#channelId = '';
  }

  async #lookAtChannels(after: string): Promise<void> {
    const { stores } = this.#world;
    const channels = await stores.channels.activeAfter(after, perCall);
    const words = channels.flatMap(ofChannel);
    await stores.accountWords.add(words);
    this.#channelId = channels.at(-1)?.id ?? after;
    if (channels.length === perCall) return;
    await stores.accountWords.noteComplete();
  }
}
