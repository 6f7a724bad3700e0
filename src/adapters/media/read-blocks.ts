/**
 * Frees the buffers that a socket is read into. Node's HTTP parser copies the body and leaves these buffers to the garbage collector, which
 * lets them grow to 32 MB. They are freed once parsed, provided that the parser is known to copy.
 */
import http from 'node:http';
import { Duplex } from 'node:stream';
import { freeMemory } from '../../kernel/free-memory.ts';

let copies: Promise<boolean> | null = null;

/** Applies to all later reads; buffers read before are left alone. */
export function freeBlocks({ socket }: http.IncomingMessage): void {
  copies ??= parserCopies();
  let isCertain = false;
  copies.then(
    (does) => (isCertain = does),
    () => undefined, // could not be tested: the garbage collector frees the buffers
  );
  // Listeners run in order: the parser's came first and has finished with the buffer.
  socket.on('data', (block) => void (isCertain && freeMemory(block)));
}

/** Tests that with a response from memory. */
export async function parserCopies(): Promise<boolean> {
  const block = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello');
  const wire = new Duplex({ read: () => undefined, write: (_, __, done) => done() });
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http.get({ createConnection: () => wire }, resolve).on('error', reject);
    wire.push(block);
  });
  const pieces: Uint8Array[] = [];
  await new Promise<void>((resolve) => response.on('data', (piece) => pieces.push(piece)).on('end', resolve));
  wire.destroy();
  return pieces.length > 0 && pieces.every(({ buffer }) => buffer !== block.buffer);
}
