/** Admission to the live feed: a valid key, a connection slot of its account, checked again every few seconds. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import { asError, fault, Fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { Connections } from './connections.ts';
import { sinceIn } from './credential.ts';
import type { Credential, LiveCaller } from './credential.ts';
import { terminate } from './live-socket.ts';
import type { LiveSocket } from './live-socket.ts';

/**
 * Most connections that have not authenticated yet; one more closes the oldest, so that keyless connections lock nobody out. [faults: 95]
 */
const maxUnauthenticated = 500;
/** Time for a rejected client to read the rejection. */
const refusedLingerMs = 1_000;

export interface AdmissionOptions {
  /**
   * Returns null if the credential is unknown, revoked or expired; answers are cached. Called every 5 s for each admitted connection, and for new
   * ones unless `admit` is given.
   */
  authenticate(credential: Credential): Promise<LiveCaller | null>;
  /** As `authenticate`, for a new connection, which may be guessing secrets. Throws Fault 429 after too many attempts. */
  admit?: (credential: Credential, attempt: ConnectionAttempt) => Promise<LiveCaller | null>;
  /** The session of a request for a stream of events; null: none, or not that of the page which asks. */
  streamSessionIn?: (request: IncomingMessage) => string | null;
  clock: Clock;
  log: Log;
}

/** A connection that presents a credential for the first time. */
interface ConnectionAttempt {
  request: IncomingMessage;
  /** The same object for every credential that the connection presents. */
  connection: object;
  isGone: () => boolean;
}

export class Admission {
  readonly #options: AdmissionOptions;
  readonly #unauthenticated = new Set<LiveSocket['conn']>();
  readonly #connections = new Connections<LiveSocket>((socket) => terminate(socket.conn));

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Registers a connection on which no credential has been presented yet. */
  receive(conn: LiveSocket['conn']): void {
    this.#unauthenticated.add(conn);
    conn.once('close', () => this.#unauthenticated.delete(conn));
    if (this.#unauthenticated.size <= maxUnauthenticated) return;
    for (const oldest of this.#unauthenticated) {
      this.#unauthenticated.delete(oldest);
      terminate(oldest);
      return;
    }
  }

  async authenticate(socket: LiveSocket, next: (refused?: Error) => void): Promise<void> {
    const refused = await this.#admit(socket);
    if (refused === undefined) next();
    else this.refuse(socket.conn, next, refused);
  }

  /** Sends the reason, then closes the connection: each connection has one guess. [faults: 95] */
  refuse(conn: LiveSocket['conn'], next: (refused: Error) => void, refused: Error): void {
    next(refused);
    setImmediate(() => conn.close()); // socket.io writes the rejection in the next tick
    this.#options.clock.after(refusedLingerMs, () => terminate(conn));
  }

  /** Ends refused connections, which may be closing already and wait for their clients. */
  close(): void {
    for (const conn of this.#unauthenticated) terminate(conn);
  }

  /** The socket has joined the namespace; its connection may outlive the socket. */
  onConnected(socket: LiveSocket): void {
    this.#unauthenticated.delete(socket.conn);
    socket.once('disconnect', (reason) => {
      this.#connections.remove(socket.data.accountId, socket);
      // Nothing counts the connection any more, and joining again and again would add listeners to it. [faults: 112]
      if (reason === 'client namespace disconnect') terminate(socket.conn);
    });
  }

  async reauthenticate(socket: LiveSocket): Promise<void> {
    try {
      if ((await this.#options.authenticate(socket.data.credential)) === null) socket.disconnect(true);
    } catch (error) {
      // The store is unreachable: an admitted connection stays, as with every cached answer.
      this.#options.log.warn({ error: asError(error) }, 'live.authenticate-failed');
    }
  }

  /** Returns undefined if the handshake is admitted, otherwise the rejection. */
  async #admit(socket: LiveSocket): Promise<Error | undefined> {
    const { apiKey }: { apiKey?: unknown } = socket.handshake.auth;
    if (typeof apiKey !== 'string') return unauthorized();
    const credential: Credential = { by: 'key', secret: apiKey };
    const since = sinceIn(socket.handshake.auth);
    if (since === undefined) return refusal('bad_since', 'since must be an ISO 8601 time');
    try {
      const caller = await this.#lookUp(credential, socket);
      if (caller === null) return unauthorized();
      if (!caller.mayRead)
        return refusal('scope_missing', fault('scope_missing', { any_of: ['messages:read'] }).message);
      // The close event has passed already: the account's slot would never be freed. [faults: 112]
      if (socket.conn.readyState !== 'open') return unavailable();
      const { accountId } = caller;
      if (!this.#connections.add(accountId, socket))
        return refusal('too_many', 'Too many live connections of this account');
      socket.conn.once('close', () => this.#connections.remove(accountId, socket));
      socket.data = { accountId, credential, since };
      await socket.join(accountId);
      return undefined;
    } catch (error) {
      if (error instanceof Fault && error.status === 429) return refusal('too_many', error.message);
      this.#options.log.warn({ error: asError(error) }, 'live.authenticate-failed');
      return unavailable();
    }
  }

  #lookUp(credential: Credential, { request, conn }: LiveSocket): Promise<LiveCaller | null> {
    const options = this.#options;
    if (options.admit === undefined) return options.authenticate(credential);
    return options.admit(credential, { request, connection: conn, isGone: () => conn.readyState !== 'open' });
  }
}

function unauthorized(): Error {
  return refusal('unauthorized', 'Missing or invalid API key');
}

function unavailable(): Error {
  return refusal('unavailable', 'Temporarily unavailable; try again');
}

/** The client receives it as `connect_error` with `data.code`. */
export function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { data: { code } });
}
