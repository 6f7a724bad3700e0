import type Stripe from 'stripe';
import { signedWithinSeconds } from '../../domain/licences/billing.ts';
import { fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BillingReader } from '../../use-cases/ports/licences.ts';
import { readBillingNews } from './news.ts';

/** `secret`: BILLING_WEBHOOK_SECRET. `read` throws Fault `bad_request` if the signature or the body is invalid. */
export function makeBillingReader({ secret, clock }: { secret: string; clock: Clock }): BillingReader {
  return {
    async read(raw, signature) {
      // Loaded with the first event: the package has 23 MB and only this endpoint needs it.
      const { default: stripe } = await import('stripe');
      const { StripeSignatureVerificationError } = stripe.errors;
      const construct = (): Stripe.Event =>
        stripe.webhooks.constructEvent(
          Buffer.from(raw),
          signature,
          secret,
          signedWithinSeconds,
          undefined,
          clock.now(),
        );
      return readBillingNews(
        verified(construct, (error) => error instanceof StripeSignatureVerificationError),
      );
    },
  };
}

/** Neither the error nor its text is passed on: both quote the header and the body. */
function verified(construct: () => Stripe.Event, isOfSignature: (error: unknown) => boolean): Stripe.Event {
  try {
    return construct();
  } catch (error) {
    throw fault('bad_request', {
      why: isOfSignature(error)
        ? 'Missing, wrong or late signature'
        : 'The body is not an event of the payment provider',
    });
  }
}
