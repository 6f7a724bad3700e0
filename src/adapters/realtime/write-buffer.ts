import type { Socket } from 'socket.io';

/**
 * Bytes sent on a connection and not yet written to its socket. engine.io and then its transport buffer them without a limit. The answer to
 * a poll counts as written here once the transport has it; the HTTP server limits unread answers. [faults: 184]
 */
export class WriteBuffer {
  /** Bytes that engine.io buffers until its transport is free. */
  #waiting = 0;
  /** Bytes that the transport is writing. */
  #inHand = 0;
  readonly #changed: (bytes: number) => void;
  #resolves: (() => void)[] = [];

  constructor(conn: Socket['conn'], changed: (bytes: number) => void) {
    this.#changed = changed;
    conn.on('packetCreate', ({ data }) => {
      if (typeof data !== 'string') return;
      // Part of them may be written by now.
      const inHand = Math.min(this.#inHand, bytesInHand(conn.transport));
      this.#note(this.#waiting + Buffer.byteLength(data), inHand);
    });
    conn.on('flush', () => {
      this.#inHand += this.#waiting;
      this.#waiting = 0;
    });
    // The transport's drain, because the connection's comes when the transport takes the bytes.
    const written = (): void => this.#note(this.#waiting, 0);
    conn.transport.on('drain', written);
    conn.on('upgrade', (transport) => transport.on('drain', written));
    conn.once('close', () => this.#note(0, 0));
  }

  /** Resolves when everything is written or the connection is closed. */
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
