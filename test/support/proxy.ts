/**
 * A TCP proxy on loopback that injects faults: it delays, holds or resets connections, loses one reply, or answers instead of the
 * server. It counts how often a fault fired, so that a test can prove that the fault happened.
 */
import net from 'node:net';
import { freePort } from './ports.ts';

/** `up`: from client to server; `down`: from server to client. */
type Way = 'up' | 'down';

/** A caller identifies itself within these first bytes: in clear text also where a node dials over TLS. */
const openingBytes = 1_000;
/** Chunks kept for `recorded`, per direction. */
const maxRecorded = 100;

class Pair {
  readonly client: net.Socket;
  readonly server: net.Socket;
  /** The first bytes that the client sent, which tell who it is. */
  opening = '';
  /** Bytes that are held back while the connection is a black hole, in order. */
  held: { way: Way; bytes: Buffer }[] = [];
  /** Delayed bytes that have not arrived yet, by direction, in order. */
  readonly late: Record<Way, Buffer[]> = { up: [], down: [] };
  isHole = false;
  /** One side has closed while the connection was a black hole. */
  hasEnded = false;

  constructor(client: net.Socket, server: net.Socket) {
    this.client = client;
    this.server = server;
  }

  to(way: Way): net.Socket {
    return way === 'up' ? this.server : this.client;
  }
}

export class Proxy {
  readonly port: number;
  readonly #target: number;
  readonly #pairs = new Set<Pair>();
  #server: net.Server | null = null;
  readonly #delayMs: Record<Way, number> = { up: 0, down: 0 };
  #bans: ((opening: string) => boolean)[] = [];
  #holes: ((opening: string) => boolean)[] = [];
  #swallows = 0;
  #error: string | null = null;
  #alters = 0;
  /** The first chunks of all connections, by direction. */
  readonly #recorded: Record<Way, Buffer[]> = { up: [], down: [] };
  /** How many faults have fired. */
  fired = 0;
  /** How many connections have been accepted. */
  accepted = 0;

  private constructor(port: number, target: number) {
    this.port = port;
    this.#target = target;
  }

  /** Listens on `port` (or a free one) of loopback in front of `target`, which need not listen yet. */
  static async start(target: number, port?: number): Promise<Proxy> {
    const proxy = new Proxy(port ?? (await freePort()), target);
    await proxy.listen();
    return proxy;
  }

  /** Listens again after `refuse`. */
  listen(): Promise<void> {
    const server = net.createServer({ allowHalfOpen: true }, (client) => this.#accept(client));
    this.#server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', () => resolve());
    });
  }

  /** Delays all bytes by this much, in order, in both directions or in the given ones. 0 ends the delay. */
  delay(ms: number, ways: readonly Way[] = ['up', 'down']): void {
    for (const way of ways) this.#delayMs[way] = ms;
  }

  /** A partition: accepts connections but forwards nothing in either direction, not even a close. `heal` delivers what was held. */
  blackHole(): void {
    this.blackHoleFor(() => true);
  }

  /** Like `blackHole`, for the present connections only: as if a firewall had lost their state. */
  blackHolePresent(): void {
    for (const pair of this.#pairs) pair.isHole = true;
  }

  /** Reads no more from the present clients, so that what they write stays in the buffers of the network until those are full. */
  stallPresent(): void {
    for (const { client } of this.#pairs) client.pause();
  }

  /** Like `blackHole`, for the present and new connections whose first bytes fit. */
  blackHoleFor(whose: (opening: string) => boolean): void {
    this.#holes.push(whose);
    for (const pair of this.#pairs) if (whose(pair.opening)) pair.isHole = true;
  }

  /** Ends black holes, delays and `answerWith`; delivers the bytes and closes that were held. Bans stay. */
  heal(): void {
    this.#holes = [];
    this.#error = null;
    this.delay(0);
    for (const pair of this.#pairs) {
      pair.isHole = false;
      // Delayed bytes are delivered at once, before any later bytes: TCP keeps the order.
      for (const way of ['up', 'down'] as const)
        for (const bytes of pair.late[way].splice(0)) pair.to(way).write(bytes);
      for (const { way, bytes } of pair.held) pair.to(way).write(bytes);
      pair.held = [];
      if (pair.hasEnded) this.#drop(pair);
    }
  }

  /** Sends RST to both ends of each connection whose first bytes fit. */
  reset(whose: (opening: string) => boolean = () => true): void {
    for (const pair of this.#pairs) {
      if (!whose(pair.opening)) continue;
      this.fired += 1;
      this.#reset(pair);
    }
  }

  /** Sends FIN to the clients, and still forwards what they send. */
  halfClose(): void {
    for (const pair of this.#pairs) pair.client.end();
  }

  /** Like `reset`; every later connection whose first bytes fit is reset too. */
  ban(whose: (opening: string) => boolean): void {
    this.#bans.push(whose);
    this.reset(whose);
  }

  /** Looks like a killed server: refuses new connections and resets the present ones. `listen` ends it. */
  async refuse(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    this.reset();
    await closed;
  }

  /** The server applies the next command, but its reply is lost and the connection is reset. [faults: 22] */
  swallowNextReply(): void {
    this.#swallows += 1;
  }

  /** Answers each Redis command with this error instead of forwarding it; null ends this. [faults: 18] */
  answerWith(error: string | null): void {
    this.#error = error;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#pairs.size;
  }

  async close(): Promise<void> {
    await this.refuse();
  }

  #accept(client: net.Socket): void {
    const server = net.connect({ host: '127.0.0.1', port: this.#target, allowHalfOpen: true });
    const pair = new Pair(client, server);
    pair.isHole = this.#holes.some((whose) => whose(''));
    this.accepted += 1;
    this.#pairs.add(pair);
    this.#pump(pair, client, 'up');
    this.#pump(pair, server, 'down');
  }

  #pump(pair: Pair, from: net.Socket, way: Way): void {
    from.on('data', (bytes) => this.#pass(pair, way, Buffer.from(bytes)));
    from.on('end', () => (pair.isHole ? (pair.hasEnded = true) : pair.to(way).end()));
    from.on('error', () => from.destroy());
    from.on('close', () => (pair.isHole ? (pair.hasEnded = true) : this.#drop(pair)));
  }

  /** The first chunks that clients sent, or those of both directions: what an eavesdropper could read. */
  recorded(ways: 'up' | 'both' = 'up'): Buffer {
    return Buffer.concat(ways === 'up' ? this.#recorded.up : [...this.#recorded.up, ...this.#recorded.down]);
  }

  /** Flips one bit of the next chunk that a client sends. */
  alterNext(): void {
    this.#alters += 1;
  }

  #record(way: Way, bytes: Buffer): void {
    const kept = this.#recorded[way];
    if (kept.length < maxRecorded) kept.push(Buffer.from(bytes));
  }

  #alter(bytes: Buffer): void {
    if (this.#alters === 0) return;
    this.#alters -= 1;
    this.fired += 1;
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  }

  #pass(pair: Pair, way: Way, bytes: Buffer): void {
    this.#record(way, bytes);
    if (way === 'up') this.#alter(bytes);
    if (way === 'up' && pair.opening.length < openingBytes) {
      pair.opening += bytes.toString('latin1');
      pair.isHole ||= this.#holes.some((whose) => whose(pair.opening));
      if (this.#bans.some((whose) => whose(pair.opening))) {
        this.#reset(pair);
        return;
      }
    }
    if (pair.isHole) {
      this.fired += 1;
      pair.held.push({ way, bytes });
      return;
    }
    if (way === 'up' && this.#error !== null) {
      const commands = countCommands(bytes);
      this.fired += commands;
      pair.client.write(`-${this.#error}\r\n`.repeat(commands));
      return;
    }
    if (way === 'down' && this.#swallows > 0) {
      this.#swallows -= 1;
      this.fired += 1;
      this.#reset(pair);
      return;
    }
    if (this.#delayMs[way] === 0) pair.to(way).write(bytes);
    else this.#passLater(pair, way, bytes);
  }

  #passLater(pair: Pair, way: Way, bytes: Buffer): void {
    this.fired += 1;
    pair.late[way].push(bytes);
    setTimeout(() => {
      const first = pair.late[way].shift();
      if (first !== undefined) pair.to(way).write(first);
    }, this.#delayMs[way]);
  }

  #reset(pair: Pair): void {
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
    this.#pairs.delete(pair);
  }

  #drop(pair: Pair): void {
    if (!this.#pairs.delete(pair)) return;
    pair.client.destroy();
    pair.server.destroy();
  }
}

/** The number of commands in a chunk of RESP; our clients write each command in one piece. */
function countCommands(bytes: Buffer): number {
  let at = 0;
  let commands = 0;
  const line = (): string => {
    const end = bytes.indexOf('\r\n', at);
    const text = bytes.toString('latin1', at, end === -1 ? bytes.length : end);
    at = end === -1 ? bytes.length : end + 2;
    return text;
  };
  while (at < bytes.length) {
    const head = line();
    if (!head.startsWith('*')) continue;
    commands += 1;
    for (let left = Number(head.slice(1)); left > 0; left -= 1) {
      const length = Number(line().slice(1));
      at += length + 2;
    }
  }
  return commands;
}
