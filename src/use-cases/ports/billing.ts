/** Events of the payment provider. */
import type { BillingEvent } from '../../domain/licences/billing.ts';

/** Content of one POST of the provider. */
export type BillingNews =
  | { kind: 'subscription'; event: BillingEvent }
  /** An event of a type that changes no subscription. */
  | { kind: 'other' }
  /** An event that should change a subscription, but in an unknown shape. */
  | { kind: 'unreadable'; eventId: string };

export interface BillingReader {
  /** Throws fault `bad_request` if the signature is missing, wrong or older than 300 s, or if the body is no event. */
  read(raw: Uint8Array, signature: string): Promise<BillingNews>;
}
