/** The payment provider, as it speaks to us. */
import type { BillingEvent } from '../../domain/licences/billing.ts';

/** What one POST of the provider says. */
export type BillingNews =
  | { kind: 'subscription'; event: BillingEvent }
  /** An event of a type that moves no subscription. */
  | { kind: 'other' }
  /** One that should, in a shape nobody here knows. */
  | { kind: 'unreadable'; eventId: string };

export interface BillingReader {
  /** Throws fault `bad_request` when the signature is missing, wrong or older than 300 s, or the body is no event. */
  read(raw: Uint8Array, signature: string): Promise<BillingNews>;
}
