/**
 * The connections of one bee-queue. It brings a Redis client of its own that must not be left to itself: without a listener one
 * `error` ends the process (a broken attempt emits two of them, bee-queue listens to the first), it gives up for good after an
 * hour away, and bee-queue can't close what never became ready. So each is opened here, listened to from birth, never reconnects,
 * and is ended here: whoever uses a queue opens a new one. Handing bee-queue an ioredis connection crashes it. [architecture §9]
 */
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { Server } from './primary.ts';

/** What is used of a `RedisClient` of node_redis 3; its types are not among our packages. */
interface Connection {
  on(event: 'error', listener: (error: Error) => void): void;
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

/** The very client bee-queue uses, wherever npm has put it. */
const library: Library = createRequire(createRequire(import.meta.url).resolve('bee-queue'))('redis');

const connectMs = 2_000;
/** A worker waits in silence: only the keep-alive tells a quiet Redis from a lost one. */
const keepAliveMs = 5_000;

interface Connections {
  /** For `settings.redis` of a queue: what it duplicates is listened to and ended as well. */
  first: Connection;
  /** Resolves with the first error of any of them; none comes back after that. */
  lost: Promise<Error>;
  /** At once, whatever state they are in; commands under way are refused. */
  end(): void;
}

/** Begins to connect. Never throws for a Redis that is away: see `lost`. */
export function openConnections(server: Server): Connections {
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
    connection.duplicate = open;
    all.push(connection);
    return connection;
  };
  return { first: open(), lost, end: () => all.forEach(endNow) };
}

function nothing(): void {}

function endNow(connection: Connection): void {
  connection.end(true);
  connection.stream.destroy(); // `end` alone waits for a Redis that reads nothing any more
}
