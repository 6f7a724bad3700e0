/** What a channel lives by: durations and limits. */
import { maxParts } from '../../src/domain/messages/facts.ts';
import { maxUnmatched } from './ports/store.ts';

/** In ms, where nothing else is said. */
export interface ChannelRules {
  sendQueuedAfterMs: number;
  sendResendAfterMs: number;
  sendGiveUpAfterMs: number;
  maxQueueAgeMs: number;
  webhookRetryDelaysMs: readonly number[];
  webhookDeadlineMs: number;
  digestIntervalMs: number;
  /** Before each further try to fetch a file. */
  mediaRetryDelaysMs: readonly number[];
  graceMs: number;
  /** Our public address, for links in mails. */
  baseUrl: string;
  /** Our app's id upstream: an echo that carries it is our own. */
  upstreamAppId: string;
}

export const limits = {
  /** Upstream calls in flight per channel: far below the node's connections, so that a slow one leaves some. [faults: 96] */
  calls: 100,
  /** Sends remembered; beyond it new ones are answered `overloaded`. [faults: I11] */
  sends: 20_000,
  /** Webhook POSTs in flight per channel. A receiver that hangs needs them: 100 events, 8 attempts, 5 s each. [faults: 98] */
  posts: 32,
  /** Failures in a row that make a receiver a failing one: those share a bound of the node. */
  failing: 5,
  /** Before the store is asked again after it could not answer, and the fetcher that had no place. */
  postponeMs: 1_000,
  /** Pending deliveries remembered; the store holds the rest. */
  deliveries: 2_000,
  /** Deliveries of a replay that are pending and not tried yet: what is new waits behind no more of them. */
  replayed: 64,
  /** Payloads of given-up deliveries that a channel keeps; what is given up beyond it is erased. [operator-interface §4] */
  keptBytes: 64 * 1024 * 1024,
  /** Unmatched facts remembered, and for how long. [operator-interface §4] */
  unmatched: maxUnmatched,
  /** Recipients whose last messages are remembered for the pair limit. */
  pairs: 20_000,
  /** Messages whose last status time is remembered beside the store. */
  statusTimes: 256,
  unmatchedMs: 15 * 60_000,
  /** A photoapp echo waits this long for the answer of a send that may be its own. [upstream §4.8] */
  echoWaitMs: 10_000,
  /** An owner before us may still be writing: this long after the take-over, and once no call of it can be out, look again. */
  recheckMs: 15_000,
  /** Effects of the sends, and of the deliveries, that one alarm turn ends, and parts of messages it emits; the rest gets a turn of its own. [faults: I9] */
  turn: 500,
  /** [faults: 94] */
  parts: maxParts,
  /** Files of the channel on their way for the first time, and as many again: one that is slow takes few places of the node. */
  fetches: 4,
  /** From then on a first attempt is slow, and so many of those count no more to the four. */
  slowFetchMs: 5_000,
  slowFetches: 8,
  /** So often a fetch may end its node; then its files are put aside. [faults: 102] */
  crashes: 2,
  /**
   * So many owners in turn may be lost while they post a delivery; then it is put aside. More than of files: an owner that was frozen, or two
   * that changed hands, look like one that ended, and a healthy event must not pay for that. [faults: 151]
   */
  deliveryCrashes: 5,
  /** A POST of which an earlier owner did not say how it ended lets the next such begin after so long. */
  slowPostMs: 100,
  /** A message waits so long for the files of one before it from the same person; then it overtakes. */
  fileOrderMs: 30_000,
  /** A pending message is on record at least as long as upstream would deliver it again. [upstream §1.6] */
  pendingInboundMs: 8 * 86_400_000,
  /** Facts that are gathered for one job; a POST of upstream is cut into as many. [faults: I9] */
  factsPerJob: 100,
  /** Pending messages remembered of a channel; beyond it the store alone holds them until there is room. [faults: I11] */
  inbound: 500,
  /** Messages one conversation receipt touches per round. [faults: 45] */
  readChunk: 500,
} as const;

const maxOrderHoldMs = 2_000;

/**
 * A send waits this long for the answer to the one before it to the same recipient; then it overtakes. The send's turn comes before it is
 * too old to be sent. [operator-interface §2 MAX_QUEUE_AGE_MS]
 */
export function orderHoldMs({ maxQueueAgeMs }: ChannelRules): number {
  return Math.min(maxOrderHoldMs, Math.floor(maxQueueAgeMs / 2));
}

/** What is bounded for a channel and for all channels of a node together. */
export type Remembered = 'sends' | 'deliveries' | 'unmatched' | 'inbound';

/**
 * Of all channels of a node together, at 0.6 to 0.75 KB each; from there on each channel remembers no more than it needs to go on.
 * Beyond it a send is refused, and the rest is in the store alone. [faults: I11, 126]
 */
export const ofNode: Readonly<Record<Remembered, { max: number; ofChannel: number }>> = {
  sends: { max: 40_000, ofChannel: 32 },
  deliveries: { max: 40_000, ofChannel: 64 },
  unmatched: { max: 20_000, ofChannel: 16 },
  inbound: { max: 20_000, ofChannel: 16 },
};

/** Of what the channels of a node remember as much as they may. */
export type NodeFull = Readonly<Record<Remembered, boolean>>;

export function findLimit(kind: Remembered, nodeFull: NodeFull): number {
  return nodeFull[kind] ? ofNode[kind].ofChannel : limits[kind];
}
