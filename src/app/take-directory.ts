/** The first step of a start with the embedded store. */
import type { StartWriter, TakenDirectory } from '../storage/sqlite/index.ts';
import { moduleBeside, startThread } from '../kernel/worker-thread.ts';
import type { Node } from './node.ts';

/** The writing thread, as its own module. */
export const storeWriter: StartWriter = (settings, options) =>
  startThread(moduleBeside(import.meta.url, 'store-writer'), { ...options, workerData: settings });

/**
 * Locks DATA_DIR before anything else is loaded, so that the writer thread opens the store while the rest starts. Throws StoreUnavailable if
 * another process holds the directory.
 */
export async function takeOwnDirectory({
  settings,
  log,
}: Pick<Node, 'settings' | 'log'>): Promise<TakenDirectory> {
  const { takeDirectory } = await import('../storage/sqlite/index.ts');
  return takeDirectory({
    dataDir: settings.dataDir,
    mediaTtlMs: settings.mediaTtlMs,
    acceptsOlder: settings.acceptOlderStore,
    writer: storeWriter,
    log,
  });
}
