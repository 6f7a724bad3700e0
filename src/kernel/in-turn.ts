import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A connection has one request in hand. What is pipelined behind it waits for its answer, which goes out first in any case, and then
 * for a turn of the event loop of its own: one packet holds 600 requests, and 12 connections of guesses held the loop for a second
 * when each was answered as it was parsed. [faults: I9, 99]
 */
export function inTurn(listener: RequestListener): RequestListener {
  const last = new WeakMap<Socket, ServerResponse>();
  return (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const before = last.get(socket);
    last.set(socket, response);
    if (before === undefined || before.writableFinished) return listener(request, response);
    // Where the connection ends with an answer nobody waits behind it: this is never called.
    before.once('close', () => setImmediate(listener, request, response));
  };
}
