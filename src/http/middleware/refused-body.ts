import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/clock.ts';

/** What is read and thrown away after a refusal, so that the client gets to see its answer instead of a reset. */
const maxDiscardedBytes = 16 * 1024 * 1024;
/** A byte costs little, a chunk costs a call: whoever has no right to send gets both bounded. [faults: 92] */
export const maxChunks = 10_000;
/** After its answer a client has this long to finish what it sends, or to read why it was refused. [faults: 93] */
const lingerMs = 1_000;

/** Throws away what still comes of a refused request; past the bounds the connection ends. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  let bytes = 0;
  let chunks = 0;
  request.on('error', () => {});
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks += 1;
    if (bytes > maxDiscardedBytes || chunks > maxChunks) request.socket.destroy();
  });
}

/**
 * A request whose body is still not there a second after its answer, or that sends too much until then, takes its connection with it,
 * whatever it asked for. [faults: 92, 93]
 */
export function endUnfinished(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
  response.once('finish', () => {
    if (request.complete) return;
    discardRest(request);
    destroyAfterLinger(request.socket, clock, () => request.complete);
  });
}

/** Ends a connection for good, whatever its peer does: half of it stays open as long as the peer likes. */
export function destroyAfterLinger(
  socket: Duplex,
  clock: Clock,
  isSpared: () => boolean = () => false,
): void {
  // Without a listener per request: the connection may carry many. Destroyed by then, it stays so.
  clock.after(lingerMs, () => {
    if (!isSpared()) socket.destroy();
  });
}
