/** Durations and limits of a channel. */
import { maxParts, maxPartsAtOnce } from '../../src/rules/messages/facts.ts';
import { maxUnmatched } from '../../src/storage/journal/channel-journal.ts';
import { minuteMs, dayMs } from '../../src/kernel/clock.ts';

/** In ms unless stated otherwise. */
export interface ChannelRules {
  sendQueuedAfterMs: number;
  sendResendAfterMs: number;
  sendGiveUpAfterMs: number;
  maxQueueAgeMs: number;
  webhookRetryDelaysMs: readonly number[];
  webhookDeadlineMs: number;
  digestIntervalMs: number;
  /** The pause before each retry of a file fetch. */
  mediaRetryDelaysMs: readonly number[];
  graceMs: number;
  /** Public address of the service, for links in mails. */
  baseUrl: string;
  /** Our app's id upstream: an echo with this id is of a send of ours. */
  upstreamAppId: string;
}

export const limits = {
  /**
   * Upstream calls in flight per channel: far below the connections of a node, so that one slow channel does not take them all.
   * [faults: 96]
   */
  calls: 100,
  /** Sends remembered; more are refused as `overloaded`. [faults: I11] */
  sends: 20_000,
  /** Webhook POSTs in flight per channel. A receiver that hangs needs this many: 100 events, 8 attempts, 5 s each. [faults: 98] */
  posts: 32,
  /** Consecutive failures after which a receiver counts as failing: failing receivers share a bound of the node. */
  failing: 5,
  /** Pause before the next try when the store did not answer or a file fetch found no free slot. */
  retryPauseMs: 1_000,
  /** Pause before the next look at sends of a number that upstream has paused. */
  numberPausedLookMs: 5_000,
  /** Pending deliveries remembered; the store holds the rest. */
  deliveries: 2_000,
  /** An endpoint reads again what the store has for it: each node sweeps every 5 s, and what waits in order is due all the time. */
  copiesLookMs: 4_000,
  /** Deliveries of a replay that are pending and not tried yet; bounded, so that new events wait behind no more of them. */
  replayed: 64,
  /** Payload bytes of given-up deliveries that a channel keeps; beyond it the payload is erased. [operator-interface §4] */
  keptBytes: 64 * 1024 * 1024,
  /** Unmatched facts remembered; `unmatchedMs`: for how long. [operator-interface §4] */
  unmatched: maxUnmatched,
  /** People whose latest messages are remembered for the pair limit. */
  pairs: 20_000,
  /** Messages whose last status time is remembered besides the store. */
  statusTimes: 256,
  unmatchedMs: 15 * minuteMs,
  /** A photoapp echo waits this long for the answer of a send that it may belong to. [upstream §4.8] */
  echoWaitMs: 10_000,
  /** An echo of a number that seems to have none waits this long for upstream's answer; it is asked again after these pauses. */
  echoProofMs: 15 * minuteMs,
  echoAskDelaysMs: [1_000, 5_000, 30_000, minuteMs],
  /**
   * The earlier owner may still be writing: the store is read again this long after the take-over, and again when none of its calls can be
   * in flight.
   */
  recheckMs: 15_000,
  /**
   * Bound of one alarm turn: effects of sends, effects of deliveries, and parts of emitted messages; the rest gets another turn.
   * [faults: I9]
   */
  turn: 500,
  /** [faults: 94] */
  parts: maxParts,
  /** First attempts of file fetches in flight per channel, and as many retries: one slow channel takes few slots of the node. */
  fetches: 4,
  /** A first attempt is slow after this time; up to `slowFetches` slow ones do not count towards `fetches`. */
  slowFetchMs: 5_000,
  slowFetches: 8,
  /** After this many crashes of nodes that fetched files of a message, its files are quarantined. [faults: 102] */
  crashes: 2,
  /**
   * After this many owners in a row were lost while they posted a delivery, it is quarantined. More than for files: a frozen owner, or two changes
   * of owner, look like a crash, and a healthy event must not be quarantined for that. [faults: 151]
   */
  deliveryCrashes: 5,
  /** Mails of which a node remembers that they are in its log or in another's. [faults: I11] */
  loggedMails: 10_000,
  /** A suspect POST lets the next suspect begin after this time. */
  slowPostMs: 100,
  /**
   * Later messages of the same person wait this long for the files of a message, counted from its arrival: a file that upstream can't give
   * delays none of them by more. A usual file is there within a second. [operator-interface §4]
   */
  fileOrderMs: 5_000,
  /**
   * Upstream was told that a pending message is taken, and does not tell it again: it outlasts the time for which a service may be off. Only
   * one that can't be read any more stays so long. [faults: 453]
   */
  pendingInboundMs: 90 * dayMs,
  /** Facts of one job; a POST of upstream is cut into parts of this size. [faults: I9] */
  factsPerJob: 100,
  /** Parts of the gathered facts that make a job, however few the facts are. [faults: I9] */
  partsPerJob: maxPartsAtOnce,
  /** Pending messages remembered per channel; beyond it only the store holds them until memory has room. [faults: I11] */
  inbound: 500,
  /**
   * Messages that the conversation receipts of a job touch per round, writes after which a round takes no further receipt, and parts of the
   * unmatched facts of a job. [faults: I9, 45, 97]
   */
  readChunk: 500,
} as const;

/**
 * What the receipts of one of so many conversations touch per round: together not more than one alone, because a POST of upstream may hold a
 * hundred in 15 KB. [faults: I9, 45]
 */
export function readChunkOf(conversations: number): number {
  return Math.max(1, Math.floor(limits.readChunk / conversations));
}

const maxOrderHoldMs = 2_000;

/**
 * A send waits this long for the answer to the previous send to the same recipient; then it overtakes. At most half of `maxQueueAgeMs`, so
 * that its turn comes before it is too old. [operator-interface §2 MAX_QUEUE_AGE_MS]
 */
export function orderHoldMs({ maxQueueAgeMs }: ChannelRules): number {
  return Math.min(maxOrderHoldMs, Math.floor(maxQueueAgeMs / 2));
}

/** What is bounded per channel and for all channels of a node together. */
export type Remembered = 'sends' | 'deliveries' | 'unmatched' | 'inbound';

/**
 * Bounds for all channels of a node together, at 0.6 to 0.75 KB per item. When `max` is reached, each channel remembers at most
 * `ofChannel`, enough to go on; further sends are refused, everything else stays in the store only. [faults: I11, 126]
 */
export const ofNode: Readonly<Record<Remembered, { max: number; ofChannel: number }>> = {
  sends: { max: 40_000, ofChannel: 32 },
  deliveries: { max: 40_000, ofChannel: 64 },
  unmatched: { max: 20_000, ofChannel: 16 },
  inbound: { max: 20_000, ofChannel: 16 },
};

/** For each kind, whether the channels of the node remember as much as they may. */
export type NodeFull = Readonly<Record<Remembered, boolean>>;

export function findLimit(kind: Remembered, nodeFull: NodeFull): number {
  return nodeFull[kind] ? ofNode[kind].ofChannel : limits[kind];
}
