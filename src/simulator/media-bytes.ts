import { onceFor } from '../kernel/once-for.ts';
import { createHash } from 'node:crypto';

/** Content of a file: stored bytes, or filler that is generated while it is read, so that a huge file needs no memory. */
export type Content =
  | { readonly is: 'kept'; readonly bytes: Buffer }
  | { readonly is: 'filler'; readonly size: number };

/** How the download of a file goes wrong; CONTROL.md has the table. The first two state wrong facts, the others fail. */
export const mediaFaults = [
  'wrong_sha256',
  'wrong_size',
  'cut',
  'stall',
  'drip',
  'endless',
  'empty',
  'redirect',
  'redirect_loop',
  'expired',
  'gone',
  'stray_404',
  'other_host',
] as const;
export type MediaFault = (typeof mediaFaults)[number];

const chunkBytes = 65_536;
const fillByte = 0x2e;

export function sizeOf(content: Content): number {
  return content.is === 'kept' ? content.bytes.length : content.size;
}

/** The content from its start: in `pieces` chunks, or in chunks of a size good for writing. */
export function* chunksOf(content: Content, pieces?: number): Generator<Buffer> {
  const size = sizeOf(content);
  const step = pieces === undefined ? chunkBytes : Math.max(1, Math.ceil(size / pieces));
  for (let start = 0; start < size; start += step) {
    const end = Math.min(size, start + step);
    yield content.is === 'kept' ? content.bytes.subarray(start, end) : Buffer.alloc(end - start, fillByte);
  }
}

export const sha256Of = onceFor((content: Content): Buffer => {
  const hash = createHash('sha256');
  for (const chunk of chunksOf(content)) hash.update(chunk);
  return hash.digest();
});
