import type Stripe from 'stripe';
import { signedWithinSeconds } from '../../domain/licences/billing.ts';
import { fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { BillingReader } from '../../use-cases/ports/billing.ts';
import { readBillingNews } from './news.ts';

/** `secret`: BILLING_WEBHOOK_SECRET. */
export function makeBillingReader({ secret, clock }: { secret: string; clock: Clock }): BillingReader {
  return {
    async read(raw, signature) {
      // 23 MB of package that only this door needs: loaded with its first event, not with the node.
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

/** The package's sentences quote header and body, and its errors carry both: none of it goes on. */
function verified(construct: () => Stripe.Event, isOfSignature: (error: unknown) => boolean): Stripe.Event {
  try {
    return construct();
  } catch (error) {
    throw fault('bad_request', {
      why: isOfSignature(error) ? 'Missing, wrong or late signature' : 'The body is no event',
    });
  }
}
