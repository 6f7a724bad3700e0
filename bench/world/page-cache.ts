/** The kernel's cache of a file. */
import { execFileSync } from 'node:child_process';

/**
 * Drops the file from the cache, by GNU `dd`. The file must be clean: `dd` drops no page that is still to be written, so `sync` writes them
 * first. A file that was written in one go lies there in large folios, and the kernel counts all of a folio as written by the process when
 * it writes 4 KB of it; a file that grew send by send lies there in pages.
 */
export function dropCached(path: string): void {
  execFileSync('sync', ['-d', path]);
  execFileSync('dd', [`if=${path}`, 'iflag=nocache', 'count=0', 'status=none']);
}
