/**
 * A slice of CPU for a process, by the kernel's scheduler (cgroup `cpu` controller, version 1 or 2): the process runs for its quota of
 * every 20 ms and is then stopped until the next period. Over a second it gets its slice within 1 %. Within one period it either runs or is
 * stopped, so its latencies cannot be compared with those of a process without a slice. Needs a cgroup that this user may write; otherwise
 * null.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const periodUs = 20_000;
const [first, second] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

export interface Slice {
  hold(pid: number): void;
  /** Removes the slice; call it after its processes have ended. */
  close(): void;
}

/** `cores`: 0.15 means 15 % of one core, for all threads of its processes together. */
export function sliceOf(name: string, cores: number): Slice | null {
  const quotaUs = Math.round(cores * periodUs);
  const isFirst = existsSync(join(first, 'cpu.cfs_quota_us'));
  const folder = join(isFirst ? first : second, `trunkline-bench-${process.pid}-${name}`);
  try {
    mkdirSync(folder);
    if (isFirst) {
      writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodUs));
      writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
    } else writeFileSync(join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`);
  } catch {
    removed(folder);
    return null; // the bench reports why it cannot run
  }
  return {
    hold: (pid) => writeFileSync(join(folder, 'cgroup.procs'), String(pid)),
    close: () => removed(folder),
  };
}

function removed(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It was not made, or still contains a process: a leftover group costs nothing.
  }
}
