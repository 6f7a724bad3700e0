import type { Socket } from 'node:net';

const [h, one, zero, two] = [0x48, 0x31, 0x30, 0x32];

/** Where the digits of the status stand: `HTTP/1.1 100`. */
const digitsAt = 9;

const headEnd = Buffer.from('\r\n\r\n');

/**
 * undici passes over every interim answer but `100 Continue`, for which it ends the connection. A receiver, or a proxy before it,
 * may say so unasked: it is made a 102 before undici reads it. [operator-interface §4: a receiver's answer]
 */
export function passOverContinue(socket: Socket): void {
  const read = socket.read.bind(socket);
  socket.read = (size) => {
    const chunk: unknown = read(size);
    if (Buffer.isBuffer(chunk)) renameContinue(chunk);
    return chunk;
  };
}

/** Only heads of interim answers at the beginning are looked at: what follows a final status is body. */
function renameContinue(chunk: Buffer): void {
  for (let at = 0; isInterim(chunk, at);) {
    const digits = at + digitsAt;
    if (chunk[digits + 1] === zero && chunk[digits + 2] === zero) chunk[digits + 2] = two;
    const end = chunk.indexOf(headEnd, at);
    if (end === -1) return;
    at = end + headEnd.length;
  }
}

function isInterim(chunk: Buffer, at: number): boolean {
  return chunk[at] === h && chunk[at + digitsAt] === one;
}
