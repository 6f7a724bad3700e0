/** The live feed's subscribers on this node: rooms, live events and catch-up. */
import { createServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { Server, ServerOptions } from 'socket.io';
import type { ServerOptions as WebSocketServerOptions, WebSocketServer } from 'ws';
import type { Envelope } from '../../rules/events/built.ts';
import { toIso } from '../../kernel/clock.ts';
import { endPollingOnUpgrade, terminate } from './live-socket.ts';
import type { LiveNamespace, LiveServer, LiveSocket, LiveDelivery } from './live-socket.ts';
import { Admission, refusal } from './admission.ts';
import type { AdmissionOptions } from './admission.ts';
import { WriteBuffer, WriteBufferLimits } from './write-buffer.ts';
import { EventStreams } from './event-streams.ts';
import { CatchUps } from './catch-up.ts';
import type { Missed } from './catch-up.ts';
import { eventLine, remoteLine } from './stream-lines.ts';
import type { StreamLine } from './stream-lines.ts';
import { FrameRate } from './frame-rate.ts';
import { asError } from '../../kernel/faults.ts';

export const livePath = '/live/socket.io';

/** Clients send only their key. [faults: I11] */
const maxBytesIn = 4_096;
/** A message this small arrives in one piece; each buffered fragment costs 100 bytes beside its own. [faults: 95] */
const maxPieces = { maxFragments: 8, maxBufferedChunks: 64 };
/** Each frame of a packet gets its own event-loop turn, so that one client's frames cannot block the loop. [faults: I9] */
const oneFramePerTurn = { allowSynchronousEvents: false };
/** A subscriber that catches up must read each page of the log within this time: it holds one of the few catch-up slots. [faults: 178] */
const unreadMs = 10_000;
/** A revoked key stops receiving events within this time. [faults: API2] */
const recheckMs = 5_000;

interface SubscribersOptions extends AdmissionOptions {
  missed?: Missed;
  adapter: ServerOptions['adapter'] | undefined;
}

/** The socket.io side: namespace `/live`, one room per account. The streams of the portal's page are beside it. */
export class Subscribers {
  /** Does not listen: `dispatch` passes requests to it. */
  readonly #server: HttpServer;
  readonly #io: LiveServer;
  readonly #live: LiveNamespace;
  readonly #options: SubscribersOptions;
  readonly #catchUps: CatchUps;
  readonly #streams: EventStreams;
  readonly #buffers = new WeakMap<LiveSocket, WriteBuffer>();
  readonly #bufferLimits = new WriteBufferLimits<LiveSocket>((socket) => {
    this.#options.log.info({ account: socket.data.accountId }, 'live.slow-consumer');
    terminate(socket.conn);
  });
  readonly #admission: Admission;
  #stopRecheck: (() => void) | null = null;

  /** Loads socket.io (12 MB, up to 0.4 s), so only for the first client of the feed. */
  static async open(options: SubscribersOptions): Promise<Subscribers> {
    const [socketIo, ws] = await Promise.all([import('socket.io'), import('ws')]);
    const { clock } = options;
    const wsEngine = class extends ws.WebSocketServer {
      constructor(own: WebSocketServerOptions) {
        super({ ...own, ...maxPieces, ...oneFramePerTurn });
      }

      override handleUpgrade(...[request, socket, head, done]: Parameters<WebSocketServer['handleUpgrade']>) {
        super.handleUpgrade(request, socket, head, (webSocket, again) => {
          const { count } = new FrameRate(clock, () => webSocket.terminate());
          webSocket.on('message', count).on('ping', count).on('pong', count);
          done(webSocket, again);
        });
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
    this.#admission = new Admission(options);
    this.#catchUps = new CatchUps(options.missed ?? nothingMissed);
    const { streamSessionIn = () => null } = options;
    this.#streams = new EventStreams({
      ...options,
      streamSessionIn,
      catchUps: this.#catchUps,
      // The adapter passes on what other nodes publish for a room only while the room has members.
      began: (accountId) => void this.#live.adapter.addAll(memberOf(accountId), new Set([accountId])),
      ended: (accountId) => this.#live.adapter.delAll(memberOf(accountId)),
    });
    this.#server = createServer();
    this.#io = new SocketIo(this.#server, {
      path: livePath,
      serveClient: false,
      maxHttpBufferSize: maxBytesIn,
      httpCompression: false,
      wsEngine,
      connectTimeout: 5_000,
      ...(options.adapter === undefined ? {} : { adapter: options.adapter }),
    });
    this.#io.engine.on('connection', (conn: LiveSocket['conn']) => {
      // One poll may contain some thousand packets.
      conn.on('packet', new FrameRate(options.clock, () => terminate(conn)).count);
      endPollingOnUpgrade(conn);
      this.#admission.receive(conn);
    });
    this.#io.use((socket, next) =>
      this.#admission.refuse(
        socket.conn,
        next,
        refusal('unknown_namespace', 'Connect to the namespace /live'),
      ),
    );
    this.#live = this.#io.of('/live');
    this.#live.use((socket, next) => {
      void this.#admission.authenticate(socket, next);
    });
    this.#live.on('connection', (socket) => this.#onConnected(socket));
  }

  /** Handles a request or an upgrade below `livePath`. */
  dispatch(event: 'request' | 'upgrade', ...args: unknown[]): void {
    this.#server.emit(event, ...args);
  }

  /** Answers a request for a stream of events. */
  async stream(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await this.#streams.open(request, response);
    this.#stopRecheck ??= this.#recheckLater();
  }

  /** Whether the account has subscribers on this node. */
  has(accountId: string): boolean {
    return this.#live.adapter.rooms.has(accountId);
  }

  publish(accountId: string, envelope: Envelope, delivery: LiveDelivery): void {
    this.#live.to(accountId).emit('event', envelope, delivery);
    this.#publishToStreams(accountId, () => eventLine(envelope, delivery));
  }

  /** Passes an event that another node published to the account's keys on to its streams. */
  publishRemote(accountId: string, event: readonly unknown[]): void {
    this.#publishToStreams(accountId, () => remoteLine(event));
  }

  #publishToStreams(accountId: string, makeLine: () => StreamLine | null): void {
    const line = this.#streams.has(accountId) ? makeLine() : null;
    if (line !== null) this.#streams.publish(accountId, line);
  }

  /** Clients see a lost transport, not a disconnect by the server, so they reconnect, to a node that is up. */
  async close(): Promise<void> {
    this.#stopRecheck?.();
    this.#streams.close();
    await this.#io.close();
    this.#admission.close();
  }

  #onConnected(socket: LiveSocket): void {
    this.#admission.onConnected(socket);
    const { accountId } = socket.data;
    const buffer = new WriteBuffer(socket.conn, (bytes) => this.#bufferLimits.note(accountId, socket, bytes));
    this.#buffers.set(socket, buffer);
    this.#stopRecheck ??= this.#recheckLater();
    void this.#catchUp(socket, socket.data.since);
  }

  /** Events that other nodes published since then may not have arrived here. */
  catchUpAll(since: number): void {
    for (const socket of this.#live.sockets.values()) void this.#catchUp(socket, since);
    for (const stream of this.#streams.all) void this.#streams.catchUp(stream, since);
  }

  /** Disconnects a subscriber that cannot get every event, so that it reconnects and requests them again. */
  async #catchUp(socket: LiveSocket, since: number | null): Promise<void> {
    const at = toIso(this.#options.clock.now());
    try {
      if (since !== null && !(await this.#sendMissed(socket, since))) return terminate(socket.conn);
      socket.emit('caught_up', { at });
    } catch (error) {
      this.#options.log.warn({ error: asError(error) }, 'live.not-caught-up');
      terminate(socket.conn);
    }
  }

  #sendMissed(socket: LiveSocket, since: number): Promise<boolean> {
    const { accountId } = socket.data;
    socket.emit('catching_up', { since: toIso(since) });
    return this.#catchUps.run({
      accountId,
      since,
      isGone: () => socket.disconnected,
      event: (...event) => void socket.emit('event', ...event),
      logged: (entry) => void socket.emit('logged', entry),
      drained: () => this.#drained(socket),
    });
  }

  /**
   * Waits until the subscriber has read everything. One that does not read is disconnected, even if it answers pings; it can catch up
   * later.
   */
  async #drained(socket: LiveSocket): Promise<void> {
    const cancel = this.#options.clock.after(unreadMs, () => terminate(socket.conn));
    await this.#buffers.get(socket)?.drained();
    cancel();
  }

  #recheckLater(): () => void {
    return this.#options.clock.after(recheckMs, () => {
      void this.#recheck();
    });
  }

  async #recheck(): Promise<void> {
    await Promise.all(
      Array.from(this.#live.sockets.values(), (socket) => this.#admission.reauthenticate(socket)),
    );
    await this.#streams.recheck();
    const isEmpty = this.#live.sockets.size === 0 && this.#streams.all.length === 0;
    this.#stopRecheck = isEmpty ? null : this.#recheckLater();
  }
}

/** The streams of an account, as one member of its room; no socket has such an id, so that nothing is sent to it. */
function memberOf(accountId: string): string {
  return `streams of ${accountId}`;
}

async function* nothingMissed(): AsyncGenerator<never> {}
