import type { EndedCall } from '../../../src/domain/messages/call-log.ts';
import type { Pace } from '../../../src/domain/channels/kind.ts';
import type { Content } from '../../../src/domain/messages/content.ts';
import type { OutboundMessage } from '../../../src/domain/messages/message.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { OpenedMessage } from '../ports/store.ts';
import { makeStages } from '../stages.ts';

/**
 * Where a send that is not finished stands.
 * `waiting`: not claimed, nothing is stored, its client waits. `claiming`: the claim is being written. `withdrawing`: its
 * first claim may or may not be stored, and is being made void. `postponing`: being put on record without a call, because upstream
 * has told us to pause. `calling`: claimed, an upstream call may be on its way.
 * `accepted`: upstream took it, which is being written. `failed`: it is over, which is being written. `unconfirmed`: its
 * outcome is unknown. `deferred`: upstream definitely refused for now. `reconciling`: the store knows better and is being asked.
 */
export type SendStage =
  | 'waiting'
  | 'claiming'
  | 'withdrawing'
  | 'postponing'
  | 'calling'
  | 'accepted'
  | 'failed'
  | 'unconfirmed'
  | 'deferred'
  | 'reconciling';

export const moveSend = makeStages<SendStage>('send', {
  waiting: ['claiming', 'postponing'],
  postponing: ['deferred', 'withdrawing', 'reconciling'],
  claiming: ['calling', 'withdrawing', 'reconciling'],
  withdrawing: ['reconciling'],
  calling: ['accepted', 'failed', 'deferred', 'unconfirmed'],
  accepted: [],
  failed: [],
  deferred: ['claiming', 'failed'],
  unconfirmed: ['claiming', 'failed'],
  reconciling: ['deferred', 'unconfirmed'],
});

export interface OpenSend {
  messageId: string;
  /** Of the request that asks for it; not kept over a restart. */
  requestId: string | null;
  recipient: string;
  /** null: it can't be opened any more, so no copy can be made. */
  content: Content | null;
  readonly stage: SendStage;
  /** The asks that wait for the answer: several when the same send was asked again. */
  asks: number[];
  arrivedAt: number;
  copies: number;
  tries: number;
  attemptedAt: number;
  /** The call before the call of `attemptedAt`. */
  callBefore: Pick<EndedCall, 'n' | 'at'> | null;
  /** What may end as failed does so some time after this; null: it has not been called yet. */
  giveUpFrom: number | null;
  nextTryAt: number | null;
  /** Until then an echo that may be of this send is looked at first; 0: there is none. */
  heldUntil: number;
  /** The outcome of the last call is being written: a claim made now would compare with what is not there yet. */
  recording: boolean;
  /** The store has it: what is not certain of it is read again, never made void. */
  onRecord: boolean;
  /** On record without a call so far; what is asked for later goes behind it. */
  postponed: boolean;
  /** Upstream has named our id in an event: it was sent, whatever the call in flight still says. */
  confirmed: boolean;
  /** Set once accepted. */
  upstreamId: string | null;
  /** The last definite refusal. */
  refusal: { error: string; errorCode: number | null } | null;
}

/** Sends to one recipient go first in, first out. */
export interface RecipientQueue {
  waiting: OpenSend[];
  /** The send whose answer the queue waits for. */
  inFlight: OpenSend | null;
  /** A copy or retry of an earlier send waits for `inFlight` too. */
  retryWaiting: boolean;
  pausedUntil: number;
  /** Between two calls, since upstream has refused one for its pace; 0: as they come. */
  gapMs: number;
  /** How many of its sends are `postponed`. */
  postponed: number;
}

export interface SendsState {
  /** By message id: every send that is not finished. */
  open: SparseMap<string, OpenSend>;
  /** By recipient; only recipients with something waiting, in flight or paused. */
  queues: SparseMap<string, RecipientQueue>;
  /** Recipients whose last postponed send has gone in this turn: their queues may have nothing left. */
  emptied: string[];
  calls: number;
  /** Something waits only because all calls are taken. */
  waitingForSlot: boolean;
  pausedUntil: number;
  /** Between two calls; 0: as they come. The next may go at `nextCallAt`; the pace is relaxed from `relaxAt` on. */
  gapMs: number;
  /** The token, sealed, that the channel's owner was told is of no use any more. */
  mailedToken: string | null;
  nextCallAt: number;
  /** What the channel's pace allows is spent until then; of each pair, by recipient, likewise. */
  spentUntil: number;
  pairs: SparseMap<string, number>;
  /** What `nextCallAt` and `spentUntil` say, of audio and video alone. */
  nextAudioVideoAt: number;
  audioVideoSpentUntil: number;
  /** When a send last had to wait for the pace alone. */
  pacedAt: number;
  relaxAt: number;
  /** Sends that ended while the store is read again: it may be found there as it was. null: it is not being read. */
  endedDuringReload: Set<string> | null;
}

export function newSends(): SendsState {
  return {
    open: new SparseMap(),
    queues: new SparseMap(),
    emptied: [],
    calls: 0,
    waitingForSlot: false,
    pausedUntil: 0,
    gapMs: 0,
    mailedToken: null,
    nextCallAt: 0,
    spentUntil: 0,
    pairs: new SparseMap(),
    nextAudioVideoAt: 0,
    audioVideoSpentUntil: 0,
    pacedAt: 0,
    relaxAt: 0,
    endedDuringReload: null,
  };
}

/** What an earlier owner left. `pairPace`: of the channel's kind; what waits on record is likely to have used it up. */
export function reopenSends(sends: SendsState, open: readonly OpenedMessage[], pairPace: Pace | null): void {
  for (const each of open) {
    const send = reopened(each);
    sends.open.set(send.messageId, send);
    if (send.stage !== 'deferred' || send.tries > 0) continue;
    const queue = findQueue(sends, send.recipient);
    send.postponed = true;
    queue.postponed += 1;
    queue.gapMs = pairPace?.gapMs ?? 0;
    queue.pausedUntil = Math.max(queue.pausedUntil, send.nextTryAt ?? 0);
  }
}

export function findQueue({ queues }: SendsState, recipient: string): RecipientQueue {
  const known = queues.get(recipient);
  if (known !== undefined) return known;
  const queue: RecipientQueue = {
    waiting: [],
    inFlight: null,
    retryWaiting: false,
    pausedUntil: 0,
    gapMs: 0,
    postponed: 0,
  };
  queues.set(recipient, queue);
  return queue;
}

/** `sending` in the store with no live owner means: the call may or may not have happened. [architecture §5] */
export function reopened({ message, content }: OpenedMessage): OpenSend {
  const { error, errorCode } = message;
  return {
    messageId: message.id,
    recipient: message.recipient,
    content,
    stage: message.state === 'queued' && message.nextTryAt !== null ? 'deferred' : 'unconfirmed',
    asks: [],
    requestId: null,
    arrivedAt: message.createdAt,
    copies: message.copies,
    tries: message.tries,
    attemptedAt: message.attemptedAt,
    callBefore: null,
    giveUpFrom: giveUpFrom(message),
    nextTryAt: message.nextTryAt,
    heldUntil: 0,
    recording: false,
    onRecord: true,
    postponed: false,
    confirmed: false,
    upstreamId: null,
    refusal: error === null ? null : { error, errorCode },
  };
}

/** How long it was on record before its first call is known only while that is its last. */
function giveUpFrom({ tries, attemptedAt, createdAt }: OutboundMessage): number | null {
  if (tries === 0) return null;
  return tries === 1 ? attemptedAt : createdAt;
}

/** The store has its end, or never heard of it. */
export function forgetSend({ sends }: { sends: SendsState }, messageId: string): void {
  const send = sends.open.get(messageId);
  if (send !== undefined) endPostponement(sends, send);
  sends.open.delete(messageId);
  sends.endedDuringReload?.add(messageId);
}

/** The send is called, or has its end: the sends behind it need not wait for it any more. */
export function endPostponement(sends: SendsState, send: OpenSend): void {
  if (!send.postponed) return;
  send.postponed = false;
  const queue = findQueue(sends, send.recipient);
  queue.postponed -= 1;
  if (queue.postponed === 0) sends.emptied.push(send.recipient);
}
