/** CPU and memory of processes as Linux counts them: user and system time, all threads. */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';

/** `utime` and `stime` are in clock ticks, 100 per second on every Linux that Node runs on. */
const msPerTick = 10;

/** CPU ms of a process and its threads since it started; 0 if it has ended. */
export function cpuMsOf(pid: number): number {
  try {
    return cpuMsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return 0; // the process has ended: /proc no longer has its CPU time
  }
}

/** CPU ms of the main thread alone, to the nanosecond; 0 if the process has ended. */
export function mainThreadMsOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return 0; // the process has ended
  }
}

/** Fields 14 and 15 of `/proc/{pid}/stat`; the name in field 2 may itself contain blanks and brackets. */
export function cpuMsIn(stat: string): number {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(afterName[11]) + Number(afterName[12])) * msPerTick;
}

/** CPU ms of this process's children that have ended: fields 16 and 17. So the CPU of an ended child still counts as ours. */
export function endedChildrenMsIn(stat: string): number {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(afterName[13]) + Number(afterName[14])) * msPerTick;
}

/** CPU ms that the whole machine has spent since it booted, on all cores. */
export function machineCpuMs(): number {
  return machineCpuMsIn(readFileSync('/proc/stat', 'utf8'));
}

/** Idle time and waiting for disks (columns 4 and 5) do not count; time stolen by a hypervisor (8) does: others took it. */
export function machineCpuMsIn(stat: string): number {
  const [, ...columns] = (stat.split('\n', 1)[0] ?? '').trim().split(/\s+/);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = columns.map(Number);
  return (user + nice + system + irq + softirq + steal) * msPerTick;
}

/** Resident memory in MB (10^6 bytes). */
export function rssMbOf(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

/** Peak resident memory since the process started, or since `forgetPeak`. */
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

/** Bytes that a process has had written to disk since it started; 0 if `/proc` does not tell. */
export function bytesWrittenBy(pid: number): number {
  try {
    const line = /^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'));
    return Number(line?.[1] ?? 0);
  } catch {
    return 0; // ended, or belongs to another user
  }
}

interface OneProcess {
  name: string;
  ms: number;
  /** CPU ms of its children that have ended. */
  endedMs: number;
  parent: number;
  /** A kernel thread: it writes and sends on behalf of processes. */
  isKernel: boolean;
}

const kernelThreads = 2;

/** All processes of this machine, by pid. */
export function everyProcess(): Map<number, OneProcess> {
  const all = new Map<number, OneProcess>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    try {
      all.set(pid, processIn(pid, readFileSync(`/proc/${pid}/stat`, 'utf8')));
    } catch {
      // The process has ended since the folder was listed.
    }
  }
  return all;
}

/** CPU ms of these processes and of their children, also of those that have ended: PostgreSQL has one for each connection. */
export function cpuMsOfFamilies(pids: readonly number[], all = everyProcess()): number {
  const heads = new Set(pids);
  let sum = 0;
  for (const [pid, { ms, endedMs, parent }] of all)
    if (heads.has(pid) || heads.has(parent)) sum += ms + endedMs;
  return sum;
}

/** Field 2 is the name, field 4 the parent. */
export function processIn(pid: number, stat: string): OneProcess {
  const nameEnd = stat.lastIndexOf(')');
  const parent = Number(stat.slice(nameEnd + 2).split(' ')[1]);
  return {
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    ms: cpuMsIn(stat),
    endedMs: endedChildrenMsIn(stat),
    parent,
    isKernel: pid === kernelThreads || parent === kernelThreads,
  };
}
