import { afterAll, beforeAll } from '@jest/globals';
import type { ChannelStore as ActorChannelStore } from '../../../actors/channel/ports.ts';
import type { Stores } from '../../../src/use-cases/ports/stores.ts';

/** What every storage adapter offers; the suites know nothing else of it. */
export interface OpenStore {
  stores: Stores;
  channelState: ActorChannelStore;
  ownership: { mintEpoch(channelId: string): Promise<number> };
  close(): Promise<void>;
}

/** Opens an empty store. */
export type Open = () => Promise<OpenStore>;

/** One store for the tests of a `describe`; read its parts inside the tests. */
export function withStore(open: Open): { readonly current: OpenStore } {
  let store: OpenStore | null = null;
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
