/** Who is let in to the live feed, and for how long: a right key or session, a place of its account, asked again every few seconds. */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import { asError, Fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { Connections } from './connections.ts';
import { credentialIn, sinceIn } from './credential.ts';
import type { Credential } from './credential.ts';
import { terminate } from './terminate.ts';
import type { LiveSocket } from './live-socket.ts';
import { roomsFor } from './portal-sessions.ts';

/** Connections that have not shown a right key yet, at most; one more closes the oldest, so that keyless connections keep nobody out. [faults: 95] */
const maxUnauthenticated = 500;
/** A refused client has this long to fetch its refusal. */
const refusedLingerMs = 1_000;

export interface AdmissionOptions {
  /** null: unknown, revoked or ended. Cached by whoever fulfils it. */
  authenticate(shown: Credential): Promise<{ accountId: string } | null>;
  admit?: (shown: Credential, attempt: ConnectionAttempt) => Promise<{ accountId: string } | null>;
  sessionIn?: (request: IncomingMessage) => string | null;
  clock: Clock;
  log: Log;
}

/** A connection that shows a key for the first time. */
export interface ConnectionAttempt {
  request: IncomingMessage;
  /** The same object for every key that is shown on it. */
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

  /** It has shown nothing yet. */
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

  /** Says why, then closes the connection: it has had its guess. [faults: 95] */
  refuse(conn: LiveSocket['conn'], next: (refused: Error) => void, refused: Error): void {
    next(refused);
    setImmediate(() => conn.close()); // socket.io writes the refusal in the next tick
    this.#options.clock.after(refusedLingerMs, () => terminate(conn));
  }

  /** It is in the namespace, which its connection may outlive. */
  onConnected(socket: LiveSocket): void {
    this.#unauthenticated.delete(socket.conn);
    socket.once('disconnect', (reason) => {
      this.#connections.remove(socket.data.accountId, socket);
      // Nobody counts it any more, and each time it joined again would leave listeners on it. [faults: 112]
      if (reason === 'client namespace disconnect') terminate(socket.conn);
    });
  }

  async reauthenticate(socket: LiveSocket): Promise<void> {
    try {
      if ((await this.#options.authenticate(socket.data.shown)) === null) socket.disconnect(true);
    } catch (error) {
      // The store is away: a connection that was let in stays, as with every cached answer.
      this.#options.log.warn({ error: asError(error) }, 'live.authenticate-failed');
    }
  }

  /** undefined: let in. */
  async #admit(socket: LiveSocket): Promise<Error | undefined> {
    const shown = credentialIn(socket.handshake.auth, socket.request, this.#options.sessionIn);
    if (shown === null) return refusal('unauthorized', 'Missing or invalid API key');
    const since = sinceIn(socket.handshake.auth);
    if (since === undefined) return refusal('bad_since', 'since must be an ISO 8601 time');
    try {
      const caller = await this.#lookUp(shown, socket);
      if (caller === null) return refusal('unauthorized', 'Missing or invalid API key');
      // Closed before anybody listens for it: it would keep its account's place for good. [faults: 112]
      if (socket.conn.readyState !== 'open') return unavailable();
      const { accountId } = caller;
      if (!this.#connections.add(accountId, socket))
        return refusal('too_many', 'Too many live connections of this account');
      socket.conn.once('close', () => this.#connections.remove(accountId, socket));
      socket.data = { accountId, shown, since };
      await socket.join(roomsFor(shown, accountId));
      return undefined;
    } catch (error) {
      if (error instanceof Fault && error.status === 429) return refusal('too_many', error.message);
      this.#options.log.warn({ error: asError(error) }, 'live.authenticate-failed');
      return unavailable();
    }
  }

  #lookUp(shown: Credential, { request, conn }: LiveSocket): Promise<{ accountId: string } | null> {
    const options = this.#options;
    if (options.admit === undefined) return options.authenticate(shown);
    return options.admit(shown, { request, connection: conn, isGone: () => conn.readyState !== 'open' });
  }
}

function unavailable(): Error {
  return refusal('unavailable', 'Temporarily unavailable; try again');
}

/** Reaches the client as `connect_error` with `data.code`. */
export function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { data: { code } });
}
