import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedStore } from '../../../src/storage/sqlite/index.ts';
import type { EmbeddedStore } from '../../../src/storage/sqlite/index.ts';
import { silentLog } from '../../support/silent-log.ts';

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
