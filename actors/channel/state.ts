import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { Content, OutboundMessage } from '../../src/domain/messages/message.ts';
import type { ChannelSettings, UnmatchedFact, LoadedChannel, PendingDelivery } from './ports.ts';

/** Durations (ms) and bounds a channel lives by. */
export interface ChannelRules {
  sendQueuedAfterMs: number;
  sendResendAfterMs: number;
  sendGiveUpAfterMs: number;
  maxQueueAgeMs: number;
  webhookDelaysMs: readonly number[];
  webhookDeadlineMs: number;
  digestIntervalMs: number;
  graceMs: number;
  /** Our app's id upstream: an echo that carries it is our own. */
  appId: string;
}

export const limits = {
  /** Upstream calls in flight per channel. */
  calls: 256,
  /** Sends remembered; beyond it new ones are answered `overloaded`. [faults: I11] */
  sends: 20_000,
  /** A send waits this long for the answer to the one before it to the same recipient; then it overtakes. */
  orderHoldMs: 2_000,
  /** Webhook POSTs in flight per channel; a failing receiver gets one probe at a time. */
  posts: 32,
  probes: 1,
  failing: 5,
  /** Before the store is asked again after it could not answer. */
  postponeMs: 1_000,
  /** Pending deliveries remembered; the store holds the rest. */
  deliveries: 2_000,
  /** Unmatched facts remembered, and for how long. [operator-interface §4] */
  unmatched: 5_000,
  unmatchedMs: 15 * 60_000,
  /** A photoapp echo waits this long for the answer of a send that may be its own. [upstream §4.8] */
  echoWaitMs: 10_000,
  /** An owner before us may still be writing: this long after the take-over, and once no call of it can be out, look again. */
  recheckMs: 15_000,
  /** Effects of the sends, and of the deliveries, that one alarm turn ends; the rest gets a turn of its own. [faults: I9] */
  turn: 500,
  /** Messages one conversation receipt touches per round. [faults: 45] */
  readChunk: 500,
} as const;

/**
 * Where a send that is not finished stands.
 * `waiting`: not claimed, nothing is stored, its client waits. `claiming`: the claim is being written. `withdrawing`: its
 * first claim may or may not be stored, and is being made void. `calling`: claimed, an upstream call may be on its way.
 * `accepted`: upstream took it, which is being written. `failed`: it is over, which is being written. `unconfirmed`: its
 * outcome is unknown. `deferred`: upstream definitely refused for now. `unsure`: the store knows better and is being asked.
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
  | 'unsure';

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
  /** The send whose answer the line waits for. */
  inFlight: OpenSend | null;
  /** A copy or retry of an earlier send waits for `ahead` too. */
  retryWaiting: boolean;
  pausedUntil: number;
}

export interface OpenDelivery {
  delivery: PendingDelivery;
  /** The bytes to POST, kept for the first attempt only; null: read them from the store. */
  payload: Uint8Array | null;
  /** `pending` until its time has come, `ready` until a slot is free, `posting`, then `recording` its outcome. */
  stage: 'pending' | 'ready' | 'posting' | 'recording';
}

/** A message upstream has given an id. */
export interface KnownUpstreamId {
  upstreamId: string;
  recipient: string;
  /** Upstream can have said nothing about it before. */
  arrivedAt: number;
}

/** Facts that are being looked up and written; the asker is answered when all are durable. */
export interface FactJob {
  ask: number | null;
  taken: number;
  dropped: number;
  facts: ChannelFact[];
  /** Held from before and taken up by this job: dropped in the same commit, unless they must wait on. */
  joined: UnmatchedFact[];
  /** Takes effect in memory once the commit stands: sends that upstream has confirmed, messages it named, facts to hold. */
  confirms: { messageId: string; upstreamId: string }[];
  named: KnownUpstreamId[];
  holds: UnmatchedFact[];
}

/** An unfinished message of the store and what it says; null: that can't be opened any more. */
export interface OpenedMessage {
  message: OutboundMessage;
  content: Content | null;
}

export interface ChannelState {
  channelId: string;
  epoch: number;
  rules: ChannelRules;
  settings: ChannelSettings | null;
  /** Loads asked for, and the youngest that was answered. */
  settingsAsked: number;
  settingsSeen: number;
  sends: Map<string, OpenSend>;
  /** By recipient; only recipients with something waiting, ahead or paused. */
  lines: Map<string, RecipientQueue>;
  calls: number;
  /** Something waits only because all calls are taken. */
  waitingForSlot: boolean;
  pausedUntil: number;
  /** What the store holds is being read again; sends that end meanwhile would be found there as they were. */
  reloading: boolean;
  endedDuringReload: Set<string>;
  /** When to look again for what an earlier owner has written late, and how often that was done. */
  recheckAt: number;
  rechecks: number;
  unmatched: Map<string, UnmatchedFact>;
  /** Held facts may concern what another owner has recorded: look at all of them. */
  needsRematch: boolean;
  /** Messages named while jobs run, with the first job that sees them: a job that looked before must not miss them. */
  knownUpstreamIds: Map<string, KnownUpstreamId & { seenBy: number }>;
  deliveries: Map<string, OpenDelivery>;
  /** Ids whose time has come, oldest first. */
  ready: string[];
  posts: number;
  /** Attempts that failed since the last success: from `bounds.failing` on the receiver is only probed. */
  failures: number;
  /** The store holds pending deliveries that are not in `deliveries`. */
  storeHasMoreDeliveries: boolean;
  loadingDeliveries: boolean;
  jobs: Map<number, FactJob>;
  nextJob: number;
  draining: boolean;
  /** The soonest time anything can be due; recomputed by the alarm turn, lowered by every other. */
  wakeAt: number;
}

export function newState(
  channelId: string,
  epoch: number,
  rules: ChannelRules,
  settings: ChannelSettings | null,
  loaded: Omit<LoadedChannel, 'openMessages' | 'unmatched'> & { unmatched: UnmatchedFact[] },
  open: readonly OpenedMessage[],
  now: number,
): ChannelState {
  return {
    channelId,
    epoch,
    rules,
    settings,
    settingsAsked: 0,
    settingsSeen: 0,
    sends: new Map(open.map((opened) => [opened.message.id, reopened(opened)])),
    lines: new Map(),
    calls: 0,
    waitingForSlot: false,
    pausedUntil: 0,
    reloading: false,
    endedDuringReload: new Set(),
    recheckAt: epoch === 1 ? Infinity : now + limits.recheckMs, // the first owner has none before it
    rechecks: 0,
    unmatched: new Map(loaded.unmatched.map((unmatched) => [unmatched.id, unmatched])),
    needsRematch: loaded.unmatched.length > 0,
    knownUpstreamIds: new Map(),
    deliveries: new Map(
      loaded.deliveries.map((delivery) => [delivery.id, { delivery, payload: null, stage: 'pending' }]),
    ),
    ready: [],
    posts: 0,
    failures: 0,
    storeHasMoreDeliveries: loaded.storeHasMoreDeliveries,
    loadingDeliveries: false,
    jobs: new Map(),
    nextJob: 1,
    draining: false,
    wakeAt: 0, // whatever was left behind is looked at at once
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
export function forgetSend(state: ChannelState, messageId: string): void {
  state.sends.delete(messageId);
  if (state.reloading) state.endedDuringReload.add(messageId);
}

/** Makes sure the alarm rings no later than `at`. */
export function wakeBy(state: ChannelState, at: number): void {
  if (at < state.wakeAt) state.wakeAt = at;
}
