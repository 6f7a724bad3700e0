/** A pipe for the output of a process, and its reader. */
import { execFileSync } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** Both ends are non-blocking: while nobody reads, the writer buffers what the pipe does not take. `again`: one more reader. */
export function openPipe(folder: string): { writes: number; reads: number; again: () => number } {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const again = (): number => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const reads = again();
  return { reads, writes: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK), again };
}

/** Reads from the pipe; resolves with everything up to and including this text. */
export async function readUpTo(text: string, fd: number): Promise<string> {
  let read = '';
  for await (const piece of new Socket({ fd, readable: true, writable: false }).setEncoding('latin1')) {
    const from = Math.max(0, read.length - text.length);
    read += String(piece);
    if (read.includes(text, from)) break;
  }
  return read;
}
