import { describe, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import type { BillingEvent } from '../../../src/features/licences/billing.ts';
import { billingEventOf } from '../../rules/samples.ts';
import { aSubscription, noon } from './samples.ts';
import { withStore } from './store.ts';
import type { Open } from './store.ts';

function anEvent(over: Partial<BillingEvent> = {}): BillingEvent {
  const ids = { eventId: `evt_${newId()}`, externalId: `sub_${newId()}`, accountId: newId() };
  return billingEventOf({ startsAt: noon, ...ids, ...over });
}

export function describeBilling(name: string, open: Open): void {
  describe(`${name}: billing`, () => {
    const store = withStore(open);

    test('the first event of a subscription makes a licence, the next one changes it', async () => {
      const { subscriptions } = store.current.stores;
      const first = anEvent({ change: 'created' });
      const made = await subscriptions.bill(first, noon + 5);
      expect(made).toMatchObject({ outcome: 'applied', subscription: { tier: 'pro', createdAt: noon + 5 } });
      const next = {
        ...first,
        eventId: 'evt_next',
        change: 'updated',
        at: noon + 1_000,
        tier: 'starter',
      } as const;
      const moved = await subscriptions.bill(next, noon + 9);
      expect(moved).toEqual({
        outcome: 'applied',
        subscription: {
          ...made.subscription,
          tier: 'starter',
          billed: { at: noon + 1_000, change: 'updated', eventIds: ['evt_next'] },
        },
      });
      expect(await subscriptions.byExternalId(first.externalId)).toEqual(moved.subscription);
      expect(await subscriptions.list(first.accountId ?? '')).toEqual([moved.subscription]);
    });

    test('an event that is repeated, older, or of another account changes nothing', async () => {
      const { subscriptions } = store.current.stores;
      const event = anEvent();
      const { subscription } = await subscriptions.bill(event, noon);
      const older = anEvent({ ...event, eventId: 'evt_older', at: noon - 1_000, status: 'canceled' });
      const foreign = anEvent({ ...event, eventId: 'evt_foreign', at: noon + 1_000, accountId: newId() });
      expect(await subscriptions.bill(event, noon)).toEqual({ outcome: 'seen', subscription });
      expect(await subscriptions.bill(older, noon)).toEqual({ outcome: 'older', subscription });
      expect(await subscriptions.bill(foreign, noon)).toEqual({ outcome: 'other_account', subscription });
      expect(await subscriptions.byExternalId(event.externalId)).toEqual(subscription);
    });

    test('a licence that exists before its first event is changed, not made again', async () => {
      const { subscriptions } = store.current.stores;
      const granted = aSubscription(newId(), { source: 'billing_provider', externalId: `sub_${newId()}` });
      await subscriptions.insert(granted);
      const event = anEvent({
        accountId: null,
        externalId: granted.externalId ?? '',
        expiresAt: noon + dayMs,
      });
      const { outcome } = await subscriptions.bill(event, noon);
      expect(outcome).toBe('applied');
      expect(await subscriptions.list(granted.accountId)).toMatchObject([
        { id: granted.id, expiresAt: noon + dayMs, autoRenew: true },
      ]);
    });

    test('50 concurrent events of one subscription make one licence, by the latest event', async () => {
      const { subscriptions } = store.current.stores;
      const last = anEvent({ at: noon + 49_000, tier: 'starter', expiresAt: noon + 49 * dayMs });
      const racers = Array.from({ length: 49 }, (_, second) =>
        anEvent({ ...last, eventId: `evt_${second}`, at: noon + second * 1_000, tier: 'pro' }),
      );
      const outcomes = await Promise.all(
        [...racers.slice(0, 20), last, ...racers.slice(20)].map((event) => subscriptions.bill(event, noon)),
      );
      expect(outcomes.every(({ outcome }) => outcome === 'applied' || outcome === 'older')).toBe(true);
      expect(await subscriptions.list(last.accountId ?? '')).toMatchObject([
        { tier: 'starter', billed: { at: last.at, eventIds: [last.eventId] } },
      ]);
    });

    test('one event 20 times at once is applied once', async () => {
      const { subscriptions } = store.current.stores;
      const event = anEvent();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => subscriptions.bill(event, noon)));
      expect(outcomes.filter(({ outcome }) => outcome === 'applied')).toHaveLength(1);
      expect(outcomes.filter(({ outcome }) => outcome === 'seen')).toHaveLength(19);
    });
  });
}
