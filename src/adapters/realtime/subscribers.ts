import { createServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Namespace, Server, ServerOptions, Socket } from 'socket.io';
import type { ServerOptions as WebSocketServerOptions } from 'ws';
import type { Envelope } from '../../domain/events/built.ts';
import type { Clock } from '../../kernel/clock.ts';
import { toIso } from '../../kernel/clock.ts';
import type { LiveDelivery, LoggedEntry } from './live-delivery.ts';
import { Backlog } from './backlog.ts';
import { CatchUps } from './catch-up.ts';
import type { Missed } from './catch-up.ts';
import { cutOff } from './cut-off.ts';
import { Connections } from './connections.ts';
import { credentialIn, sinceIn } from './credential.ts';
import type { Credential } from './credential.ts';
import { forPeople, roomOfPeople, roomsOf, saidEventIn } from './people.ts';
import type { SaidEvent } from './people.ts';
import { asError, Fault } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';

export const livePath = '/live/socket.io';

/** Clients have nothing to say but their key. [faults: I11] */
const maxBytesIn = 4_096;
/** A message of so few bytes comes in one piece; each piece that waits for the rest costs 100 bytes beside its own. [faults: 95] */
const maxPieces = { maxFragments: 8, maxBufferedChunks: 64 };
/** Connections that have not shown a right key yet, at most; one more closes the oldest, so that keyless connections keep nobody out. [faults: 95] */
const maxNewcomers = 500;
/** A refused client has this long to fetch its refusal. */
const refusedLingerMs = 1_000;
/** Who catches up has read a page of the log within this; others wait for its place. [faults: 178] */
const unreadMs = 10_000;
/** A revoked key stops being served within this. [faults: API2] */
const recheckMs = 5_000;

interface SubscribersOptions {
  /** null: unknown, revoked or ended. Cached by whoever fulfils it. */
  authenticate(shown: Credential): Promise<{ accountId: string } | null>;
  admit?: (shown: Credential, newcomer: Newcomer) => Promise<{ accountId: string } | null>;
  sessionIn?: (request: IncomingMessage) => string | null;
  missed?: Missed;
  adapter: ServerOptions['adapter'] | undefined;
  clock: Clock;
  log: Log;
}

/** A connection that shows a key for the first time. */
export interface Newcomer {
  request: IncomingMessage;
  /** The same object for every key that is shown on it. */
  connection: object;
  isGone: () => boolean;
}

interface ServerEvents {
  event: (envelope: Envelope, delivery: LiveDelivery) => void;
  /** From here on until `caught_up` comes what was missed, mixed with what happens now. */
  catching_up: (from: { since: string }) => void;
  logged: (entry: LoggedEntry) => void;
  /** Nothing from before this time is outstanding. */
  caught_up: (until: { at: string }) => void;
}
type ClientEvents = Record<string, never>;
interface Subscriber {
  accountId: string;
  shown: Credential;
  /** Ms; null: it has not been here before. */
  since: number | null;
}
type LiveSocket = Socket<ClientEvents, ServerEvents, ClientEvents, Subscriber>;
type LiveNamespace = Namespace<ClientEvents, ServerEvents, ClientEvents, Subscriber>;

/** The socket.io side: namespace `/live`, one room per account. */
export class Subscribers {
  /** Never listens: what it is handed is what it answers. */
  readonly #server: HttpServer;
  readonly #io: Server<ClientEvents, ServerEvents, ClientEvents, Subscriber>;
  readonly #live: LiveNamespace;
  readonly #options: SubscribersOptions;
  readonly #catchUps: CatchUps;
  readonly #backlogs = new WeakMap<LiveSocket, Backlog>();
  readonly #newcomers = new Set<LiveSocket['conn']>();
  readonly #connections = new Connections<LiveSocket>((socket) => cutOff(socket.conn));
  #stopRecheck: (() => void) | null = null;

  /** Loads socket.io: 12 MB and up to 0.4 s, hence only once somebody asks for the feed. */
  static async open(options: SubscribersOptions): Promise<Subscribers> {
    const [socketIo, { WebSocketServer }] = await Promise.all([import('socket.io'), import('ws')]);
    const wsEngine = class extends WebSocketServer {
      constructor(own: WebSocketServerOptions) {
        super({ ...own, ...maxPieces });
      }
    };
    return new Subscribers(socketIo.Server, wsEngine, options);
  }

  private constructor(
    SocketIo: typeof Server,
    wsEngine: ServerOptions['wsEngine'],
    options: SubscribersOptions,
  ) {
    this.#options = options;
    this.#catchUps = new CatchUps(options.missed ?? nothingMissed);
    this.#server = createServer();
    this.#io = new SocketIo<ClientEvents, ServerEvents, ClientEvents, Subscriber>(this.#server, {
      path: livePath,
      serveClient: false,
      maxHttpBufferSize: maxBytesIn,
      httpCompression: false,
      wsEngine,
      connectTimeout: 5_000,
      ...(options.adapter === undefined ? {} : { adapter: options.adapter }),
    });
    this.#io.engine.on('connection', (conn: LiveSocket['conn']) => this.#receive(conn));
    this.#io.use((socket, next) =>
      this.#refuse(socket.conn, next, refusal('unknown_namespace', 'Connect to the namespace /live')),
    );
    this.#live = this.#io.of('/live');
    this.#live.use((socket, next) => {
      void this.#answer(socket, next);
    });
    this.#live.on('connection', (socket) => this.#welcome(socket));
  }

  /** `request` or `upgrade` of a request below `livePath`. */
  hand(event: 'request' | 'upgrade', ...args: unknown[]): void {
    this.#server.emit(event, ...args);
  }

  /** Of this node. */
  has(accountId: string): boolean {
    return this.#live.adapter.rooms.has(accountId);
  }

  publish(accountId: string, envelope: Envelope, delivery: LiveDelivery): void {
    this.#live.to(accountId).except(roomOfPeople(accountId)).emit('event', envelope, delivery);
    this.#publishToPeople(accountId, () => forPeople(envelope, delivery));
  }

  /** What another node has said to the keys of an account. */
  hearOfOthers(accountId: string, said: readonly unknown[]): void {
    this.#publishToPeople(accountId, () => {
      const event = saidEventIn(said);
      return event === null ? null : forPeople(...event);
    });
  }

  /** Of this node. */
  #publishToPeople(accountId: string, makeEvent: () => SaidEvent | null): void {
    const room = roomOfPeople(accountId);
    const event = this.#live.adapter.rooms.has(room) ? makeEvent() : null;
    if (event !== null) this.#live.local.to(room).emit('event', ...event);
  }

  /** Clients see a lost transport, not a dismissal: they come back by themselves, to a node that is up. */
  async close(): Promise<void> {
    this.#stopRecheck?.();
    await this.#io.close();
  }

  async #answer(socket: LiveSocket, next: (refused?: Error) => void): Promise<void> {
    const refused = await this.#admit(socket);
    if (refused === undefined) next();
    else this.#refuse(socket.conn, next, refused);
  }

  /** Says why, then closes the connection: it has had its guess. [faults: 95] */
  #refuse(conn: LiveSocket['conn'], next: (refused: Error) => void, refused: Error): void {
    next(refused);
    setImmediate(() => conn.close()); // socket.io writes the refusal in the next tick
    this.#options.clock.after(refusedLingerMs, () => cutOff(conn));
  }

  #receive(conn: LiveSocket['conn']): void {
    this.#newcomers.add(conn);
    conn.once('close', () => this.#newcomers.delete(conn));
    if (this.#newcomers.size <= maxNewcomers) return;
    for (const oldest of this.#newcomers) {
      this.#newcomers.delete(oldest);
      cutOff(oldest);
      return;
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
      const { accountId } = caller;
      if (!this.#connections.add(accountId, socket))
        return refusal('too_many', 'Too many live connections of this account');
      socket.conn.once('close', () => this.#connections.remove(accountId, socket));
      socket.data = { accountId, shown, since };
      await socket.join(roomsOf(shown, accountId));
      return undefined;
    } catch (error) {
      if (error instanceof Fault && error.status === 429) return refusal('too_many', error.message);
      this.#options.log.warn({ error: asError(error) }, 'live.authenticate-failed');
      return refusal('unavailable', 'Temporarily unavailable; try again');
    }
  }

  #lookUp(shown: Credential, { request, conn }: LiveSocket): Promise<{ accountId: string } | null> {
    const options = this.#options;
    if (options.admit === undefined) return options.authenticate(shown);
    return options.admit(shown, { request, connection: conn, isGone: () => conn.readyState !== 'open' });
  }

  #welcome(socket: LiveSocket): void {
    this.#newcomers.delete(socket.conn);
    // A connection may outlive its place in the namespace.
    socket.once('disconnect', () => this.#connections.remove(socket.data.accountId, socket));
    const tooSlow = (): void => {
      this.#options.log.info({ account: socket.data.accountId }, 'live.slow-consumer');
      cutOff(socket.conn);
    };
    this.#backlogs.set(socket, new Backlog(socket.conn, tooSlow));
    this.#stopRecheck ??= this.#recheckLater();
    void this.#catchUp(socket, socket.data.since);
  }

  /** What other nodes said since then may not have come here. */
  catchUpAll(since: number): void {
    for (const socket of this.#live.sockets.values()) void this.#catchUp(socket, since);
  }

  /** A subscriber that can't get every event is disconnected: it reconnects and asks for the same events. */
  async #catchUp(socket: LiveSocket, since: number | null): Promise<void> {
    const at = toIso(this.#options.clock.now());
    try {
      if (since !== null && !(await this.#sayMissed(socket, since))) return cutOff(socket.conn);
      socket.emit('caught_up', { at });
    } catch (error) {
      this.#options.log.warn({ error: asError(error) }, 'live.not-caught-up');
      cutOff(socket.conn);
    }
  }

  #sayMissed(socket: LiveSocket, since: number): Promise<boolean> {
    const { accountId, shown } = socket.data;
    const { by } = shown;
    socket.emit('catching_up', { since: toIso(since) });
    return this.#catchUps.run({
      accountId,
      since,
      isGone: () => socket.disconnected,
      event: (...event) => void socket.emit('event', ...(by === 'session' ? forPeople(...event) : event)),
      logged: (entry) => void socket.emit('logged', entry),
      drained: () => this.#drained(socket),
    });
  }

  /** One that does not read is cut off, and asks again when it does: it may answer pings all the same. */
  async #drained(socket: LiveSocket): Promise<void> {
    const cancel = this.#options.clock.after(unreadMs, () => cutOff(socket.conn));
    await this.#backlogs.get(socket)?.drained();
    cancel();
  }

  #recheckLater(): () => void {
    return this.#options.clock.after(recheckMs, () => {
      void this.#recheck();
    });
  }

  async #recheck(): Promise<void> {
    await Promise.all(Array.from(this.#live.sockets.values(), (socket) => this.#keepOrDismiss(socket)));
    this.#stopRecheck = this.#live.sockets.size === 0 ? null : this.#recheckLater();
  }

  async #keepOrDismiss(socket: LiveSocket): Promise<void> {
    try {
      if ((await this.#options.authenticate(socket.data.shown)) === null) socket.disconnect(true);
    } catch (error) {
      // The store is away: a connection that was let in stays, as with every cached answer.
      this.#options.log.warn({ error: asError(error) }, 'live.authenticate-failed');
    }
  }
}

async function* nothingMissed(): AsyncGenerator<never> {}

/** Reaches the client as `connect_error` with `data.code`. */
function refusal(code: string, message: string): Error {
  return Object.assign(new Error(message), { data: { code } });
}
