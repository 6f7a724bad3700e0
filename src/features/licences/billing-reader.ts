import type Stripe from 'stripe';
import { badSignature, signedWithinSeconds } from './billing.ts';
import type { BillingEvent } from './billing.ts';
import { fault } from '../../kernel/faults.ts';
import type { Clock } from '../../kernel/clock.ts';
import { tiers } from '../../rules/licences/subscription.ts';
import type { BillingChange, SubscriptionStatus, Tier } from '../../rules/licences/subscription.ts';
import { asList, asRecord, asText } from '../../kernel/json.ts';
import type { Json } from '../../kernel/json.ts';

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
          clock.wall(),
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
      why: isOfSignature(error) ? badSignature : 'The body is not an event of the payment provider',
    });
  }
}

/** The event types that carry a complete subscription; the provider's other types report the same changes. */
const changes = {
  'customer.subscription.created': 'created',
  'customer.subscription.updated': 'updated',
  'customer.subscription.deleted': 'deleted',
} as const satisfies Partial<Record<Stripe.Event['type'], BillingChange>>;

/** [operator-interface §3, Billing] `past_due`, a failed payment, stays `active`: the grace period then applies. */
const statuses: Readonly<Record<Stripe.Subscription.Status, SubscriptionStatus>> = {
  active: 'active',
  trialing: 'active',
  past_due: 'active',
  canceled: 'canceled',
  unpaid: 'canceled',
  incomplete_expired: 'canceled',
  incomplete: 'none',
  paused: 'none',
};

/** The event is signed, but its API version is the provider's choice: every field is checked like any other outside input. */
function readBillingNews(event: unknown): BillingNews {
  const json = asRecord(event);
  const change = ownValue<BillingChange>(changes, asText(json?.['type']));
  if (json === null || change === null) return { kind: 'other' };
  const eventId = asText(json['id']);
  const subscription = asRecord(asRecord(json['data'])?.['object']);
  const at = toMs(json['created']);
  if (eventId === null || subscription === null || at === null) return unreadable(eventId);
  const terms = readSubscription(subscription, change);
  if (terms === null) return unreadable(eventId);
  return {
    kind: 'subscription',
    event: { ...terms, eventId, at, change, startsAt: toMs(subscription['start_date']) ?? at },
  };
}

function unreadable(eventId: string | null): BillingNews {
  return { kind: 'unreadable', eventId: eventId ?? '' };
}

type SubscriptionTerms = Omit<BillingEvent, 'eventId' | 'at' | 'change' | 'startsAt'>;

function readSubscription(subscription: Json, change: BillingChange): SubscriptionTerms | null {
  const externalId = asText(subscription['id']);
  const status = change === 'deleted' ? 'canceled' : ownValue(statuses, asText(subscription['status']));
  if (externalId === null || status === null) return null;
  const [item] = asList(asRecord(subscription['items'])?.['data']).map(asRecord);
  const endsWithPeriod = subscription['cancel_at_period_end'] === true;
  return {
    externalId,
    accountId: asText(asRecord(subscription['metadata'])?.['account_id']),
    status,
    tier: findTier(asText(asRecord(item?.['price'])?.['lookup_key'])),
    expiresAt: toMs(item?.['current_period_end']) ?? toMs(subscription['current_period_end']),
    renews: !endsWithPeriod && toMs(subscription['cancel_at']) === null,
    endsWithPeriod,
  };
}

/** Maps a lookup key to its tier: `pro` and `pro_monthly` to `pro`. Null for an unknown one. */
function findTier(lookupKey: string | null): Tier | null {
  const [name] = (lookupKey ?? '').split('_');
  return tiers.find((tier) => tier === name) ?? null;
}

/** Converts seconds to ms; null for anything but an integer between 1 and 32e9 (about the year 2984). */
function toMs(seconds: unknown): number | null {
  const isMoment =
    typeof seconds === 'number' && Number.isSafeInteger(seconds) && seconds > 0 && seconds < 32e9;
  return isMoment ? seconds * 1_000 : null;
}

function ownValue<V>(table: Readonly<Record<string, V>>, key: string | null): V | null {
  return key !== null && Object.hasOwn(table, key) ? (table[key] ?? null) : null;
}

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
