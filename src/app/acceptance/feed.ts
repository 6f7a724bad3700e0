/** The events of the account, from the live feed. */
import { setTimeout as wait } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { livePath } from '../../features/live/subscribers.ts';
import { asRecord, type Json } from '../../kernel/json.ts';
import type { Exchange } from './service.ts';
import { shapeOf } from './shape.ts';

const pollMs = 25;

export class Feed {
  readonly #socket: Socket;
  readonly #events: Json[] = [];

  private constructor(socket: Socket, exchanges: Exchange[]) {
    this.#socket = socket;
    socket.on('event', (envelope: unknown) => {
      const event = asRecord(envelope);
      if (event === null) return;
      this.#events.push(event);
      exchanges.push({ event: shapeOf(event) });
    });
  }

  /** Connects with the key; rejects when the service refuses it. */
  static async open(url: string, apiKey: string, exchanges: Exchange[]): Promise<Feed> {
    const { origin, pathname } = new URL(url);
    const path = `${pathname.replace(/\/+$/, '')}${livePath}`;
    const socket = io(`${origin}/live`, { path, transports: ['websocket'], auth: { apiKey } });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', () => resolve());
      socket.once('connect_error', reject);
    });
    return new Feed(socket, exchanges);
  }

  /** The first event that fits, past or future; null if none came in time. */
  async first(fits: (event: Json) => boolean, patienceMs: number): Promise<Json | null> {
    const until = performance.now() + patienceMs;
    for (;;) {
      const found = this.#events.find(fits);
      if (found !== undefined) return found;
      if (performance.now() >= until) return null;
      await wait(pollMs);
    }
  }

  /** How many events came so far: a step looks at those after it began. */
  count(): number {
    return this.#events.length;
  }

  since(count: number): readonly Json[] {
    return this.#events.slice(count);
  }

  /** As `first`, among the events after this number of them. */
  after(count: number, fits: (event: Json) => boolean, patienceMs: number): Promise<Json | null> {
    return this.first((event) => this.#events.indexOf(event) >= count && fits(event), patienceMs);
  }

  close(): void {
    this.#socket.disconnect();
  }
}
