/** CPU and memory of processes as Linux counts them: all threads, user and system. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

/** `utime` and `stime` are in clock ticks, 100 per second on every Linux that Node runs on. */
const msPerTick = 10;

/** CPU ms of a process and its threads since it began; 0 once it is gone. */
export function cpuMsOf(pid: number): number {
  try {
    return cpuMsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return 0; // the process has ended: what it took is no longer told
  }
}

/** Fields 14 and 15 of `/proc/{pid}/stat`; the name in field 2 may itself hold blanks and brackets. */
export function cpuMsIn(stat: string): number {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(afterName[11]) + Number(afterName[12])) * msPerTick;
}

/** CPU ms of the children of this process that have ended: fields 16 and 17. What a process took stays ours when it is gone. */
export function endedChildrenMsIn(stat: string): number {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(afterName[13]) + Number(afterName[14])) * msPerTick;
}

/** CPU ms that the whole machine has spent on anything since it booted, on all cores. */
export function machineCpuMs(): number {
  return machineCpuMsIn(readFileSync('/proc/stat', 'utf8'));
}

/** Idle and waiting for disks (columns 4 and 5) are not spent; what a hypervisor stole (8) was not ours to spend, but is. */
export function machineCpuMsIn(stat: string): number {
  const [, ...columns] = (stat.split('\n', 1)[0] ?? '').trim().split(/\s+/);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = columns.map(Number);
  return (user + nice + system + irq + softirq + steal) * msPerTick;
}

/** Resident memory in MB (10^6 bytes). */
export function rssMbOf(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** The most it was resident at any moment since it began, or since `forgetPeak`. */
export function peakMbOf(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function statusMb(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return (Number(line?.[1] ?? 0) * 1024) / 1e6;
}

/** Bytes that a process has had written to disk since it began; 0 where `/proc` does not tell. */
export function bytesWrittenBy(pid: number): number {
  try {
    const line = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'));
    return Number(line?.[1] ?? 0);
  } catch {
    return 0; // gone, or not ours to ask
  }
}

interface OneProcess {
  name: string;
  ms: number;
  /** A thread of the kernel: it writes and sends for whoever asks. */
  isKernel: boolean;
}

const kernelThreads = 2;

/** Everything that runs on this machine, by pid. */
export function everyProcess(): Map<number, OneProcess> {
  const all = new Map<number, OneProcess>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      all.set(pid, processIn(pid, readFileSync(`/proc/${pid}/stat`, 'utf8')));
    } catch {
      // It has ended since the folder was read.
    }
  }
  return all;
}

/** Field 2 is the name, 4 the parent. */
export function processIn(pid: number, stat: string): OneProcess {
  const nameEnd = stat.lastIndexOf(')');
  const parent = Number(stat.slice(nameEnd + 2).split(' ')[1]);
  return {
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    ms: cpuMsIn(stat),
    isKernel: pid === kernelThreads || parent === kernelThreads,
  };
}
