import { readFileSync } from 'node:fs';

/** What a process without a known limit may open. */
const assumed = 65_536;

/** How many files and sockets this process may have open at once (RLIMIT_NOFILE, which Node raises to its hard limit at the start). */
export function maxOpenFiles(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? assumed : Number(soft);
  } catch {
    return assumed; // not Linux
  }
}
