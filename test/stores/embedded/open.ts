import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../support/silent-log.ts';
import { openEmbeddedStore } from '../../support/stores.ts';
import type { EmbeddedStore } from '../../support/stores.ts';

export function freshDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'trunkline-store-'));
}

export function openIn(dataDir: string): Promise<EmbeddedStore> {
  return openEmbeddedStore({ dataDir, log: silentLog });
}

/** An empty store; `close` removes its directory. */
export async function openFresh(): Promise<EmbeddedStore> {
  const dataDir = await freshDirectory();
  const store = await openIn(dataDir);
  return {
    ...store,
    async close() {
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}
