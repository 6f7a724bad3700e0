import { afterAll, beforeAll } from '@jest/globals';
import type { ChannelJournal } from '../../../src/storage/journal/channel-journal.ts';
import type { Stores } from '../../../src/features/stores.ts';

/** What a channel's owner writes and reads: the model store of the random histories offers only this. */
export interface OpenJournal {
  stores: Pick<Stores, 'messageLog'>;
  channelState: ChannelJournal;
  close(): Promise<void>;
}

/** What every store offers; the suites use nothing else. */
export interface OpenStore extends OpenJournal {
  stores: Stores;
  ownership: { mintEpoch(channelId: string): Promise<number> };
}

/** Opens an empty store. */
export type Open<S extends OpenJournal = OpenStore> = () => Promise<S>;

/** One store for the tests of a `describe`; use its parts inside the tests only. */
export function withStore<S extends OpenJournal>(open: Open<S>): { readonly current: S } {
  let store: S | null = null;
  beforeAll(async () => {
    store = await open();
  });
  afterAll(async () => {
    await store?.close();
  });
  return {
    get current() {
      if (store === null) throw new Error('the store is read before the tests run');
      return store;
    },
  };
}
