import { rm } from 'node:fs/promises';
import { folderInMemory } from '../../support/in-memory.ts';
import { silentLog } from '../../support/silent-log.ts';
import { openEmbeddedStore } from '../../support/stores.ts';
import type { EmbeddedStore } from '../../support/stores.ts';

export function freshDirectory(): string {
  return folderInMemory('store');
}

export function openIn(dataDir: string): Promise<EmbeddedStore> {
  return openEmbeddedStore({ dataDir, log: silentLog });
}

/** An empty store; `close` removes its directory. */
export async function openFresh(): Promise<EmbeddedStore> {
  const dataDir = freshDirectory();
  const store = await openIn(dataDir);
  return {
    ...store,
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
