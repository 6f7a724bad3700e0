/** How a rejected request ends: the rest of its body, its connection, and the answer to one that never became a request. */
import { ServerResponse } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/clock.ts';

/** Bytes that are read and discarded after a rejection, so that the client sees its answer instead of a reset. */
const maxDiscardedBytes = 16 * 1024 * 1024;
/** A byte costs little, a chunk costs a call: both are bounded for clients that are rejected. [faults: 92] */
export const maxChunks = 10_000;
/** After its answer a client has this long to finish sending its body, or to read the rejection. [faults: 93] */
const lingerMs = 1_000;

/** Discards the rest of a rejected request's body; beyond the bounds it destroys the connection. */
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
 * Destroys the connection of a request, of any route, whose body is incomplete a second after the answer, or exceeds the bounds until then.
 * [faults: 92, 93]
 */
export function endUnfinished(request: IncomingMessage, response: ServerResponse, clock: Clock): void {
  response.once('finish', () => {
    if (request.complete) return;
    discardRest(request);
    destroyAfterLinger(request.socket, clock, () => request.complete);
  });
}

/** Destroys a connection after the linger time, because a peer can keep its half open as long as it likes. */
function destroyAfterLinger(socket: Duplex, clock: Clock, isSpared: () => boolean = () => false): void {
  // No listener per request: the connection may carry many. Destroying a destroyed socket does nothing.
  clock.after(lingerMs, () => {
    if (!isSpared()) socket.destroy();
  });
}

interface Refused {
  status: string;
  detail: string;
}

const refusals: Record<string, Refused> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', detail: 'Request headers too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request took too long to arrive' },
};
const malformed: Refused = { status: '400 Bad Request', detail: 'Malformed HTTP request' };

/** Connections whose body is a file: the reader of the file knows how long it may take. */
const unhurried = new WeakSet<Duplex>();

/** The server's time for a whole request does not end the one on this connection. Returns what undoes it. */
export function letTakeItsTime(socket: Duplex): () => void {
  unhurried.add(socket);
  return () => unhurried.delete(socket);
}

/** Connections whose refusal waits for the answers before it. */
const waiting = new WeakSet<Duplex>();

/**
 * Answers on the socket what Node's strict parser rejects, since it never becomes a request, and then closes the connection even if the
 * peer keeps its half open. Every error has a `detail`, this one too. Complete requests before it are answered first: in the place of
 * their answer the refusal would say that an accepted send was refused. [spec: Errors; faults 86, 93, 214]
 */
export function refuseMalformed(error: Error & { code?: string }, socket: Duplex, clock: Clock): void {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && unhurried.has(socket)) return;
  // What follows the first malformed bytes is malformed as well.
  if (waiting.has(socket)) return;
  if (!socket.writable) return void socket.destroy();
  const before = findUnderWay(socket);
  if (before?.req.complete !== true) return writeRefusal(error, socket, clock);
  waiting.add(socket);
  socket.pause();
  before.once('close', () => {
    waiting.delete(socket);
    // Node ends the connection itself after a last answer: destroying it could take bytes of that answer with it.
    if (socket.writable) refuseMalformed(error, socket, clock);
  });
}

/** The response that the connection carries now: when it closes, the next one. Node has no public name for it. */
function findUnderWay(socket: Duplex): ServerResponse | null {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return response instanceof ServerResponse ? response : null;
}

function writeRefusal(error: Error & { code?: string }, socket: Duplex, clock: Clock): void {
  const { status, detail } = refusals[error.code ?? ''] ?? malformed;
  const body = JSON.stringify({ detail });
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.end(`${head}\r\n\r\n${body}`);
  destroyAfterLinger(socket, clock);
}
