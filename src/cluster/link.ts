/**
 * One end of the link to one peer: asks with correlation ids and deadlines, frames coalesced per tick, a bound on what is in
 * flight. When it closes, or falls silent, everything that waits is told whether its frame ever left.
 */
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import type { Clock } from '../kernel/clock.ts';
import { Outbox } from './outbox.ts';
import type { Frame, NodeAsk, Refusal, StrangeAsk } from './wire.ts';
import { parseFrames } from './wire.ts';

const maxInFlight = 20_000;
const maxBufferedBytes = 64 * 1024 * 1024;
/** Beyond this nothing more of what is only offered: asks and their answers go first. */
const maxOfferedBytes = 4 * 1024 * 1024;
const beatsPerSilence = 4;

const overloaded: Refusal = { why: 'fault', code: 'overloaded', details: {} };

/** `not-sent`: the peer never saw it. `closed`: it may have; the link ended or the deadline passed first. */
export type Answer = { reply: unknown } | { refusal: Refusal } | 'not-sent' | 'closed';

interface PendingReply {
  settle: (answer: Answer) => void;
  left: boolean;
  startedAt: number;
}

interface LinkSettings {
  clock: Clock;
  /** An ask without an answer for this long is lost; longer than any owner holds one. */
  askDeadlineMs: number;
  /** A peer from which nothing came for this long, not even the answer to a ping, is cut off. */
  silentMs: number;
}

interface LinkEvents {
  frame(frame: Frame): void;
  closed(): void;
  /** How long the peer's event loop took to answer a ping. */
  roundTrip(ms: number): void;
}

export class Link {
  readonly incarnation: string;
  readonly #socket: WebSocket;
  readonly #settings: LinkSettings;
  readonly #events: LinkEvents;
  readonly #outbox: Outbox;
  /** In order of asking: the first is the oldest. */
  readonly #waiting = new Map<number, PendingReply>();
  #ping: { id: number; sentAt: number } | null = null;
  #nextId = 1;
  /** Not written yet. */
  #offeredBytes = 0;
  #isOpen = true;
  #heardAt: number;
  #beatAt: number;
  #cancelBeat: () => void = () => undefined;

  constructor(incarnation: string, socket: WebSocket, settings: LinkSettings, events: LinkEvents) {
    this.incarnation = incarnation;
    this.#socket = socket;
    this.#settings = settings;
    this.#events = events;
    this.#heardAt = settings.clock.monotonic();
    this.#beatAt = this.#heardAt;
    this.#outbox = new Outbox({
      write: (text) => this.#write(text),
      left: (frame) => this.#left(frame),
      tooLarge: (frame) => this.#tooLarge(frame),
    });
    socket.on('message', (bytes, isBinary) => this.#read(bytes, isBinary));
    socket.on('close', () => this.#closed());
    socket.on('error', () => socket.terminate());
    this.#scheduleBeat();
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get inFlight(): number {
    return this.#waiting.size;
  }

  get messagesSent(): number {
    return this.#outbox.messagesSent;
  }

  /** Settles in any case, and never rejects; refused as `overloaded` when too much is in flight: then nothing was sent. */
  ask(frame: Omit<Extract<Frame, { f: 'ask' }>, 'f' | 'id'>): Promise<Answer> {
    if (!this.#isOpen) return Promise.resolve('not-sent');
    if (this.#waiting.size >= maxInFlight) return Promise.resolve({ refusal: overloaded });
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((settle) => {
      this.#waiting.set(id, { settle, left: false, startedAt: this.#settings.clock.monotonic() });
      this.send({ f: 'ask', id, ...frame });
    });
  }

  /** As `ask`. A peer of an older build never answers: whoever asks has a deadline of their own. */
  askNode(ask: NodeAsk): Promise<Answer> {
    if (!this.#isOpen) return Promise.resolve('not-sent');
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((settle) => {
      this.#waiting.set(id, { settle, left: true, startedAt: this.#settings.clock.monotonic() });
      this.send({ f: 'askNode', id, ask });
    });
  }

  send(frame: Frame): void {
    if (this.#isOpen) this.#outbox.push(frame);
  }

  /** As `send`, unless the peer is behind with its reading: then it is dropped. */
  offer(frame: Frame, bytes: number): void {
    if (this.#socket.bufferedAmount + this.#offeredBytes > maxOfferedBytes) return;
    this.#offeredBytes += bytes;
    this.send(frame);
  }

  /** No ask that is under way is waited for any longer: the peer may have acted on it. */
  endAsks(): void {
    this.#settleAll(() => 'closed');
  }

  /** Sends what is waiting to leave, then closes; resolves when the peer has closed too. */
  close(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    this.#outbox.flush();
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve());
      this.#socket.close();
    });
  }

  /** The peer was found dead or silent: nobody waits for the TCP time-out. */
  terminate(): void {
    this.#socket.terminate();
    this.#closed();
  }

  #write(text: string): void {
    this.#offeredBytes = 0;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > maxBufferedBytes) this.terminate(); // a peer that reads nothing is no peer
  }

  #left(frame: Frame): void {
    if (frame.f !== 'ask') return;
    const waiting = this.#waiting.get(frame.id);
    if (waiting !== undefined) waiting.left = true;
  }

  #tooLarge(frame: Frame): Frame | null {
    const refusal = { why: 'fault', code: 'internal', details: {} } as const;
    if (frame.f === 'reply') return { f: 'refusal', id: frame.id, refusal };
    if (frame.f === 'ask') this.#settle(frame.id, { refusal });
    return null;
  }

  #read(bytes: RawData, isBinary: boolean): void {
    this.#heardAt = this.#settings.clock.monotonic();
    const frames = isBinary || !Buffer.isBuffer(bytes) ? null : parseFrames(bytes.toString());
    if (frames === null) this.terminate();
    else for (const frame of frames) this.#take(frame);
  }

  #take(frame: Frame | StrangeAsk): void {
    if (frame.f === 'unknownAsk') this.send({ f: 'refusal', id: frame.id, refusal: { why: 'unavailable' } });
    else if (frame.f === 'ping') this.send({ f: 'reply', id: frame.id, reply: null });
    else if (frame.f !== 'reply' && frame.f !== 'refusal') this.#events.frame(frame);
    else this.#settle(frame.id, frame.f === 'reply' ? { reply: frame.reply } : { refusal: frame.refusal });
  }

  #settle(id: number, answer: Answer): void {
    if (id === this.#ping?.id) {
      this.#events.roundTrip(this.#settings.clock.monotonic() - this.#ping.sentAt);
      this.#ping = null;
    }
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return; // a ping, or past its deadline
    this.#waiting.delete(id);
    waiting.settle(answer);
  }

  #scheduleBeat(): void {
    const { clock, silentMs } = this.#settings;
    this.#cancelBeat = clock.after(silentMs / beatsPerSilence, () => {
      this.#beat();
      if (this.#isOpen) this.#scheduleBeat();
    });
  }

  /** One timer per link does what a timer per ask would: deadlines, silence, and the ping that breaks a healthy silence. */
  #beat(): void {
    const { clock, silentMs, askDeadlineMs } = this.#settings;
    const now = clock.monotonic();
    // Our own loop stood still: what the peer said meanwhile has not been read yet.
    if (now - this.#beatAt > silentMs / 2) this.#heardAt = now;
    this.#beatAt = now;
    if (now - this.#heardAt > silentMs) {
      this.terminate();
      return;
    }
    for (const [id, { startedAt }] of this.#waiting) {
      if (now - startedAt < askDeadlineMs) break;
      this.#settle(id, 'closed');
    }
    if (this.#ping !== null) return;
    this.#ping = { id: this.#nextId, sentAt: now };
    this.#nextId += 1;
    this.send({ f: 'ping', id: this.#ping.id });
  }

  #closed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cancelBeat();
    this.#outbox.clear();
    this.#settleAll(({ left }) => (left ? 'closed' : 'not-sent'));
    this.#events.closed();
  }

  #settleAll(answerTo: (waiting: PendingReply) => Answer): void {
    for (const waiting of this.#waiting.values()) waiting.settle(answerTo(waiting));
    this.#waiting.clear();
  }
}
