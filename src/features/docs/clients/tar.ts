/** A gzipped tar archive of texts (POSIX ustar): equal texts give equal bytes. */
import { gzipSync } from 'node:zlib';
import type { PackedFile } from './packed-file.ts';

const blockBytes = 512;

export function tarOf(files: readonly PackedFile[]): Buffer {
  const blocks = files.flatMap(({ path, text }) => {
    const bytes = Buffer.from(text);
    return [header(path, bytes.length), bytes, Buffer.alloc(-bytes.length & (blockBytes - 1))];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]));
}

/** Its fields in order, as the standard places them. npm ignores the time, but not one of 1970. */
function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(path, 0);
  block.write(octal(0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(writtenAt, 11), 136);
  block.write('        0', 148); // the sum is taken over blanks; 0: a file
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}

/** The same for every file: 1985-10-26, as npm itself writes it. */
const writtenAt = 499_162_500;
