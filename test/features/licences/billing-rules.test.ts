import { describe, expect, test } from '@jest/globals';
import { dayMs } from '../../../src/kernel/clock.ts';
import { billed } from '../../../src/features/licences/billing.ts';
import type { BillingEvent } from '../../../src/features/licences/billing.ts';
import { statusAt } from '../../../src/rules/licences/operability.ts';
import type { Subscription, SubscriptionStatus } from '../../../src/rules/licences/subscription.ts';
import { billingEventOf, newYear, subscriptionOf } from '../../rules/samples.ts';

const graceMs = 3 * dayMs;
const at = (days: number): number => newYear + days * dayMs;

const after = (...events: BillingEvent[]): Subscription | null =>
  events.reduce<Subscription | null>((known, event) => billed(known, event, event.at).subscription, null);

const created = billingEventOf({ change: 'created' });
const endScheduled = billingEventOf({ at: at(10), renews: false, endsWithPeriod: true });
const deleted = billingEventOf({ at: at(30), change: 'deleted', status: 'canceled', endsWithPeriod: true });
const canceledNow = billingEventOf({ at: at(10), change: 'deleted', status: 'canceled', renews: true });
const pastDue = billingEventOf({ at: at(30), status: 'active', expiresAt: at(30) });
const renewed = billingEventOf({ at: at(31), expiresAt: at(60) });
const paused = billingEventOf({ at: at(10), status: 'none' });

describe('a licence changes with time and with events', () => {
  const trial = subscriptionOf({ expiresAt: at(14) });
  const perpetual = subscriptionOf({ source: 'enterprise', expiresAt: null });
  const stories: [
    story: string,
    licence: Subscription | null,
    days: [day: number, status: SubscriptionStatus][],
  ][] = [
    [
      'a trial ends by itself, without grace',
      trial,
      [
        [13.9, 'active'],
        [14, 'expired'],
      ],
    ],
    [
      'an enterprise licence is perpetual',
      perpetual,
      [
        [0, 'active'],
        [10_000, 'active'],
      ],
    ],
    [
      'unpaid at its end it has its grace',
      after(created),
      [
        [29, 'active'],
        [30, 'active'],
        [32.9, 'active'],
        [33, 'expired'],
      ],
    ],
    [
      'a failed payment changes nothing before the grace is over',
      after(created, pastDue),
      [
        [32.9, 'active'],
        [33, 'expired'],
      ],
    ],
    [
      'renewed within the grace it goes on',
      after(created, pastDue, renewed),
      [
        [33, 'active'],
        [62.9, 'active'],
        [63, 'expired'],
      ],
    ],
    [
      'canceled for the end of the period it works until then',
      after(created, endScheduled),
      [[29.9, 'active']],
    ],
    ['and ends with it, without grace', after(created, endScheduled, deleted), [[30, 'canceled']]],
    [
      'the cancellation taken back, it renews',
      after(created, endScheduled, renewed),
      [
        [31, 'active'],
        [60, 'active'],
      ],
    ],
    ['canceled at once it ends at once', after(created, canceledNow), [[10, 'canceled']]],
    [
      'held back by the provider nothing works',
      after(created, paused),
      [
        [10, 'none'],
        [40, 'none'],
      ],
    ],
    ['resumed it works again', after(created, paused, renewed), [[31, 'active']]],
  ];
  test.each(stories)('%s', (_, licence, days) => {
    if (licence === null) throw new Error('no licence');
    expect(days.map(([on]) => [on, statusAt(licence, at(on), graceMs)])).toEqual(days);
  });

  test.each([
    ['begun', after(created), true],
    ['its end scheduled', after(created, endScheduled), false],
    ['its end taken back', after(created, endScheduled, renewed), true],
    ['canceled', after(created, canceledNow), false],
    ['paused', after(created, paused), false],
  ])('%s: renews %j', (_, licence, expected) => {
    expect(licence?.autoRenew).toBe(expected);
  });
});

describe('events out of order', () => {
  const all = [created, endScheduled, renewed, deleted];
  test('in whatever order they come, the latest decides', () => {
    for (const order of [all, all.toReversed(), [renewed, created, deleted, endScheduled]]) {
      expect(after(...order)).toMatchObject({ status: 'active', expiresAt: at(60), autoRenew: true });
    }
  });

  test('of one second and type each applies once, also if the first of them is repeated', () => {
    const upgraded = billingEventOf({ eventId: 'evt_a', at: at(1), tier: 'starter' });
    const extended = billingEventOf({ eventId: 'evt_b', at: at(1), tier: 'starter', expiresAt: at(90) });
    const both = after(created, upgraded, extended);
    expect(both).toMatchObject({ tier: 'starter', expiresAt: at(90) });
    expect(billed(both, upgraded, at(1))).toEqual({ outcome: 'seen', subscription: both });
  });

  test('an end needs neither tier nor period', () => {
    const end = billingEventOf({ at: at(5), status: 'canceled', tier: null, expiresAt: null });
    expect(after(created, end)).toMatchObject({ status: 'canceled', tier: 'pro', expiresAt: at(30) });
    expect(billed(null, end, at(5))).toEqual({ outcome: 'unknown_tier', subscription: null });
  });

  test.each([{ tier: null }, { expiresAt: null }])('a start without %j changes nothing', (lacking) => {
    expect(billed(after(created), billingEventOf({ at: at(1), ...lacking }), at(1)).outcome).toBe(
      'unknown_tier',
    );
  });
});

describe('an event of the payment provider', () => {
  const known = after(created);
  const now = newYear;

  test('about an unknown subscription and account changes nothing', () => {
    expect(billed(null, billingEventOf({ accountId: null }), now)).toEqual({
      outcome: 'unknown_account',
      subscription: null,
    });
  });

  test("with another account than the licence's changes nothing", () => {
    expect(billed(known, billingEventOf({ at: at(1), accountId: 'account-2' }), now)).toEqual({
      outcome: 'other_account',
      subscription: known,
    });
  });

  test("without an account belongs to the licence's", () => {
    expect(billed(known, billingEventOf({ at: at(1), accountId: null }), now).outcome).toBe('applied');
  });

  test("makes a licence with the same id on every node, derived from the provider's", () => {
    expect(billed(null, created, now)).toEqual({
      outcome: 'applied',
      subscription: {
        id: 'bc7e910f-6347-877e-ad6d-4ea4fe18b768',
        accountId: 'account-1',
        status: 'active',
        source: 'billing_provider',
        tier: 'pro',
        startsAt: newYear,
        expiresAt: at(30),
        autoRenew: true,
        externalId: 'sub_1',
        billed: { at: newYear, change: 'created', eventIds: [created.eventId] },
        createdAt: now,
      },
    });
  });

  test.each([
    ['created', 'updated', 'older'],
    ['created', 'deleted', 'older'],
    ['updated', 'deleted', 'older'],
    ['updated', 'updated', 'applied'],
    ['updated', 'created', 'applied'],
    ['deleted', 'created', 'applied'],
    ['deleted', 'updated', 'applied'],
  ] as const)('%s in the same second as a known %s is %s', (change, before, outcome) => {
    const first = after(billingEventOf({ change: before, eventId: 'evt_first' }));
    expect(billed(first, billingEventOf({ change, eventId: 'evt_second' }), now).outcome).toBe(outcome);
  });

  test('of an earlier second is older', () => {
    const later = after(billingEventOf({ at: at(2) }));
    expect(billed(later, billingEventOf({ at: at(1) }), now).outcome).toBe('older');
  });

  const eventIds = (...events: BillingEvent[]): readonly string[] | undefined =>
    after(...events)?.billed?.eventIds;

  test('is remembered only with those of its second and type', () => {
    const of = (eventId: string, over: Partial<BillingEvent> = {}): BillingEvent =>
      billingEventOf({ ...over, eventId });
    expect(eventIds(of('a'), of('b'))).toEqual(['a', 'b']);
    expect(eventIds(of('a'), of('b', { at: at(1) }))).toEqual(['b']);
    expect(eventIds(of('a'), of('b', { change: 'deleted' }))).toEqual(['b']);
  });

  test('is remembered among the last thirty-two', () => {
    const ids = Array.from({ length: 40 }, (_, n) => `evt_${n}`);
    expect(eventIds(...ids.map((eventId) => billingEventOf({ eventId })))).toEqual(ids.slice(8));
  });

  test.each<[Partial<BillingEvent>, SubscriptionStatus]>([
    [{ status: 'canceled', endsWithPeriod: true, expiresAt: at(1) }, 'active'],
    [{ status: 'canceled', endsWithPeriod: true, expiresAt: newYear }, 'canceled'],
    [{ status: 'canceled', endsWithPeriod: true, expiresAt: null }, 'canceled'],
    [{ status: 'canceled', endsWithPeriod: false, expiresAt: at(1) }, 'canceled'],
    [{ status: 'none', endsWithPeriod: true, expiresAt: at(1) }, 'none'],
  ])('with %j leaves the licence %s', (over, status) => {
    expect(billed(known, billingEventOf({ ...over, eventId: 'evt_end' }), now).subscription?.status).toBe(
      status,
    );
  });
});
