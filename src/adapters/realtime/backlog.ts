import type { Socket } from 'socket.io';

/** What one subscriber may leave unread; a burst of 10,000 receipts is about 4 MB. */
const maxBytesWaiting = 4 * 2 ** 20;

/** What was written to a connection and has not gone out: engine.io keeps it, and nothing else bounds it. */
export class Backlog {
  #bytes = 0;
  #waiting: (() => void)[] = [];

  constructor(conn: Socket['conn'], tooSlow: () => void) {
    conn.on('packetCreate', (packet) => {
      this.#bytes += typeof packet.data === 'string' ? packet.data.length : 0;
      if (this.#bytes > maxBytesWaiting) tooSlow();
    });
    conn.on('flush', () => this.#empty());
    conn.once('close', () => this.#empty());
  }

  /** Resolves once all of it is under way, or the connection is gone. */
  drained(): Promise<void> {
    if (this.#bytes === 0) return Promise.resolve();
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }

  #empty(): void {
    this.#bytes = 0;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
