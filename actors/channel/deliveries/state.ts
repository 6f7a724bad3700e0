import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import { limits } from '../limits.ts';
import type { KeptPlace, PendingDelivery, ReplayOrder } from '../ports/store.ts';
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
  /** The bytes to POST, kept for the first attempt only; null: read them from the store. */
  payload: Uint8Array | null;
  /**
   * `pending` until its time has come, `ready` until a slot is free, `posting`, then `recording` its outcome. A `suspect` waits
   * until it may be posted alone, or put aside; nothing of it is in flight.
   */
  readonly stage: DeliveryStage;
  /** Owners before this one that have begun its next attempt, or may have, and did not say how it ended. [faults: 151] */
  lost: number;
  /** The attempt under way was asked for: the schedule stands as it was. */
  isByHand: boolean;
  /**
   * When upstream told of it, as far as is known: of what an earlier owner left, when it was first due or tried; of what is tried anew,
   * since then.
   */
  readonly since: number;
}

/** What the channel keeps of given-up deliveries, in bytes. It outlives the slice. */
interface KeptState {
  /** What the store held when it was asked, less what was recorded before. */
  readonly base: number;
  /** Bytes that were decided to be kept here, and those of them that are on record. */
  readonly decided: number;
  readonly recorded: number;
}

/** Most channels keep nothing: all of them share this. [performance §2.5] */
export const nothingKept: KeptState = { base: 0, decided: 0, recorded: 0 };

export interface DeliveriesState {
  open: SparseMap<string, OpenDelivery>;
  /** Ids whose time has come, oldest first. */
  ready: string[];
  posts: number;
  /** Attempts that failed since the last success: from `limits.failing` on the receiver counts as failing. */
  failures: number;
  /** Start of the first of them; null: the last attempt succeeded. */
  failingSince: number | null;
  /** The store holds pending deliveries that are not in `open`. */
  storeHasMore: boolean;
  loading: boolean;
  /** null: none is under way, as far as is known here. */
  replay: ReplayState | null;
}

export interface ReplayState {
  /** `reading` what comes next, `reviving` it, then `posting` it until there is room for more. */
  readonly stage: ReplayStage;
  order: ReplayOrder | null;
  /** Behind it comes what was not looked at. */
  after: KeptPlace;
  /** What comes next is known here still: its outcome is being written. */
  behind: string | null;
  /** Revived, and not tried since. */
  untried: Set<string>;
}

export function newDeliveries(): DeliveriesState {
  return {
    open: new SparseMap(),
    ready: [],
    posts: 0,
    failures: 0,
    failingSince: null,
    storeHasMore: false,
    loading: false,
    replay: null,
  };
}

export function newlyOpen(
  delivery: PendingDelivery,
  payload: Uint8Array | null,
  { lost = delivery.claims, heardAt = null }: { lost?: number; heardAt?: number | null } = {},
): OpenDelivery {
  const since = heardAt ?? delivery.firstTriedAt ?? delivery.nextDueAt;
  return { delivery, payload, stage: 'pending', lost, isByHand: false, since };
}

/** What an earlier owner left. */
export function reopenDeliveries(
  deliveries: DeliveriesState,
  pending: readonly PendingDelivery[],
  storeHasMore: boolean,
): void {
  // An insert is the claim of a first attempt and counts nothing; they begin in their order, so that so many may have begun.
  let begun = limits.posts;
  for (const delivery of pending) {
    const mayHaveBegun = delivery.claims + delivery.attempts === 0 && begun > 0;
    if (mayHaveBegun) begun -= 1;
    const lost = mayHaveBegun ? 1 : delivery.claims;
    deliveries.open.set(delivery.id, newlyOpen(delivery, null, { lost }));
  }
  deliveries.storeHasMore = storeHasMore;
}
