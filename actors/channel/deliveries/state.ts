import { SparseMap } from '../../../src/kernel/sparse-map.ts';
import type { PendingDelivery } from '../ports/store.ts';
import { makeStages } from '../stages.ts';

export type DeliveryStage = 'pending' | 'ready' | 'posting' | 'recording';

export const moveDelivery = makeStages<DeliveryStage>('delivery', {
  pending: ['ready', 'posting', 'recording'],
  ready: ['posting', 'recording'],
  posting: ['recording', 'pending'],
  recording: ['pending'],
});

export interface OpenDelivery {
  delivery: PendingDelivery;
  /** The bytes to POST, kept for the first attempt only; null: read them from the store. */
  payload: Uint8Array | null;
  /** `pending` until its time has come, `ready` until a slot is free, `posting`, then `recording` its outcome. */
  readonly stage: DeliveryStage;
  /** The attempt under way was asked for: the schedule stands as it was. */
  isByHand: boolean;
}

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
  };
}

/** What an earlier owner left. */
export function reopenDeliveries(
  deliveries: DeliveriesState,
  pending: readonly PendingDelivery[],
  storeHasMore: boolean,
): void {
  for (const delivery of pending)
    deliveries.open.set(delivery.id, { delivery, payload: null, stage: 'pending', isByHand: false });
  deliveries.storeHasMore = storeHasMore;
}
