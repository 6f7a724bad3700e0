import type { DeliveryStatus } from './message.ts';

const ranks: Record<DeliveryStatus, 0 | 1 | 2 | 3> = { failed: 0, sent: 1, delivered: 2, read: 3 };

/**
 * How far a status says the message got: the highest one seen is the current one and each implies all earlier ones. `failed`
 * is no step of that ladder, so it never lowers a rank. [spec: Delivery status; faults: I8]
 */
export function rankOf(status: DeliveryStatus): 0 | 1 | 2 | 3 {
  return ranks[status];
}
