import type { RequestListener } from 'node:http';

/**
 * A connection has one request in hand. What is pipelined behind it waits for its answer, which goes out first in any case, and then
 * for a turn of the event loop of its own: one packet holds 600 requests, and 12 connections of guesses held the loop for a second
 * when each was answered as it was parsed. [faults: I9, 99]
 */
export function inTurn(listener: RequestListener): RequestListener {
  return (request, response) => {
    // Node gives the answer its connection when the answers before it have gone: at once where there are none.
    if (response.socket !== null) return listener(request, response);
    response.once('socket', () => setImmediate(listener, request, response));
  };
}
