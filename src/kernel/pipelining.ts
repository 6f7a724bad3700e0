import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** With more waiting requests than this, a connection is not read until all of them have been handled. */
const mostWaiting = 16;

/** The waiting requests of one connection. */
interface Line {
  waiting: number;
  isPaused: boolean;
}

const lines = new WeakMap<Socket, Line>();
const toResume: Socket[] = [];

/**
 * Each connection has one request in progress. A pipelined request waits for the previous answer, which is sent first in any case, and then
 * for another turn of the event loop: one packet can hold 600 requests, and 12 connections with guesses of keys blocked the loop for a
 * second when each request was handled as it was parsed. Fifty bytes become 2 KB of waiting request, so a connection with too many is not
 * read: memory holds at most 64 KB of waiting requests per connection. [faults: I9, 99]
 */
export function boundPipelining(listener: RequestListener): RequestListener {
  return (request, response) => {
    // Node assigns the socket to a response when the previous responses have been sent; at once if there are none.
    if (response.socket !== null) return listener(request, response);
    const { socket } = request;
    const line = openLine(socket);
    line.waiting += 1;
    if (line.waiting > mostWaiting && !line.isPaused) {
      line.isPaused = true;
      // After the bytes already read are parsed, because the end of each request in them resumes the socket.
      process.nextTick(() => socket.pause());
    }
    const turn = (): void => {
      line.waiting -= 1;
      if (line.isPaused && line.waiting === 0) {
        line.isPaused = false;
        resumeSoon(socket);
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

/** One connection per turn: what a connection has sent meanwhile is parsed in one go. */
function resumeSoon(socket: Socket): void {
  if (toResume.push(socket) === 1) setImmediate(resumeNext);
}

function resumeNext(): void {
  toResume.shift()?.resume();
  if (toResume.length > 0) setImmediate(resumeNext);
}
