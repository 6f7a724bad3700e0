/**
 * Opens a TCP connection to the first of several addresses that answers (RFC 8305). Node's own `autoSelectFamily` gives up an address
 * after 250 ms, so that a receiver with a slow path and a dead one was never reached.
 */
import { connect as netConnect, Socket } from 'node:net';
import type { Clock } from '../kernel/clock.ts';
import { asError } from '../kernel/faults.ts';

/** RFC 8305 §5, Connection Attempt Delay. */
const nextAfterMs = 250;
/** A name may have thousands of addresses: one attempt must not dial them all. */
const maxAddresses = 6;

export type Dialled = (error: Error | null, socket: Socket | null) => void;

export interface RaceOptions {
  port: number;
  clock: Clock;
  /** Opens the connection; replaced in tests only. */
  open?: (address: string, port: number) => Socket;
}

const openSocket = (host: string, port: number): Socket => netConnect({ host, port });

/** The addresses with the families in turn, so that a family whose path is dead costs one delay. */
export function inTurn(addresses: readonly { address: string; family: number }[]): string[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family);
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  return Array.from({ length: Math.max(first.length, others.length) }, (_, at) => [first[at], others[at]])
    .flat()
    .flatMap((one) => (one === undefined ? [] : [one.address]))
    .slice(0, maxAddresses);
}

/** One race. `dialled` is called once. Every socket keeps its listener of errors, so that none can reach the top of the process. */
export class Race {
  readonly #addresses: readonly string[];
  readonly #options: RaceOptions;
  readonly #dialled: Dialled;
  readonly #running = new Set<Socket>();
  #next = 0;
  #isOver = false;
  #cancelNext: () => void = () => undefined;

  constructor(addresses: readonly string[], options: RaceOptions, dialled: Dialled) {
    this.#addresses = addresses;
    this.#options = options;
    this.#dialled = dialled;
  }

  start(): void {
    const address = this.#addresses[this.#next];
    if (address === undefined) return;
    this.#next += 1;
    const socket = this.#open(address);
    this.#running.add(socket);
    socket.once('connect', () => this.#end(null, socket));
    socket.on('error', (error) => this.#lost(socket, error));
    if (this.#next < this.#addresses.length)
      this.#cancelNext = this.#options.clock.after(nextAfterMs, () => this.start());
  }

  /** Runs in callbacks of timers and sockets: an address that can't be dialled fails like any other. [faults: 335] */
  #open(address: string): Socket {
    const { open = openSocket, port } = this.#options;
    try {
      return open(address, port);
    } catch (error) {
      return new Socket().destroy(asError(error));
    }
  }

  /** Ends the race without a winner. */
  stop(error: Error): void {
    this.#end(error, null);
  }

  /** The next address need not wait. The last error is the one that is told. */
  #lost(socket: Socket, error: Error): void {
    this.#running.delete(socket);
    if (this.#isOver) return;
    this.#cancelNext();
    if (this.#next < this.#addresses.length) this.start();
    else if (this.#running.size === 0) this.#end(error, null);
  }

  #end(error: Error | null, winner: Socket | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelNext();
    for (const socket of this.#running) if (socket !== winner) socket.destroy();
    this.#running.clear();
    this.#dialled(error, winner);
  }
}
