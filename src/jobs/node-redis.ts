/**
 * The Redis connections of one bee-queue. bee-queue uses node_redis, which needs supervision: an `error` without a listener ends the
 * process (a failed connection attempt emits two, and bee-queue listens to the first), it gives up for good after an hour without Redis,
 * and bee-queue cannot close a connection that was never ready. So each connection is opened here, has a listener from the start, never
 * reconnects, and is ended here; the queue's user opens a new one. bee-queue crashes with an ioredis connection. [architecture §9]
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Server } from './primary.ts';

/** The part of node_redis 3's `RedisClient` that is used here; its types are not installed. */
interface Connection {
  on(event: 'error', listener: (error: Error) => void): void;
  on(event: 'warning', listener: (message: string) => void): void;
  end(flush: true): void;
  duplicate(): Connection;
  stream: Socket;
}

interface Library {
  createClient(
    options: Server & {
      connect_timeout: number;
      socket_initial_delay: number;
      retry_strategy: () => undefined;
    },
  ): Connection;
}

/** The same module that bee-queue loads, wherever npm has installed it. */
const library: Library = createRequire(createRequire(import.meta.url).resolve('bee-queue'))('redis');

const connectMs = 2_000;
/** A worker's blocking connection is idle for long: only TCP keep-alive tells an idle Redis from a lost one. */
const keepAliveMs = 5_000;

interface Connections {
  /** For `settings.redis` of a queue. Its duplicates are supervised and ended as well. */
  first: Connection;
  /** Resolves with the first error of any connection; none of them reconnects. */
  lost: Promise<Error>;
  /** Ends all connections at once, in any state; pending commands are rejected. */
  end(): void;
}

/** Starts to connect. Never throws if Redis is unreachable: `lost` reports that. `warned`: what node_redis would print otherwise. */
export function openConnections(server: Server, warned: (message: string) => void): Connections {
  const all: Connection[] = [];
  let lose: (error: Error) => void = nothing;
  const lost = new Promise<Error>((resolve) => {
    lose = resolve;
  });
  const open = (): Connection => {
    const connection = library.createClient({
      ...server,
      connect_timeout: connectMs,
      socket_initial_delay: keepAliveMs,
      retry_strategy: () => undefined,
    });
    connection.on('error', (error) => lose(error));
    connection.on('warning', warned);
    connection.duplicate = open;
    all.push(connection);
    return connection;
  };
  return { first: open(), lost, end: () => all.forEach(endNow) };
}

function nothing(): void {}

function endNow(connection: Connection): void {
  connection.end(true);
  connection.stream.destroy(); // `end` alone waits for a Redis that has stopped reading
}
