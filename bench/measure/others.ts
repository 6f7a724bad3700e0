/**
 * CPU that other processes took during a measurement: the CPU of the whole machine minus ours and minus that of the kernel's own threads,
 * which write and send for other processes; on a quiet machine those are ours.
 */
import { cpuMsOfFamilies, everyProcess, machineCpuMs } from './proc.ts';

/** A measurement during which others took more is invalid. [performance §3] */
export const maxOthersCores = 0.3;

export interface Others {
  cores: number;
  /** The busiest of these processes that still run, by name and pid: `tsc (4242) 0.71, node (17) 0.30`. */
  busiest: string;
}

const named = 3;
const worthNaming = 0.02;

/** Starts watching; the returned function tells what others took since. */
export function watchOthers(ourPids: () => readonly number[]): () => Others {
  const now = () => {
    const each = everyProcess();
    return { at: performance.now(), machine: machineCpuMs(), ours: cpuMsOfFamilies(ourPids(), each), each };
  };
  const from = now();
  return () => {
    const to = now();
    const { each } = to;
    const took = (pid: number): number => (each.get(pid)?.ms ?? 0) - (from.each.get(pid)?.ms ?? 0);
    const passed = to.at - from.at;
    const mine = new Set(ourPids());
    let kernel = 0;
    const others: { name: string; cores: number }[] = [];
    for (const [pid, { name, isKernel, parent }] of each) {
      if (isKernel) kernel += took(pid);
      else if (!mine.has(pid) && !mine.has(parent))
        others.push({ name: `${name} (${pid})`, cores: took(pid) / passed });
    }
    const spent = to.machine - from.machine - (to.ours - from.ours) - kernel;
    const busiest = others
      .filter(({ cores }) => cores >= worthNaming)
      .toSorted((a, b) => b.cores - a.cores)
      .slice(0, named)
      .map(({ name, cores }) => `${name} ${cores.toFixed(2)}`)
      .join(', ');
    return { cores: Math.max(0, spent / passed), busiest };
  };
}
