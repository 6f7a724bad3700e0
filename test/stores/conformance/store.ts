import { afterAll, beforeAll } from '@jest/globals';
import type { ChannelJournal } from '../../../actors/channel/ports/store.ts';
import type { Stores } from '../../../src/use-cases/ports/stores.ts';

/** What a channel's owner writes, and what became of it: the model store of the random histories offers no more. */
export interface OpenJournal {
  stores: Pick<Stores, 'messageLog'>;
  channelState: ChannelJournal;
  close(): Promise<void>;
}

/** What every storage adapter offers; the suites know nothing else of it. */
export interface OpenStore extends OpenJournal {
  stores: Stores;
  ownership: { mintEpoch(channelId: string): Promise<number> };
}

/** Opens an empty store. */
export type Open<S extends OpenJournal = OpenStore> = () => Promise<S>;

/** One store for the tests of a `describe`; read its parts inside the tests. */
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
