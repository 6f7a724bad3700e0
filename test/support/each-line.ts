import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Calls `keep` with each line that is not empty: whole, however the bytes of a busy process arrive. */
export function eachLine(said: Readable, keep: (line: string) => void): void {
  createInterface({ input: said }).on('line', (line) => {
    if (line !== '') keep(line);
  });
}
