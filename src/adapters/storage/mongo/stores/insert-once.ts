import type { MongoContext } from '../collections.ts';
import { DuplicateKey } from '../errors.ts';

/** Inserts a document of a fresh id: when it is there on a second attempt, the first was applied. */
export async function insertOnce(
  retryPolicy: MongoContext['retryPolicy'],
  what: string,
  insert: () => Promise<unknown>,
): Promise<void> {
  let isRepeated = false;
  try {
    await retryPolicy.run(what, (attempt) => {
      isRepeated = attempt > 0;
      return insert();
    });
  } catch (error) {
    if (!(isRepeated && error instanceof DuplicateKey && error.index === '_id_')) throw error;
  }
}
