/** A pipe as a process has it for its output, and a reader of it. */
import { execFileSync } from 'node:child_process';
import { constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';

/** Both ends never wait: as long as nobody reads, what is more than it takes is under way. */
export function openPipe(folder: string): { writes: number; reads: number } {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  const reads = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reads, writes: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

/** Begins to read, and resolves with all that came up to this text. */
export async function readUpTo(text: string, fd: number): Promise<string> {
  let heard = '';
  for await (const piece of new Socket({ fd, readable: true, writable: false }).setEncoding('latin1')) {
    const from = Math.max(0, heard.length - text.length);
    heard += String(piece);
    if (heard.includes(text, from)) break;
  }
  return heard;
}
