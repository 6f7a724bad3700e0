import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { ClientGone } from './error-funnel.ts';
import { letTakeItsTime, maxChunks } from './refused-request.ts';

/** What comes before the file may take this long, and the whole body longer the larger it is: the slowest client that is served sends so much. */
const shortestMs = 30_000;
const bytesPerMs = 256;
/** Pieces beyond `maxChunks` must have this many bytes on average. [faults: 92] */
const leastBytes = 1_024;

/** Takes a request's body piece by piece: no further piece is read from the connection while nobody asks for it. */
export class BodyPieces {
  /** Within which the whole body must have arrived, ms. */
  readonly timeoutMs: number;
  readonly #request: IncomingMessage;
  readonly #most: number;
  readonly #cancel: () => void;
  readonly #cancelFirst: () => void;
  readonly #beHurried: () => void;
  #taken = 0;
  #failure: Error | null = null;
  #refuse: (why: Error) => void = () => undefined;

  /** `length`: of the body, as announced. */
  constructor(request: IncomingMessage, length: number, clock: Clock) {
    this.timeoutMs = shortestMs + length / bytesPerMs;
    this.#request = request;
    this.#most = maxChunks + length / leastBytes;
    this.#beHurried = letTakeItsTime(request.socket);
    const tooSlow = (): void => this.#fail(fault('too_slow'));
    this.#cancel = clock.after(this.timeoutMs, tooSlow);
    this.#cancelFirst = clock.after(shortestMs, tooSlow);
  }

  /** null: the body is complete. Throws ClientGone, and Fault 408 `too_slow` and 413. */
  async next(): Promise<Buffer | null> {
    this.#taken += 1;
    if (this.#taken > this.#most) this.#fail(fault('body_too_large'));
    if (this.#failure !== null) throw this.#failure;
    return this.#pull();
  }

  /** The file begins: who sends it has been told from others by then, and has the whole time. [faults: 385] */
  beginFile(): void {
    this.#cancelFirst();
  }

  #pull(): Promise<Buffer | null> {
    const request = this.#request;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        request.off('readable', take).off('end', end).off('close', close);
        this.#refuse = () => undefined;
      };
      const take = (): void => {
        const piece: unknown = request.read();
        if (!Buffer.isBuffer(piece)) return;
        settle();
        resolve(piece);
      };
      const end = (): void => {
        settle();
        resolve(null);
      };
      const close = (): void => this.#refuse(new ClientGone());
      this.#refuse = (why) => {
        settle();
        reject(why);
      };
      if (request.readableEnded) return end();
      if (request.destroyed) return close();
      request.on('readable', take).on('end', end).on('close', close);
      take();
    });
  }

  #fail(why: Error): void {
    this.#failure ??= why;
    this.#refuse(why);
  }

  /** The rest, if there is one, is not read. */
  end(): void {
    this.#cancel();
    this.#cancelFirst();
    this.#beHurried();
    this.#fail(new ClientGone());
  }
}
