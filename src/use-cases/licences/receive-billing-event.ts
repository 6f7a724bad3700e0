import type { BillingEvent, BillingOutcome } from '../../domain/licences/billing.ts';
import { fault } from '../../kernel/faults.ts';
import { announceChange } from '../announce-change.ts';
import type { UseCaseDeps } from '../deps.ts';
import { everything } from '../ports/paging.ts';
import { leaveTrial } from './leave-trial.ts';
import { moveStranded } from './move-stranded.ts';

type CountedOutcome = BillingOutcome | 'other_type' | 'unreadable';

/**
 * Takes one POST of the payment provider; resolves when it is durable and holds on every node. What moves nothing is counted and
 * taken all the same: the provider would send it again for days, and nothing would be different then. Throws 400 `bad_request`
 * for what the provider has not signed, 404 where there is no provider. [operator-interface §3, Billing]
 */
export async function receiveBillingEvent(
  deps: UseCaseDeps,
  raw: Uint8Array,
  signature: string,
): Promise<void> {
  if (deps.billing === null) throw fault('unknown_path');
  const news = await deps.billing.read(raw, signature);
  if (news.kind === 'other') return count(deps, 'other_type');
  if (news.kind === 'unreadable') {
    deps.log.warn({ eventId: news.eventId }, 'billing.event-unreadable');
    return count(deps, 'unreadable');
  }
  const outcome = await takeEvent(deps, news.event);
  count(deps, outcome);
  const { eventId, externalId } = news.event;
  const isStrange = outcome.startsWith('unknown') || outcome === 'other_account';
  if (isStrange) deps.log.warn({ eventId, externalId, outcome }, 'billing.event-not-applied');
}

function count(deps: UseCaseDeps, outcome: CountedOutcome): void {
  deps.counters.increment('billing_events_total', { outcome });
}

async function takeEvent(deps: UseCaseDeps, event: BillingEvent): Promise<BillingOutcome> {
  const { accounts, subscriptions, channels } = deps.stores;
  if (event.accountId !== null && (await accounts.byId(event.accountId)) === null) return 'unknown_account';
  const { outcome, subscription } = await subscriptions.bill(event, deps.clock.now());
  // Seen: the node that applied it may have died before anybody was told.
  if (subscription === null || (outcome !== 'applied' && outcome !== 'seen')) return outcome;
  const all = await channels.list(subscription.accountId, everything);
  const bound = all.items.filter((channel) => channel.subscriptionId === subscription.id);
  await Promise.all(bound.map((channel) => announceChange(deps, channel.id)));
  await leaveTrial(deps, subscription, all.items);
  await moveStranded(deps, subscription.accountId);
  return outcome;
}
