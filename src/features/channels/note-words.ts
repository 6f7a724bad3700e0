/** Maintains the indexes by which channels are found, including a one-time backfill for older channels. */
import type { Channel } from '../../rules/channels/channel.ts';
import { asError } from '../../kernel/faults.ts';
import { noteChannelWords } from '../accounts/index.ts';
import type { World } from '../world.ts';
import type { ChannelWord } from './entity.ts';
import { wordsOfNamed } from './words.ts';

type WordsWorld = Pick<World, 'stores' | 'clock' | 'log'>;

/** Some 1,000 words per write. */
const perWrite = 50;
const writesPerCall = 200;

/** For the account and for operators. Never throws: without its words a channel can still be found by its id, or in the list. */
export async function noteWords(world: WordsWorld, channel: Channel): Promise<void> {
  await noteChannelWords(world, channel);
  try {
    await world.stores.channelWords.add(storedWords(channel));
  } catch (thrown) {
    world.log.warn({ channel: channel.id, error: asError(thrown) }, 'channel.words-not-kept');
  }
}

function storedWords(channel: Channel): Omit<ChannelWord, 'id'>[] {
  const { id: channelId, accountId } = channel;
  return wordsOfNamed(channel).map((word) => ({ accountId, word, channelId }));
}

/** All active channels, some per call, until the store has it marked as complete. */
export class ChannelWordsBackfill {
  readonly #stores: World['stores'];
  #after = '';
  #isDone = false;

  constructor({ stores }: Pick<World, 'stores'>) {
    this.#stores = stores;
  }

  /** Throws StoreUnavailable; then the next call repeats the same channels. */
  async run(): Promise<void> {
    const { channelWords } = this.#stores;
    this.#isDone ||= await channelWords.isComplete();
    for (let written = 0; !this.#isDone && written < writesPerCall; written += 1) await this.#addSome();
  }

  async #addSome(): Promise<void> {
    const { channels, channelWords } = this.#stores;
    const some = await channels.activeAfter(this.#after, perWrite);
    await channelWords.add(some.flatMap(storedWords));
    this.#after = some.at(-1)?.id ?? this.#after;
    if (some.length === perWrite) return;
    await channelWords.noteComplete();
    this.#isDone = true;
  }
}
