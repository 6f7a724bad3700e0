import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import { limits } from '../limits.ts';
import type {
  KeptPlace,
  PendingDelivery,
  ReplayOrder,
} from '../../../src/storage/journal/channel-journal.ts';
import { makeStages } from '../stages.ts';

type DeliveryStage = 'pending' | 'ready' | 'suspect' | 'posting' | 'recording';

export const moveDelivery = makeStages<DeliveryStage>('delivery', {
  pending: ['ready', 'suspect', 'posting', 'recording'],
  ready: ['suspect', 'posting', 'recording'],
  suspect: ['posting', 'recording', 'pending'],
  posting: ['recording', 'pending'],
  recording: ['pending'],
});

type ReplayStage = 'reading' | 'reviving' | 'posting';

export const moveReplay = makeStages<ReplayStage>('replay', {
  reading: ['reviving', 'posting'],
  reviving: ['posting'],
  posting: ['reading'],
});

export interface OpenDelivery {
  delivery: PendingDelivery;
  /** The bytes to POST, kept for the first attempt only; null: in the store. */
  payload: Uint8Array | null;
  /**
   * `pending` until it is due, `ready` until a slot is free, `posting`, then `recording` its outcome. A `suspect` waits until it may be
   * posted alone, or is quarantined; it is not in flight.
   */
  readonly stage: DeliveryStage;
  /** Earlier owners that began its next attempt, or may have begun it, and recorded no end. [faults: 151] */
  lost: number;
  /** The current or the next attempt was requested: the schedule stays as it was. */
  isByHand: boolean;
  /** When upstream reported the event (ms), if known. Otherwise its first attempt or due time. */
  readonly since: number;
  /** Id of the delivery of the part before, once it was needed; undefined also for a message of one part. */
  ahead?: string;
}

/** Bytes of given-up deliveries that the channel keeps. It outlives the slice. */
interface KeptState {
  /** What the store held when it was asked, less what this owner had recorded until then. */
  readonly base: number;
  /** Bytes that this owner decided to keep, and how many of them are stored. */
  readonly decided: number;
  readonly recorded: number;
}

/** Shared by all channels that keep nothing, as most do. [performance §2.5] */
export const nothingKept: KeptState = { base: 0, decided: 0, recorded: 0 };

export interface DeliveriesState {
  open: SparseMap<string, OpenDelivery>;
  /** Ids of due deliveries, oldest first. */
  ready: string[];
  posts: number;
  /** Consecutive failed attempts: from `limits.failing` on the receiver counts as failing. */
  failures: number;
  /** Start of the first of them; null: the last attempt succeeded. */
  failingSince: number | null;
  /** When the last alert is sent, or was; null: none by this owner. */
  alertAt: number | null;
  /** The store holds pending deliveries that are not in `open`. */
  storeHasMore: boolean;
  loading: boolean;
  /** Of an ordered channel: the store may hold one before those in `open`. `seen`: all must be read anew; `reading`: they are. */
  gap: 'none' | 'seen' | 'reading';
  /** null: no replay is under way, as far as this owner knows. */
  replay: ReplayState | null;
  /** Of an endpoint: when a sweep last made it read what the store has; 0: not yet. */
  lookedAt: number;
  /** Of an endpoint of an ordered channel: the last place that the channel's owner has told; null: not known. */
  lastTold: number | null;
}

export interface ReplayState {
  /** `reading` the next deliveries, `reviving` them, `posting` until there is room for more. */
  readonly stage: ReplayStage;
  order: ReplayOrder | null;
  /** The last delivery that was looked at. */
  after: KeptPlace;
  /** The id of the next delivery while its outcome is still being written here. */
  behind: string | null;
  /** Revived deliveries without an attempt since. */
  untried: Set<string>;
}

export function newDeliveries(): DeliveriesState {
  return {
    open: new SparseMap(),
    ready: [],
    posts: 0,
    failures: 0,
    failingSince: null,
    alertAt: null,
    storeHasMore: false,
    loading: false,
    gap: 'none',
    replay: null,
    lookedAt: 0,
    lastTold: null,
  };
}

export function newlyOpen(
  delivery: PendingDelivery,
  payload: Uint8Array | null,
  { lost = delivery.claims, arrivedAt = null }: { lost?: number; arrivedAt?: number | null } = {},
): OpenDelivery {
  const since = arrivedAt ?? delivery.firstTriedAt ?? delivery.nextDueAt;
  return { delivery, payload, stage: 'pending', lost, isByHand: false, since };
}

/** Deliveries left by an earlier owner. */
export function reopenDeliveries(
  deliveries: DeliveriesState,
  pending: readonly PendingDelivery[],
  storeHasMore: boolean,
  { isOrdered, isOfEndpoint }: { isOrdered: boolean; isOfEndpoint: boolean },
): void {
  // The insert is the claim of a first attempt and does not count it. First attempts begin in order, so at most this many may have begun.
  // An endpoint's owner, which did not insert them, counts each.
  let begun: number = isOfEndpoint ? 0 : limits.posts;
  for (const delivery of pending) {
    const mayHaveBegun = delivery.claims + delivery.attempts === 0 && begun > 0;
    if (mayHaveBegun) begun -= 1;
    const lost = mayHaveBegun ? 1 : delivery.claims;
    deliveries.open.set(delivery.id, newlyOpen(delivery, null, { lost }));
  }
  deliveries.storeHasMore = storeHasMore;
  // They were read by their due times: a failed one that comes first may be missing.
  if (storeHasMore && isOrdered) deliveries.gap = 'seen';
}
