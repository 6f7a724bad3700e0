/** Stops a listener: requests under way are answered, and no connection is closed on which one could have arrived. */
import type http from 'node:http';
import { sleep } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ConnectionShares } from '../kernel/connection-shares.ts';
import { closeEmptied, shortTurnEnded } from './close-emptied.ts';

/** Time that remains for the parts that stop after the listener. */
const afterCutMs = 1_000;
/** Before open requests are cut off, those that wait for other nodes are answered. */
const lastCallMs = 1_000;
/** A connection without a request gets this long for its first one, and no more: nobody who only connects delays a stop. [faults: 442] */
const silentMs = 2_000;
/** Interval between checks for connections that have become idle. */
const idleLookMs = 100;

interface Stopping {
  clock: Clock;
  /** The time of the whole stop. */
  leftMs: number;
  /** Called a second before open requests are cut off. */
  lastCall?: () => void;
}

/**
 * From now on a connection ends with its next answer, which says so: its client can't have sent another request by then. Once is enough: a
 * node that leaves begins before its listener stops.
 */
export function endWithAnswers(server: http.Server): void {
  if (!server.listeners('request').includes(sayLast)) server.prependListener('request', sayLast);
}

function sayLast(_: http.IncomingMessage, response: http.ServerResponse): void {
  response.shouldKeepAlive = false;
}

/**
 * Open requests get their answer, with `Connection: close`: a busy client that keeps its connection would otherwise delay the stop until
 * its requests are cut off. Idle connections are closed, each look right after a short turn that has read what had arrived: in the receive buffer of a
 * connection that closes there is no request. [faults: 440, 441]
 */
export async function stopListening(
  server: http.Server,
  connections: ConnectionShares,
  { clock, leftMs, lastCall = () => undefined }: Stopping,
): Promise<void> {
  endWithAnswers(server);
  const cutMs = Math.max(0, leftMs - afterCutMs);
  const cancelLastCall = clock.after(Math.max(0, cutMs - lastCallMs), lastCall);
  const startedAt = clock.monotonic();
  const closing = await closeEmptied(server, clock, cutMs / 4);
  let isOver = false;
  const ended = closing.ended.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await shortTurnEnded(clock, idleLookMs);
    const sinceMs = clock.monotonic() - startedAt;
    const isPatient = sinceMs < Math.min(silentMs, cutMs);
    // Node 26 counts a connection that has not asked yet as idle.
    if (!isPatient || !connections.hasNewcomer) server.closeIdleConnections();
    if (!isPatient) connections.endSilent();
    if (sinceMs >= cutMs) server.closeAllConnections();
    await Promise.race([ended, sleep(clock, idleLookMs)]);
  }
  cancelLastCall();
}
