import type { ChannelFact } from '../../src/domain/messages/facts.ts';
import type { Content, OutboundMessage } from '../../src/domain/messages/message.ts';
import type { ChannelSettings, HeldFact, LoadedChannel, PendingDelivery } from './ports.ts';

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

export const bounds = {
  /** Upstream calls in flight per channel. */
  calls: 256,
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
  held: 5_000,
  holdMs: 15 * 60_000,
  /** A photoapp echo waits this long for the answer of a send that may be its own. [upstream §4.8] */
  echoHoldMs: 10_000,
  /** Messages one conversation receipt touches per round. [faults: 45] */
  readChunk: 500,
} as const;

/**
 * A send that is not finished.
 * `waiting`: not claimed, nothing is stored, its client waits. `calling`: claimed, an upstream call may be on its way.
 * `unconfirmed`: its outcome is unknown. `deferred`: upstream definitely refused for now.
 */
export interface OpenSend {
  messageId: string;
  recipient: string;
  content: Content;
  stage: 'waiting' | 'calling' | 'unconfirmed' | 'deferred';
  /** Who waits for the answer; null once answered. */
  ask: number | null;
  arrivedAt: number;
  copies: number;
  tries: number;
  attemptedAt: number;
  nextTryAt: number | null;
  /** Upstream has named our id in an event: it was sent, whatever the call in flight still says. */
  confirmed: boolean;
}

/** Sends to one recipient go first in, first out. */
export interface Line {
  waiting: OpenSend[];
  /** The send whose answer the line waits for. */
  ahead: OpenSend | null;
  pausedUntil: number;
}

export interface OpenDelivery {
  delivery: PendingDelivery;
  /** The bytes to POST, kept for the first attempt only; null: read them from the store. */
  payload: Uint8Array | null;
  posting: boolean;
}

/** Facts that are being looked up and written; the asker is answered when all are durable. */
export interface FactJob {
  ask: number | null;
  taken: number;
  facts: ChannelFact[];
  /** Ids of facts held from before that this job joins: dropped in the same commit. */
  joined: string[];
  /** Takes effect in memory once the commit stands: sends that upstream has confirmed, facts to hold. */
  confirms: string[];
  holds: HeldFact[];
}

export interface ChannelState {
  channelId: string;
  epoch: number;
  rules: ChannelRules;
  settings: ChannelSettings | null;
  sends: Map<string, OpenSend>;
  /** By recipient; only recipients with something waiting, ahead or paused. */
  lines: Map<string, Line>;
  calls: number;
  pausedUntil: number;
  held: Map<string, HeldFact>;
  deliveries: Map<string, OpenDelivery>;
  /** Ids whose time has come, oldest first. */
  ready: string[];
  posts: number;
  /** Attempts that failed since the last success: from `bounds.failing` on the receiver is only probed. */
  failures: number;
  /** The store holds pending deliveries that are not in `deliveries`. */
  more: boolean;
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
  loaded: Omit<LoadedChannel, 'openMessages'>,
  open: readonly { message: OutboundMessage; content: Content }[],
): ChannelState {
  return {
    channelId,
    epoch,
    rules,
    settings,
    sends: new Map(open.map(({ message, content }) => [message.id, reopened(message, content)])),
    lines: new Map(),
    calls: 0,
    pausedUntil: 0,
    held: new Map(loaded.held.map((held) => [held.id, held])),
    deliveries: new Map(
      loaded.deliveries.map((delivery) => [delivery.id, { delivery, payload: null, posting: false }]),
    ),
    ready: [],
    posts: 0,
    failures: 0,
    more: loaded.more,
    loadingDeliveries: false,
    jobs: new Map(),
    nextJob: 1,
    draining: false,
    wakeAt: 0, // whatever was left behind is looked at at once
  };
}

/** `sending` in the store with no live owner means: the call may or may not have happened. [architecture §5] */
function reopened(message: OutboundMessage, content: Content): OpenSend {
  return {
    messageId: message.id,
    recipient: message.recipient,
    content,
    stage: message.state === 'queued' && message.nextTryAt !== null ? 'deferred' : 'unconfirmed',
    ask: null,
    arrivedAt: message.createdAt,
    copies: message.copies,
    tries: message.tries,
    attemptedAt: message.attemptedAt,
    nextTryAt: message.nextTryAt,
    confirmed: false,
  };
}

/** Makes sure the alarm rings no later than `at`. */
export function wakeBy(state: ChannelState, at: number): void {
  if (at < state.wakeAt) state.wakeAt = at;
}
