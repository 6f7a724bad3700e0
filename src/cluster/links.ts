/**
 * One authenticated WebSocket link per pair of nodes, on the internal listener. The session that sorts lower dials. A link
 * that closes is the failure detector: the peer's port is tried at once, and if it refuses, the peer is dead. [architecture §4]
 */
import http from 'node:http';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { HelloGuard, helloHeaders } from './hello.ts';
import { Link } from './link.ts';
import type { Member } from './membership.ts';
import type { Frame } from './wire.ts';

const maxPayload = 64 * 1024 * 1024;
const probeMs = 250;
const redialMs = 50;
const dialMs = 2_000;

export interface LinksOptions {
  self: Member;
  secret: string;
  clock: Clock;
  log: Log;
  /** A request of the internal listener that is no upgrade (metrics, health). */
  onRequest: http.RequestListener;
  onFrame(link: Link, frame: Frame): void;
  onOpen(session: string): void;
  /** The link closed and the peer's port refuses: it is dead, nobody waits for its lease. */
  onDead(session: string): void;
  roundTrip(ms: number): void;
}

export class Links {
  readonly #options: LinksOptions;
  readonly #server: http.Server;
  readonly #sockets: WebSocketServer;
  readonly #guard: HelloGuard;
  readonly #links = new Map<string, Link>();
  readonly #peers = new Map<string, Member>();
  readonly #dialling = new Set<string>();
  #stopped = false;

  constructor(options: LinksOptions) {
    this.#options = options;
    this.#guard = new HelloGuard(options.secret, options.self.session);
    this.#sockets = new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false });
    this.#server = http.createServer(options.onRequest);
    this.#server.on('upgrade', (request, socket, head) => this.#accept(request, socket, head));
  }

  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  get(session: string): Link | undefined {
    return this.#links.get(session);
  }

  open(): Link[] {
    return [...this.#links.values()];
  }

  /** Keeps a link to this peer until `forget`. */
  know(peer: Member): void {
    if (peer.session === this.#options.self.session) return;
    this.#peers.set(peer.session, peer);
    this.#dial(peer);
  }

  forget(session: string): void {
    this.#peers.delete(session);
    this.#links.get(session)?.terminate();
  }

  broadcast(frame: Frame): void {
    for (const link of this.#links.values()) link.send(frame);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#peers.clear();
    for (const link of this.#links.values()) link.close();
    this.#sockets.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #accept(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    const hello = this.#stopped ? null : this.#guard.check(request);
    if (hello === null || hello.session > this.#options.self.session) {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#opened(hello.session, webSocket));
  }

  #dial(peer: Member): void {
    const { self, secret } = this.#options;
    if (self.session > peer.session || this.#links.has(peer.session) || this.#dialling.has(peer.session))
      return;
    this.#dialling.add(peer.session);
    const headers = helloHeaders(secret, self, peer.session);
    const socket = new WebSocket(peer.url, {
      headers,
      perMessageDeflate: false,
      handshakeTimeout: dialMs,
      maxPayload,
    });
    const failed = (): void => {
      this.#dialling.delete(peer.session);
      socket.terminate();
      this.#redialLater(peer.session);
    };
    socket.once('error', failed);
    socket.once('open', () => {
      socket.off('error', failed);
      this.#dialling.delete(peer.session);
      this.#opened(peer.session, socket);
    });
  }

  #redialLater(session: string): void {
    this.#options.clock.after(redialMs, () => {
      const peer = this.#peers.get(session);
      if (peer !== undefined && !this.#stopped) this.#dial(peer);
    });
  }

  #opened(session: string, socket: WebSocket): void {
    this.#links.get(session)?.terminate();
    const link: Link = new Link(session, socket, this.#options.clock, {
      frame: (frame) => this.#options.onFrame(link, frame),
      closed: () => this.#closed(link),
      roundTrip: (ms) => this.#options.roundTrip(ms),
    });
    this.#links.set(session, link);
    this.#options.log.info({ peer: session }, 'link.open');
    this.#options.onOpen(session);
  }

  #closed(link: Link): void {
    if (this.#links.get(link.session) !== link) return;
    this.#links.delete(link.session);
    const peer = this.#peers.get(link.session);
    if (peer === undefined || this.#stopped) return;
    this.#options.log.warn({ peer: link.session, node: peer.nodeId }, 'link.closed');
    void isRefused(peer.url).then((refused) => {
      if (this.#stopped || !this.#peers.has(link.session)) return;
      if (refused) this.#options.onDead(link.session);
      else this.#redialLater(link.session);
    });
  }
}

/** True only when the port answers that nobody listens: a time-out proves nothing. */
function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect({ host: hostname, port: Number(port) });
    const done = (refused: boolean): void => {
      socket.destroy();
      resolve(refused);
    };
    socket.setTimeout(probeMs, () => done(false));
    socket.once('connect', () => done(false));
    socket.once('error', (error) => done('code' in error && error.code === 'ECONNREFUSED'));
  });
}
