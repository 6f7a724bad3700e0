/** The embedded store as the program opens it: the engine with all entities, and the stores of all features. */
import { storeWriter } from '../../src/app/take-directory.ts';
import { entities } from '../../src/features/entities.ts';
import { withStores } from '../../src/features/stores.ts';
import type { Stores } from '../../src/features/stores.ts';
import { takeDirectory } from '../../src/storage/sqlite/index.ts';
import type { EmbeddedStore as EmbeddedEngine } from '../../src/storage/sqlite/index.ts';
import { makeTables } from '../../src/storage/sqlite/tables.ts';

export type EmbeddedStore = EmbeddedEngine & { stores: Stores };

export const tables = makeTables(entities);

type Options = Parameters<typeof takeDirectory>[0];

/** `writer`: `storeWriter`, a thread, unless given. */
export async function openEmbeddedStore(
  options: Omit<Options, 'writer'> & Partial<Pick<Options, 'writer'>>,
): Promise<EmbeddedStore> {
  return withStores(await (await takeDirectory({ writer: storeWriter, ...options })).open());
}
