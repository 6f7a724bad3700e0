import type { Clock } from '../../kernel/clock.ts';
import { guardedConnector, guardedLookup } from '../outgoing/dial.ts';
import type { DialRules, Lookup } from '../outgoing/dial.ts';
import { Origins } from './origins.ts';
import type { Socket } from 'node:net';

/** Idle connections stay open this long when the receiver does not say otherwise. */
const keepIdleMs = 30_000;

const maxHeaderBytes = 16_384;

interface WireOptions {
  lookup: Lookup;
  rules: DialRules;
  clock: Clock;
  timeoutMs: number;
  ca: string | undefined;
}

/** Loads undici (40 ms, some MB), hence only when there is something to post. */
export async function openOrigins(options: WireOptions): Promise<Origins> {
  const { Pool, buildConnector } = await import('undici');
  const dial = guardedConnector(
    buildConnector({
      timeout: options.timeoutMs,
      lookup: guardedLookup(options.lookup, options.rules),
      rejectUnauthorized: true,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    }),
    options.rules,
  );
  const connect: typeof dial = (target, callback) =>
    dial(target, (...connected) => {
      if (connected[0] === null) passOverContinue(connected[1]);
      callback(...connected);
    });
  const poolOptions = {
    connect,
    keepAliveTimeout: keepIdleMs,
    keepAliveMaxTimeout: keepIdleMs,
    maxHeaderSize: maxHeaderBytes,
    // No deadline: a trickled body or a flood of 1xx outlives them. `Attempt` has the one that counts.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  return new Origins((origin) => new Pool(origin, poolOptions), options.clock);
}

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
