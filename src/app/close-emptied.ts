/**
 * Closes a listening socket so that no connection is lost. The kernel makes connections by itself, and resets those that nobody has
 * accepted when their listening socket closes: their clients, balancers among them, can't know whether a request arrived and don't repeat
 * it. A connection that is refused they make elsewhere.
 */
import net from 'node:net';
import type { Socket } from 'node:net';
import { sleep } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';

/** Without a new connection for this long, none is expected in the microseconds between the last look for one and the close. */
const quietMs = 5;
/** Under steady traffic no such gap may come: the longer it is waited for, the shorter it has to be. */
const mostMs = 1_000;

/**
 * Resolves once new connections are refused. Those that come meanwhile are held, and given to the server then: whoever connects again
 * after each answer would let no gap come. `heldEnded`: they have ended, which the server does not know when it closes.
 */
export async function closeEmptied(
  server: net.Server,
  clock: Clock,
  withinMs: number,
): Promise<{ heldEnded: Promise<void> }> {
  const held: Socket[] = [];
  const gate = net.createServer({ pauseOnConnect: true }, (socket) => held.push(socket));
  gate.maxConnections = server.maxConnections;
  gate.on('error', () => undefined); // what it could not take is refused with the port
  // Takes the listening socket of the server over.
  gate.listen(server);
  await noneComes(clock, Math.min(mostMs, withinMs), () => held.length);
  const heldEnded = new Promise<void>((resolve) => gate.close(() => resolve()));
  for (const socket of held) {
    server.emit('connection', socket);
    socket.resume();
  }
  return { heldEnded };
}

async function noneComes(clock: Clock, withinMs: number, count: () => number): Promise<void> {
  const startedAt = clock.monotonic();
  let seen = 0;
  let seenAt = startedAt;
  for (
    let now = startedAt;
    now - seenAt < quietMs * (1 - (now - startedAt) / withinMs);
    now = clock.monotonic()
  ) {
    await sleep(clock, 1);
    await pollEnded();
    if (count() > seen) seenAt = clock.monotonic();
    seen = count();
  }
}

/**
 * Resolves right after the event loop has accepted a connection, if one waited, and read what had arrived on each. The first `setImmediate` may be
 * of a turn whose poll was before this call.
 */
export function pollEnded(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
