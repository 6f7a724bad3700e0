/**
 * One end of the link to one peer: asks with correlation ids and deadlines, frames coalesced per tick, a bound on what is in
 * flight. When it closes, everything that waits is told whether its frame ever left.
 */
import type { WebSocket } from 'ws';
import type { Clock } from '../kernel/clock.ts';
import { fault } from '../kernel/faults.ts';
import type { Frame, Refusal } from './wire.ts';
import { parseFrames } from './wire.ts';

const mostInFlight = 20_000;
const mostBufferedBytes = 64 * 1024 * 1024;

export type Answer = { reply: unknown } | { refusal: Refusal } | 'not-sent' | 'closed';

interface Waiting {
  settle(answer: Answer): void;
  left: boolean;
  startedAt: number;
}

export interface LinkEvents {
  frame(frame: Frame): void;
  closed(): void;
  roundTrip(ms: number): void;
}

export class Link {
  readonly session: string;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #events: LinkEvents;
  readonly #waiting = new Map<number, Waiting>();
  #outbox: Frame[] = [];
  #nextId = 1;
  #isOpen = true;

  constructor(session: string, socket: WebSocket, clock: Clock, events: LinkEvents) {
    this.session = session;
    this.#socket = socket;
    this.#clock = clock;
    this.#events = events;
    socket.on('message', (bytes, isBinary) => {
      const frames = isBinary ? null : parseFrames(String(bytes));
      if (frames === null) socket.terminate();
      else for (const frame of frames) this.#take(frame);
    });
    socket.on('close', () => this.#closed());
    socket.on('error', () => socket.terminate());
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get inFlight(): number {
    return this.#waiting.size;
  }

  /** Resolves in any case; `not-sent`: the peer never saw it. */
  ask(frame: Omit<Extract<Frame, { f: 'ask' }>, 'f' | 'id'>): Promise<Answer> {
    if (!this.#isOpen) return Promise.resolve('not-sent');
    if (this.#waiting.size >= mostInFlight) return Promise.reject(fault('overloaded'));
    return this.#call((id) => ({ f: 'ask', id, ...frame }));
  }

  /** Whether the peer's event loop answers; resolves with `closed` or `not-sent` when the link ends first. */
  ping(): Promise<Answer> {
    return this.#isOpen ? this.#call((id) => ({ f: 'ping', id })) : Promise.resolve('not-sent');
  }

  send(frame: Frame): void {
    if (!this.#isOpen) return;
    this.#outbox.push(frame);
    if (this.#outbox.length === 1) setImmediate(() => this.#flush());
  }

  close(): void {
    this.#flush();
    this.#socket.close();
  }

  /** The peer was found dead or silent: nobody waits for the TCP time-out. */
  terminate(): void {
    this.#socket.terminate();
    this.#closed();
  }

  #call(frameOf: (id: number) => Frame): Promise<Answer> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((settle) => {
      this.#waiting.set(id, { settle, left: false, startedAt: this.#clock.monotonic() });
      this.send(frameOf(id));
    });
  }

  #flush(): void {
    if (this.#outbox.length === 0 || !this.#isOpen) return;
    const frames = this.#outbox;
    this.#outbox = [];
    for (const frame of frames) {
      if (frame.f !== 'ask' && frame.f !== 'ping') continue;
      const waiting = this.#waiting.get(frame.id);
      if (waiting !== undefined) waiting.left = true;
    }
    this.#socket.send(JSON.stringify(frames));
    if (this.#socket.bufferedAmount > mostBufferedBytes) this.terminate(); // a peer that reads nothing is no peer
  }

  #take(frame: Frame): void {
    if (frame.f !== 'reply' && frame.f !== 'refusal') {
      this.#events.frame(frame);
      return;
    }
    const waiting = this.#waiting.get(frame.id);
    if (waiting === undefined) return;
    this.#waiting.delete(frame.id);
    this.#events.roundTrip(this.#clock.monotonic() - waiting.startedAt);
    waiting.settle(frame.f === 'reply' ? { reply: frame.reply } : { refusal: frame.refusal });
  }

  #closed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#outbox = [];
    for (const { settle, left } of this.#waiting.values()) settle(left ? 'closed' : 'not-sent');
    this.#waiting.clear();
    this.#events.closed();
  }
}
