/**
 * One end of the link to one peer: asks with correlation ids and deadlines, frames coalesced per tick, a bound on asks in flight. When the
 * link closes or falls silent, every pending ask learns whether its frame had left.
 */
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import type { Clock } from '../kernel/clock.ts';
import { Outbox } from './outbox.ts';
import type { Frame, NodeAsk, Refusal, UnknownAsk } from './wire.ts';
import { nameAsk, parseFrames } from './wire.ts';

const maxInFlight = 20_000;
const maxBufferedBytes = 64 * 1024 * 1024;
/** Buffered bytes beyond which offered frames are dropped: asks and their answers have priority. */
const maxOfferedBytes = 4 * 1024 * 1024;
const beatsPerSilence = 4;

const overloaded: Refusal = { why: 'fault', code: 'overloaded', details: {} };

/** `not-sent`: the peer never saw the ask. `closed`: the peer may have seen it; the link ended or the deadline passed first. */
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
  /** A link without any frame of the peer for this long, even an answer to a ping, is closed. */
  silentMs: number;
  /** The channels that are live on this node, which each answer to a ping tells. */
  owned: () => number;
}

interface LinkEvents {
  frame(frame: Frame): void;
  closed(): void;
  /** Time until the peer's event loop answered a ping. */
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
  /** Offered bytes that are not written to the socket yet. */
  #offeredBytes = 0;
  #isOpen = true;
  /** The channels that are live on the peer, as it told last; null: it has not, or is of an earlier build. */
  owns: number | null = null;
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

  /** Always resolves. Refused as `overloaded`, without being sent, when too many asks are in flight. */
  ask({ channelId, ask }: Omit<Extract<Frame, { f: 'ask' }>, 'f' | 'id'>): Promise<Answer> {
    if (!this.#isOpen) return Promise.resolve('not-sent');
    if (this.#waiting.size >= maxInFlight) return Promise.resolve({ refusal: overloaded });
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((settle) => {
      this.#waiting.set(id, { settle, left: false, startedAt: this.#settings.clock.monotonic() });
      this.send({ f: 'ask', id, channelId, ask: nameAsk(ask) });
    });
  }

  /** As `ask`. A peer of an older build never answers, so the caller needs a deadline of its own. */
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

  /** As `send`, but dropped when the peer reads too slowly. */
  offer(frame: Frame, bytes: number): void {
    if (this.#socket.bufferedAmount + this.#offeredBytes > maxOfferedBytes) return;
    this.#offeredBytes += bytes;
    this.send(frame);
  }

  /** Settles every pending ask as `closed`: the peer may have acted on it. */
  endAsks(): void {
    this.#settleAll(() => 'closed');
  }

  /** Sends what is buffered, then closes; resolves when the peer has closed too. */
  close(): Promise<void> {
    if (!this.#isOpen) return Promise.resolve();
    this.#outbox.flush();
    return new Promise((resolve) => {
      this.#socket.once('close', () => resolve());
      this.#socket.close();
    });
  }

  /** The peer is dead or silent: does not wait for the TCP time-out. */
  terminate(): void {
    this.#socket.terminate();
    this.#closed();
  }

  #write(text: string): void {
    this.#offeredBytes = 0;
    this.#socket.send(text);
    if (this.#socket.bufferedAmount > maxBufferedBytes) this.terminate(); // a peer that reads nothing is dead
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

  #take(frame: Frame | UnknownAsk): void {
    if (frame.f === 'unknownAsk') this.send({ f: 'refusal', id: frame.id, refusal: { why: 'unavailable' } });
    else if (frame.f === 'ping') this.send({ f: 'reply', id: frame.id, reply: this.#settings.owned() });
    else if (frame.f !== 'reply' && frame.f !== 'refusal') this.#events.frame(frame);
    else this.#settle(frame.id, frame.f === 'reply' ? { reply: frame.reply } : { refusal: frame.refusal });
  }

  #settle(id: number, answer: Answer): void {
    if (id === this.#ping?.id) {
      this.#events.roundTrip(this.#settings.clock.monotonic() - this.#ping.sentAt);
      this.#ping = null;
      this.owns = ownedBy(answer);
    }
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return; // a ping, or an ask past its deadline
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

  /**
   * One timer per link, instead of one per ask, checks deadlines and silence, and sends the ping that keeps a healthy link from being
   * silent.
   */
  #beat(): void {
    const { clock, silentMs, askDeadlineMs } = this.#settings;
    const now = clock.monotonic();
    // This node's event loop was blocked: frames that arrived meanwhile have not been read yet.
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

/** A peer of an earlier build does not say how many channels it owns. */
function ownedBy(answer: Answer): number | null {
  if (typeof answer === 'string' || !('reply' in answer)) return null;
  return typeof answer.reply === 'number' ? answer.reply : null;
}
