/** DATA_DIR is taken before anything else is loaded: the writing thread opens the store beside the rest of the start. */
import type { Settings } from '../../config/settings.ts';
import type { TakenDirectory } from '../adapters/storage/sqlite/index.ts';
import type { Log } from '../kernel/log.ts';

/** Throws StoreUnavailable when another process has it. */
export async function takeOwnDirectory(
  { dataDir }: Pick<Settings, 'dataDir'>,
  log: Log,
): Promise<TakenDirectory> {
  const { takeDirectory } = await import('../adapters/storage/sqlite/index.ts');
  return takeDirectory({ dataDir, log });
}
