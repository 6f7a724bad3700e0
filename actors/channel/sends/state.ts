import type { Content } from '../../../src/domain/messages/content.ts';
import type { OutboundMessage } from '../../../src/domain/messages/message.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import { limits } from '../limits.ts';

/**
 * Where a send that is not finished stands.
 * `waiting`: not claimed, nothing is stored, its client waits. `claiming`: the claim is being written. `withdrawing`: its
 * first claim may or may not be stored, and is being made void. `calling`: claimed, an upstream call may be on its way.
 * `accepted`: upstream took it, which is being written. `failed`: it is over, which is being written. `unconfirmed`: its
 * outcome is unknown. `deferred`: upstream definitely refused for now. `reconciling`: the store knows better and is being asked.
 */
export type SendStage =
  | 'waiting'
  | 'claiming'
  | 'withdrawing'
  | 'calling'
  | 'accepted'
  | 'failed'
  | 'unconfirmed'
  | 'deferred'
  | 'reconciling';

export interface OpenSend {
  messageId: string;
  recipient: string;
  /** null: it can't be opened any more, so no copy can be made. */
  content: Content | null;
  stage: SendStage;
  /** Who waits for the answer: more than one when the same send was asked again. */
  asks: number[];
  arrivedAt: number;
  copies: number;
  tries: number;
  attemptedAt: number;
  nextTryAt: number | null;
  /** The outcome of the last call is being written: a claim made now would compare with what is not there yet. */
  recording: boolean;
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
  /** A copy or retry of an earlier send waits for `ahead` too. */
  retryWaiting: boolean;
  pausedUntil: number;
}

/** An unfinished message of the store and what it says; null: that can't be opened any more. */
export interface OpenedMessage {
  message: OutboundMessage;
  content: Content | null;
}

export interface SendsState {
  /** By message id: every send that is not finished. */
  open: SparseMap<string, OpenSend>;
  /** By recipient; only recipients with something waiting, in flight or paused. */
  queues: SparseMap<string, RecipientQueue>;
  calls: number;
  /** Something waits only because all calls are taken. */
  waitingForSlot: boolean;
  pausedUntil: number;
  /** Sends that ended while the store is read again: it may be found there as it was. null: it is not being read. */
  endedDuringReload: Set<string> | null;
  /** When to look again for what an earlier owner has written late, and how often that was done. */
  recheckAt: number;
  rechecks: number;
}

export function newSends(open: readonly OpenedMessage[], epoch: number, now: number): SendsState {
  return {
    open: SparseMap.by(open.map(reopened), ({ messageId }) => messageId),
    queues: new SparseMap(),
    calls: 0,
    waitingForSlot: false,
    pausedUntil: 0,
    endedDuringReload: null,
    recheckAt: epoch === 1 ? Infinity : now + limits.recheckMs, // the first owner has none before it
    rechecks: 0,
  };
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
    arrivedAt: message.createdAt,
    copies: message.copies,
    tries: message.tries,
    attemptedAt: message.attemptedAt,
    nextTryAt: message.nextTryAt,
    recording: false,
    confirmed: false,
    upstreamId: null,
    refusal: error === null ? null : { error, errorCode },
  };
}

/** The store has its end, or never heard of it. */
export function forgetSend({ sends }: { sends: SendsState }, messageId: string): void {
  sends.open.delete(messageId);
  sends.endedDuringReload?.add(messageId);
}
