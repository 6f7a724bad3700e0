/**
 * The blocks that a socket was read into. Node's HTTP parser copies what belongs to a body, and leaves the blocks to the collector,
 * which lets them grow to 32 MB. They are given back as they are parsed, if it is certain that the parser copies.
 */
import http from 'node:http';
import { Duplex } from 'node:stream';
import { giveBack } from '../../kernel/give-back.ts';

let copies: Promise<boolean> | null = null;

/** From now on; what was read before stays where it is. */
export function giveBackBlocks({ socket }: http.IncomingMessage): void {
  copies ??= parserCopies();
  let isCertain = false;
  copies.then(
    (does) => (isCertain = does),
    () => undefined, // not seen: the collector will find them
  );
  // The parser has its listener already and is done with the block when this one is called.
  socket.on('data', (block) => void (isCertain && giveBack(block)));
}

/** Seen at an answer that never was on a wire. */
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
