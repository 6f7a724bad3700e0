/**
 * Closes a listening socket so that no connection is lost. The kernel makes connections by itself, and resets those that nobody has
 * accepted when their listening socket closes: their clients, balancers among them, can't know whether a request arrived and don't repeat
 * it. A connection that is refused they make elsewhere.
 */
import net from 'node:net';
import type { Socket } from 'node:net';
import { sleep } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';

/** Without a new connection for this long, none is expected in the short turn between the last look for one and the close. */
const quietMs = 5;
/** A busy node has turns of many ms, in which the kernel goes on making connections. */
const shortTurnMs = 1;
/** Under steady traffic no such gap may come: the longer it is waited for, the shorter it has to be. */
const mostMs = 1_000;

/**
 * Resolves once new connections are refused and the server is closing. Those that come meanwhile are held, and given to the server then:
 * whoever connects again after each answer would let no gap come. `ended`: all its connections have ended, and those that were held.
 */
export async function closeEmptied(
  server: net.Server,
  clock: Clock,
  withinMs: number,
): Promise<{ ended: Promise<unknown> }> {
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
  // Not by the `close` of `http.Server`: in Node 26 it ends connections that have not asked yet.
  const serverEnded = new Promise((resolve) => net.Server.prototype.close.call(server, resolve));
  return { ended: Promise.all([heldEnded, serverEnded]) };
}

async function noneComes(clock: Clock, withinMs: number, count: () => number): Promise<void> {
  const startedAt = clock.monotonic();
  let seen = 0;
  let seenAt = startedAt;
  for (;;) {
    await sleep(clock, 1);
    const turnMs = await pollEnded(clock);
    const now = clock.monotonic();
    if (count() > seen) seenAt = now;
    seen = count();
    const left = 1 - (now - startedAt) / withinMs;
    if (left <= 0 || (turnMs < shortTurnMs && now - seenAt >= quietMs * left)) return;
  }
}

/**
 * Resolves right after a turn of the event loop that has accepted the connections that waited, and read what had arrived on each. Returns
 * how long that turn took: what has come since its look nobody has seen, and what else it did took its time between look and end.
 */
async function pollEnded(clock: Clock): Promise<number> {
  await immediate(); // of a turn whose look may have been before this call
  const startedAt = clock.monotonic();
  await immediate();
  return clock.monotonic() - startedAt;
}

/** As `pollEnded`, after a turn that was short, if one comes within this time. */
export async function shortTurnEnded(clock: Clock, withinMs: number): Promise<void> {
  const until = clock.monotonic() + withinMs;
  while ((await pollEnded(clock)) >= shortTurnMs && clock.monotonic() < until);
}

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
