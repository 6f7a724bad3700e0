/**
 * One WebSocket link per pair of nodes, over TLS by the cluster secret, on the internal listener. The incarnation that sorts lower dials. A
 * closing link is the failure detector: without a link, both ends probe the peer's port, and if the port refuses, the peer is dead. A peer
 * is declared dead only after its link has been open: an address that never worked proves nothing about a node. [architecture §4]
 */
import type http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { sleep } from '../kernel/clock.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ConnectionShares } from '../kernel/connection-shares.ts';
import type { Log } from '../kernel/log.ts';
import { lruCache } from '../kernel/lru-cache.ts';
import { jitteredMs } from '../kernel/retry.ts';
import { Link } from './link.ts';
import type { Member } from './member.ts';
import { maxMessageBytes } from './outbox.ts';
import { isRefused } from './probe.ts';
import { tlsClientOptions, tlsServerOptions, explainTlsFailure } from './tls.ts';
import type { Frame } from './wire.ts';

/** A dying process closes its links a moment before its port: an early retry detects its death soon. */
const redial = { firstMs: 5, maxMs: 500 };
const dialMs = 2_000;
const closeMs = 500;
/** A peer's text is parsed as JSON, which validates it enough. */
const limits = { perMessageDeflate: false, maxPayload: maxMessageBytes, skipUTF8Validation: true };
/** Addresses whose refusal was logged. */
const maxLoggedRefusals = 1_000;

/** The dialling node, and the node it expects: another node may have that address by now. */
const fromHeader = 'x-trunkline-from';
const toHeader = 'x-trunkline-to';

export interface LinksOptions {
  self: Member;
  secret: string;
  clock: Clock;
  log: Log;
  askDeadlineMs: number;
  silentMs: number;
  /** The listener's places: each connection costs a handshake's memory before its secret is known. [faults: 93] */
  connections: ConnectionShares;
  onFrame: (link: Link, frame: Frame) => void;
  onOpen: (incarnation: string) => void;
  /** The peer's link closed and its port refuses: it is dead, and its lease is not waited for. */
  onDead: (incarnation: string) => void;
  roundTrip: (ms: number) => void;
  owned: () => number;
}

interface Peer {
  member: Member;
  wasLinked: boolean;
  /** Since when (monotonic ms) there is no link; null: there is one. */
  missedSince: number | null;
  isSought: boolean;
}

/** The part of the links that placement and moves need: which peers are reachable, and a frame to them. */
export interface LinkTo {
  get(incarnation: string): Pick<Link, 'send'> | undefined;
}

export class Links {
  readonly #options: LinksOptions;
  readonly #server: https.Server;
  readonly #sockets: WebSocketServer;
  readonly #links = new Map<string, Link>();
  readonly #peers = new Map<string, Peer>();
  readonly #loggedRefusals = lruCache<true>(maxLoggedRefusals);
  #stopped = false;
  /** Number of links opened and closed so far. */
  changes = 0;

  constructor(options: LinksOptions) {
    this.#options = options;
    this.#sockets = new WebSocketServer({ noServer: true, ...limits });
    this.#server = https.createServer(tlsServerOptions(options.secret), (_, response) => {
      response.writeHead(404).end(); // this server has no pages, only links
    });
    options.connections.guard(this.#server);
    // Who has the secret is a node.
    this.#server.on('secureConnection', (socket) => options.connections.keep(socket));
    this.#server.on('upgrade', (request, socket, head) => this.#accept(request, socket, head));
    this.#server.on('tlsClientError', (error, socket) => this.#logRefused(socket.remoteAddress ?? '', error));
  }

  /** Resolves with the bound port. Rejects when it can't be bound. */
  listen(port: number, host: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server
          .off('error', reject)
          .on('error', (error) => this.#options.log.error({ error }, 'listener.failed'));
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  get(incarnation: string): Link | undefined {
    return this.#links.get(incarnation);
  }

  open(): Link[] {
    return [...this.#links.values()];
  }

  /** The peer was linked and is not linked now: its address was right, and the link is being restored. */
  isMissed(incarnation: string): boolean {
    return this.#peers.get(incarnation)?.wasLinked === true && !this.#links.has(incarnation);
  }

  /** How long there has been no link to the peer, in ms; Infinity: no link to it is maintained. */
  missedMs(incarnation: string): number {
    const peer = this.#peers.get(incarnation);
    if (peer === undefined) return this.#links.has(incarnation) ? 0 : Infinity;
    return peer.missedSince === null ? 0 : this.#options.clock.monotonic() - peer.missedSince;
  }

  /** Maintains a link to this peer until `removePeer`. */
  addPeer(member: Member): void {
    const { self } = this.#options;
    if (member.incarnation === self.incarnation || this.#stopped) return;
    // A node that starts may have dialled before this one looked it up.
    const isLinked = this.#links.has(member.incarnation);
    const peer = this.#peers.get(member.incarnation) ?? {
      member,
      wasLinked: false,
      missedSince: isLinked ? null : this.#options.clock.monotonic(),
      isSought: false,
    };
    peer.member = member;
    this.#peers.set(member.incarnation, peer);
    void this.#seek(peer);
  }

  removePeer(incarnation: string): void {
    this.#peers.delete(incarnation);
    this.#links.get(incarnation)?.terminate();
  }

  broadcast(frame: Frame): void {
    for (const link of this.#links.values()) link.send(frame);
  }

  /** Announces the stop, so that no peer takes this node for dead, and closes everything. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#peers.clear();
    this.broadcast({ f: 'bye' });
    const closed = Promise.all(this.open().map((link) => link.close()));
    await Promise.race([closed, sleep(this.#options.clock, closeMs)]); // a frozen peer never confirms the close
    for (const link of this.open()) link.terminate();
    this.#sockets.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #accept(request: http.IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy()); // a caller's reset must not end the process
    const { incarnation } = this.#options.self;
    const { [fromHeader]: from, [toHeader]: to } = request.headers;
    if (this.#stopped || typeof from !== 'string' || to !== incarnation || from >= incarnation) {
      socket.once('finish', () => socket.destroy());
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => this.#opened(from, webSocket));
  }

  /** Logged once per address until a link opens: a refused node dials again twice a second. */
  #logRefused(address: string, error: Error): void {
    const why = explainTlsFailure(error);
    if (why === null || this.#loggedRefusals.get(address) === true) return;
    this.#loggedRefusals.set(address, true);
    this.#options.log.warn({ address, why }, 'link.refused');
  }

  #isWanted(peer: Peer): boolean {
    const { incarnation } = peer.member;
    return !this.#stopped && this.#peers.get(incarnation) === peer && !this.#links.has(incarnation);
  }

  /** Until there is a link: probes whether the peer is dead, dials if this end has to, waits a little. */
  async #seek(peer: Peer): Promise<void> {
    const { clock, self } = this.#options;
    if (peer.isSought) return;
    peer.isSought = true;
    const dials = self.incarnation < peer.member.incarnation;
    for (let tries = 0; this.#isWanted(peer) && (dials || peer.wasLinked); tries += 1) {
      if (peer.wasLinked) await this.#checkDead(peer);
      if (dials && this.#isWanted(peer)) await this.#dial(peer);
      if (this.#isWanted(peer)) await sleep(clock, jitteredMs(redial, tries));
    }
    peer.isSought = false;
  }

  async #checkDead(peer: Peer): Promise<void> {
    const refused = await isRefused(peer.member.url, this.#options.clock);
    if (!refused || !this.#isWanted(peer)) return;
    peer.wasLinked = false;
    this.#options.onDead(peer.member.incarnation);
  }

  /** Resolves when the link is open or has failed. */
  #dial(peer: Peer): Promise<void> {
    const { self, secret } = this.#options;
    const { incarnation, url } = peer.member;
    const headers = { [fromHeader]: self.incarnation, [toHeader]: incarnation };
    const line = tlsClientOptions(secret, self.incarnation);
    const socket = new WebSocket(url, { headers, ...line, handshakeTimeout: dialMs, ...limits });
    return new Promise((resolve) => {
      socket.on('error', (error) => {
        this.#logRefused(url, error);
        socket.terminate();
      });
      socket.once('close', () => resolve());
      socket.once('open', () => {
        if (this.#isWanted(peer)) this.#opened(incarnation, socket);
        else socket.terminate();
        resolve();
      });
    });
  }

  #opened(incarnation: string, socket: WebSocket): void {
    const { clock, log, askDeadlineMs, silentMs, onFrame, onOpen, roundTrip, owned } = this.#options;
    const before = this.#links.get(incarnation);
    const link: Link = new Link(
      incarnation,
      socket,
      { clock, askDeadlineMs, silentMs, owned },
      {
        frame: (frame) => {
          if (frame.f === 'bye') this.removePeer(incarnation);
          onFrame(link, frame);
        },
        closed: () => this.#closed(link),
        roundTrip,
      },
    );
    this.#links.set(incarnation, link);
    this.changes += 1;
    const peer = this.#peers.get(incarnation);
    if (peer !== undefined) peer.missedSince = null;
    before?.terminate(); // the peer dialled again, so the old link is broken
    this.#loggedRefusals.clear();
    log.info({ peer: incarnation }, 'link.open');
    onOpen(incarnation);
  }

  #closed(link: Link): void {
    if (this.#links.get(link.incarnation) !== link) return;
    this.#links.delete(link.incarnation);
    this.changes += 1;
    const peer = this.#peers.get(link.incarnation);
    if (peer === undefined || this.#stopped) return;
    this.#options.log.warn({ peer: link.incarnation, node: peer.member.nodeId }, 'link.closed');
    peer.wasLinked = true;
    peer.missedSince = this.#options.clock.monotonic();
    void this.#seek(peer);
  }
}
