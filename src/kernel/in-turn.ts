import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Beyond so many waiting requests a connection is not read until all of them have had their turn. */
const mostWaiting = 16;

/** What waits on one connection. */
interface Line {
  waiting: number;
  isPaused: boolean;
}

const lines = new WeakMap<Socket, Line>();
const readOn: Socket[] = [];

/**
 * A connection has one request in hand. What is pipelined behind it waits for its answer, which goes out first in any case, and then
 * for a turn of the event loop of its own: one packet holds 600 requests, and 12 connections of guesses held the loop for a second
 * when each was answered as it was parsed. Fifty bytes become 2 KB of waiting request: a connection that pipelines on is not
 * read further, so that memory holds 64 KB of each connection's requests at most. [faults: I9, 99]
 */
export function inTurn(listener: RequestListener): RequestListener {
  return (request, response) => {
    // Node gives the answer its connection when the answers before it have gone: at once where there are none.
    if (response.socket !== null) return listener(request, response);
    const { socket } = request;
    const line = openLine(socket);
    line.waiting += 1;
    if (line.waiting > mostWaiting && !line.isPaused) {
      line.isPaused = true;
      // Once what was read is parsed: the end of each request in it resumes the socket.
      process.nextTick(() => socket.pause());
    }
    const turn = (): void => {
      line.waiting -= 1;
      if (line.isPaused && line.waiting === 0) {
        line.isPaused = false;
        readSoon(socket);
      }
      listener(request, response);
    };
    response.once('socket', () => setImmediate(turn));
  };
}

function openLine(socket: Socket): Line {
  const known = lines.get(socket);
  if (known !== undefined) return known;
  const line = { waiting: 0, isPaused: false };
  lines.set(socket, line);
  return line;
}

/** One connection a turn: what each has sent meanwhile is parsed in one go. */
function readSoon(socket: Socket): void {
  if (readOn.push(socket) === 1) setImmediate(readNext);
}

function readNext(): void {
  readOn.shift()?.resume();
  if (readOn.length > 0) setImmediate(readNext);
}
