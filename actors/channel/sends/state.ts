import type { EndedCall } from '../../../src/rules/messages/message.ts';
import type { Content } from '../../../src/rules/messages/content.ts';
import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import { makeStages } from '../stages.ts';

/**
 * The stage of an unfinished send.
 * `waiting`: not claimed, nothing stored; its client waits. `claiming`: the claim is being written. `withdrawing`: its first claim may or
 * may not be stored and is being made void. `postponing`: being stored without a call, because upstream demands a pause. `calling`:
 * claimed; an upstream call may be in flight. `accepted`: upstream accepted it; this is being written. `failed`: it has failed; this is
 * being written. `unconfirmed`: the outcome of its call is unknown. `deferred`: upstream definitely refused it for now. `reconciling`: the
 * store knows its state and is being read.
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

/** Shared, because nearly every send has it. */
export const nobody: readonly number[] = [];

export interface OpenSend {
  messageId: string;
  /** Id of the client's request; lost in a restart. */
  requestId: string | null;
  recipient: string;
  /** Name of its queue: the recipient, or another name of the same person. */
  person: string;
  /** null: can't be decrypted, so no copy can be made. */
  content: Content | null;
  readonly stage: SendStage;
  /** The asks that wait for the answer; several when the same send was requested again. */
  asks: number[];
  /** The asks that are answered when the outcome is stored; emptied if the store takes too long for that. */
  recordedFor: readonly number[];
  /** They were answered `queued` instead, so the outcome of the send is told by an event. */
  toldQueued: boolean;
  arrivedAt: number;
  copies: number;
  tries: number;
  attemptedAt: number;
  /** The call before the one that started at `attemptedAt`. */
  callBefore: Pick<EndedCall, 'n' | 'at'> | null;
  /** Start of the last call before that one that may have gone out; null: none. */
  copyAt: number | null;
  /** When the period starts after which the send is given up, in ms; null: no call yet that upstream has judged. */
  giveUpFrom: number | null;
  nextTryAt: number | null;
  /** Held back until then (ms), because an echo that may be of this send is decided first; 0: not held back. */
  heldUntil: number;
  /** The outcome of the last call is being written; a claim made now would compare with the state before that write. */
  recording: boolean;
  /** The message is stored: where it is uncertain it is read again, never made void. */
  onRecord: boolean;
  /** Stored without a call so far; later sends to the person queue behind it. */
  postponed: boolean;
  /** An upstream event has named our id: the message was sent, whatever the call in flight reports. */
  confirmed: boolean;
  /** Set once accepted. */
  upstreamId: string | null;
  /** What upstream last said against the send: why it waits, or a code that left the outcome unknown. */
  refusal: SendRefusal | null;
}

export interface SendRefusal {
  error: string;
  errorCode: number | null;
}

/** Sends to one person, first in, first out. */
export interface PersonQueue {
  waiting: OpenSend[];
  /** The send whose answer the queue waits for. */
  inFlight: OpenSend | null;
  /** A copy or retry of an earlier send also waits for `inFlight`. */
  retryWaiting: boolean;
  pausedUntil: number;
  /** Least time between two calls, after upstream has refused one as too fast; 0: no limit. */
  gapMs: number;
  /** Number of its sends that are `postponed`. */
  postponed: number;
  /** When a send can be called behind those that have a time already; `plannedSpentUntil`: as `pairs`, once all of them are called. */
  plannedFreeAt: number;
  plannedSpentUntil: number;
}

export interface SendsState {
  /** Every unfinished send, by message id. */
  open: SparseMap<string, OpenSend>;
  /** By person; only people with a send waiting or in flight, or with a pause. */
  queues: SparseMap<string, PersonQueue>;
  /** People whose last postponed send has gone in this turn: their queues may be empty. */
  emptied: string[];
  calls: number;
  /** A send waits only because all calls are in use. */
  waitingForSlot: boolean;
  pausedUntil: number;
  /** Least time between two calls after a refusal; 0: no limit. It shrinks from `relaxAt` on. */
  gapMs: number;
  relaxAt: number;
  nextCallAt: number;
  /** Theoretical arrival time (GCRA) of the channel's pace, in ms: its allowance is used up until then. */
  spentUntil: number;
  /** The same for each person. */
  pairs: SparseMap<string, number>;
  /** As `nextCallAt` and `spentUntil`, for audio and video only. */
  nextAudioVideoAt: number;
  audioVideoSpentUntil: number;
  /** When a send last had to wait for the pace alone. */
  pacedAt: number;
  /** The sealed token that the channel's owner got a mail about, because upstream rejects it. */
  mailedToken: string | null;
  /** Sends that ended while the store is being read again: the result may still contain them. null: no read is under way. */
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
    relaxAt: 0,
    nextCallAt: 0,
    spentUntil: 0,
    pairs: new SparseMap(),
    nextAudioVideoAt: 0,
    audioVideoSpentUntil: 0,
    pacedAt: 0,
    mailedToken: null,
    endedDuringReload: null,
  };
}

export function findQueue({ queues }: SendsState, person: string): PersonQueue {
  const known = queues.get(person);
  if (known !== undefined) return known;
  const queue: PersonQueue = {
    waiting: [],
    inFlight: null,
    retryWaiting: false,
    pausedUntil: 0,
    gapMs: 0,
    postponed: 0,
    plannedFreeAt: 0,
    plannedSpentUntil: 0,
  };
  queues.set(person, queue);
  return queue;
}

/** The store has the end of the send, or never had the send. */
export function forgetSend({ sends }: { sends: SendsState }, messageId: string): void {
  const send = sends.open.get(messageId);
  if (send !== undefined) endPostponement(sends, send);
  sends.open.delete(messageId);
  sends.endedDuringReload?.add(messageId);
}

/** The send is called or has ended: later sends need not queue behind it. */
export function endPostponement(sends: SendsState, send: OpenSend): void {
  if (!send.postponed) return;
  send.postponed = false;
  const queue = findQueue(sends, send.person);
  queue.postponed -= 1;
  if (queue.postponed === 0) sends.emptied.push(send.person);
}
