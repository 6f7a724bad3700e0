/** Attackers: bytes on sockets, against a whole service. What they get back is kept, nothing else of the service is known to them. */
import net from 'node:net';
import { bootService, bootSimulator } from '../support/service.ts';
import type { Service, Simulator } from '../support/service.ts';
import { until } from '../support/until.ts';

export interface Target {
  service: Service;
  simulator: Simulator;
  port: number;
  close(): Promise<void>;
}

/** A service on this machine, with the settings of its operator. */
export async function target(settings: Record<string, string> = {}): Promise<Target> {
  const simulator = await bootSimulator();
  const service = await bootService(simulator.url, settings);
  const close = async (): Promise<void> => {
    await service.stop();
    await simulator.stop();
  };
  return { service, simulator, port: Number(new URL(service.url).port), close };
}

/** A connection that writes what it is told and keeps what comes back. */
export class Wire {
  readonly #socket: net.Socket;
  #heard = '';
  #isClosed = false;

  constructor(port: number) {
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => (this.#heard += text));
    this.#socket.on('close', () => (this.#isClosed = true));
    // A reset is the service's right: what came before it counts.
    this.#socket.on('error', () => {});
  }

  /** Everything of the service so far. */
  get heard(): string {
    return this.#heard;
  }

  /** The statuses of all answers so far. */
  get statuses(): number[] {
    return [...this.#heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  /** Resolves once the bytes have left this process, or can't any more. */
  async write(bytes: string): Promise<void> {
    await new Promise<void>((resolve) => {
      if (this.#socket.destroyed) return resolve();
      const done = (): void => {
        this.#socket.off('close', done);
        resolve();
      };
      this.#socket.once('close', done);
      this.#socket.write(bytes, 'latin1', done);
    });
  }

  answers(count: number): Promise<boolean> {
    return until(`${count} answers`, () => this.statuses.length >= count);
  }

  /** The service has closed the connection; we have not. */
  closed(): Promise<boolean> {
    return until('the service to close the connection', () => this.#isClosed || this.#socket.readableEnded);
  }

  /** The service lets nothing more of us in: a half that stays open is no end. */
  async refusesBytes(): Promise<boolean> {
    return until('the connection to be gone altogether', () => {
      if (!this.#isClosed) this.#socket.write('x');
      return this.#isClosed;
    });
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** Writes, waits until the service closes, answers all it said. */
export async function converse(port: number, bytes: string): Promise<Wire> {
  const wire = new Wire(port);
  await wire.write(bytes);
  await wire.closed();
  wire.end();
  return wire;
}

/** Turns of the event loop, which the service shares with this test, until it is asked. */
export function countTurns(): () => number {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}
