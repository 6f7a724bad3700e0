/** The MongoDB store as the program opens it: the engine with all entities, and the stores of all features. */
import { entities } from '../../src/features/entities.ts';
import { withStores } from '../../src/features/stores.ts';
import type { Stores } from '../../src/features/stores.ts';
import { openMongoStore as openMongo, storeOn as engineOn } from '../../src/storage/mongo/index.ts';
import type { MongoStore as MongoEngine } from '../../src/storage/mongo/index.ts';

export type MongoStore = MongoEngine & { stores: Stores };

export async function openMongoStore(
  options: Omit<Parameters<typeof openMongo>[0], 'entities'>,
): Promise<MongoStore> {
  return withStores(await openMongo({ ...options, entities }));
}

export function storeOn(...on: Parameters<typeof engineOn>): MongoStore {
  return withStores(engineOn(...on));
}
