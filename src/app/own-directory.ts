/** DATA_DIR is taken before anything else is loaded: the writer thread opens the store while the rest starts. */
import type { Settings } from '../../config/settings.ts';
import type { TakenDirectory } from '../adapters/storage/sqlite/index.ts';
import type { Log } from '../kernel/log.ts';

/** Throws StoreUnavailable when another process holds DATA_DIR. */
export async function takeOwnDirectory(
  { dataDir }: Pick<Settings, 'dataDir'>,
  log: Log,
): Promise<TakenDirectory> {
  const { takeDirectory } = await import('../adapters/storage/sqlite/index.ts');
  return takeDirectory({ dataDir, log });
}
