/**
 * A slice of CPU for a process, by the kernel's own scheduler (cgroup `cpu` controller, version 1 or 2): so much of every 20 ms, and
 * then it stands still until the next. What it gets is within 1 % of what was asked over a second; within one period a process is
 * either running or standing, so latencies of a slice are a slice's own. Needs a cgroup that this user may write; elsewhere null.
 */
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const periodUs = 20_000;
const [first, second] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

export interface Slice {
  hold(pid: number): void;
  /** Once its processes have ended. */
  close(): void;
}

/** `cores`: 0.15 is 15 % of one core, over all threads of the processes in it. */
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
    return null; // the bench says why it does not run
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
    // Not made, or a process is still in it: an empty group holds nothing and costs nothing.
  }
}
