/** A link with a clock that the test moves, and the raw end of its peer, over loopback. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { Link } from '../../../src/ownership/link.ts';
import type { Frame } from '../../../src/ownership/wire.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';

export const silentMs = 4_000;
export const beatMs = 1_000;
export const askDeadlineMs = 10_000;
/** The maximal message size that the node accepts from its peer. */
export const maxPayload = 64 * 1024;

export class LinkAndPeer {
  readonly link: Link;
  readonly peer: WebSocket;
  readonly time: FakeClock;
  /** The delay of the node's own event loop. */
  stoodStillMs = 0;
  /** The messages that the peer has received. */
  readonly got: string[] = [];
  /** Received frames that are no answers. */
  readonly frames: Frame[] = [];
  readonly roundTrips: number[] = [];
  closings = 0;
  readonly #server: WebSocketServer;

  private constructor(server: WebSocketServer, socket: WebSocket, peer: WebSocket) {
    this.#server = server;
    this.peer = peer;
    this.time = new FakeClock();
    const clock: Clock = {
      now: () => this.time.now(),
      wall: () => this.time.wall(),
      monotonic: () => this.time.monotonic() + this.stoodStillMs,
      after: (ms, fire) => this.time.after(ms, fire),
    };
    peer.on('message', (bytes: Buffer) => void this.got.push(bytes.toString()));
    peer.on('error', () => undefined);
    this.link = new Link(
      'b',
      socket,
      { clock, askDeadlineMs, silentMs, owned: () => 3 },
      {
        frame: (frame) => void this.frames.push(frame),
        closed: () => void (this.closings += 1),
        roundTrip: (ms) => void this.roundTrips.push(ms),
      },
    );
  }

  static async open(): Promise<LinkAndPeer> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload });
    await once(server, 'listening');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
    const { port } = server.address() as AddressInfo;
    const connected = once(server, 'connection');
    const peer = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(peer, 'open');
    const [socket] = await connected;
    if (!(socket instanceof WebSocket)) throw new TypeError('the server accepts sockets');
    return new LinkAndPeer(server, socket, peer);
  }

  /** The frames of the messages that the peer has received. */
  get gotFrames(): unknown[] {
    return this.got.flatMap((text): unknown[] => {
      const frames: unknown = JSON.parse(text);
      return Array.isArray(frames) ? frames : [];
    });
  }

  /** The peer's next received message. */
  async next(): Promise<string> {
    const before = this.got.length;
    return until('a message', () => this.got[before]);
  }

  /** Sends as the peer; resolves once the link has processed it, because it answers the ping that follows. */
  async says(...frames: unknown[]): Promise<void> {
    const pong = '{"f":"reply","id":-1,"reply":3}';
    const before = this.got.filter((text) => text.includes(pong)).length;
    this.peer.send(JSON.stringify([...frames, { f: 'ping', id: -1 }]));
    await until('its answer', () => this.got.filter((text) => text.includes(pong)).length > before);
  }

  async close(): Promise<void> {
    this.peer.terminate();
    this.link.terminate();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
