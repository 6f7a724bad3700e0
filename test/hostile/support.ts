/** Attackers: raw bytes on sockets, against a complete service. They see only what they get back. */
import net from 'node:net';
import { bootService, bootSimulator } from '../support/service.ts';
import type { Service, Simulator } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';

export interface Target {
  service: Service;
  simulator: Simulator;
  port: number;
  close(): Promise<void>;
}

/** Starts a service and a simulator with these settings. */
export async function target(settings: Record<string, string> = {}): Promise<Target> {
  const simulator = await bootSimulator(laxWorld);
  const service = await bootService(simulator.url, settings);
  const close = async (): Promise<void> => {
    await service.stop();
    await simulator.stop();
  };
  return { service, simulator, port: Number(new URL(service.url).port), close };
}

/** A connection that writes given bytes and keeps what it receives. */
export class Wire {
  readonly #socket: net.Socket;
  #heard = '';
  #isClosed = false;

  constructor(port: number) {
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (text: string) => (this.#heard += text));
    this.#socket.on('close', () => (this.#isClosed = true));
    // The service may reset the connection: what it sent before counts.
    this.#socket.on('error', () => {});
  }

  /** All bytes received so far. */
  get heard(): string {
    return this.#heard;
  }

  /** The statuses of all answers so far. */
  get statuses(): number[] {
    return [...this.#heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  /** Resolves once the bytes have left this process, or the connection is closed. */
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

  /** Resolves once the service has closed its half of the connection; this side stays open. */
  closed(): Promise<boolean> {
    return until('the service to close the connection', () => this.#isClosed || this.#socket.readableEnded);
  }

  /** Resolves once the connection is closed completely: a half that still receives is not closed. */
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

/** Writes, and waits until the service closes the connection; returns the connection with everything received. */
export async function converse(port: number, bytes: string): Promise<Wire> {
  const wire = new Wire(port);
  await wire.write(bytes);
  await wire.closed();
  wire.end();
  return wire;
}
