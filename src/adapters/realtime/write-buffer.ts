import type { Socket } from 'socket.io';

/**
 * What was sent on a connection and is not written to its socket: engine.io keeps it and then its transport, and nothing else bounds
 * it. The answer to a poll has gone out here once it is written: who does not take it is the HTTP server's. [faults: 184]
 */
export class WriteBuffer {
  /** Bytes that engine.io keeps until its transport has written what it has in hand. */
  #waiting = 0;
  /** Bytes that the transport has in hand. */
  #inHand = 0;
  readonly #changed: (bytes: number) => void;
  #resolves: (() => void)[] = [];

  constructor(conn: Socket['conn'], changed: (bytes: number) => void) {
    this.#changed = changed;
    conn.on('packetCreate', ({ data }) => {
      if (typeof data !== 'string') return;
      // Some of it may be written by then.
      const inHand = Math.min(this.#inHand, bytesInHand(conn.transport));
      this.#note(this.#waiting + Buffer.byteLength(data), inHand);
    });
    conn.on('flush', () => {
      this.#inHand += this.#waiting;
      this.#waiting = 0;
    });
    // The transport's: the connection's own comes as soon as the transport has it in hand.
    const written = (): void => this.#note(this.#waiting, 0);
    conn.transport.on('drain', written);
    conn.on('upgrade', (transport) => transport.on('drain', written));
    conn.once('close', () => this.#note(0, 0));
  }

  /** Resolves once all of it is written, or the connection is gone. */
  drained(): Promise<void> {
    if (this.#waiting + this.#inHand === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#resolves.push(resolve));
  }

  #note(waiting: number, inHand: number): void {
    this.#waiting = waiting;
    this.#inHand = inHand;
    this.#changed(waiting + inHand);
    if (waiting + inHand > 0) return;
    for (const resolve of this.#resolves.splice(0)) resolve();
  }
}

function bytesInHand(transport: object): number {
  if (!('socket' in transport)) return 0;
  const { socket } = transport;
  if (typeof socket !== 'object' || socket === null || !('bufferedAmount' in socket)) return 0;
  return typeof socket.bufferedAmount === 'number' ? socket.bufferedAmount : 0;
}
