import { describe, expect, test } from '@jest/globals';
import {
  isOperable,
  requireOperable,
  requireTier,
  statusAt,
} from '../../../src/rules/licences/operability.ts';
import { availableSlots, chooseSlot } from '../../../src/features/licences/slots.ts';
import { trial } from '../../../src/rules/licences/subscription.ts';
import { newYear, subscriptionOf, thrownBy } from '../../rules/samples.ts';

const graceMs = 500;
const end = newYear + 1_000;

test('a trial of a second, as a check sets it (TRIAL_DAYS), ends at a whole millisecond', () => {
  const of = { id: 'licence-1', accountId: 'account-1', tier: 'pro', now: newYear } as const;
  expect(trial({ ...of, days: 0.0000115741 }).expiresAt).toBe(newYear + 1_000);
});

describe('status of a licence', () => {
  test.each([
    ['trial', 'active', end, end - 1, 'active'],
    ['trial', 'active', end, end, 'expired'],
    ['enterprise', 'active', end, end, 'expired'],
    ['enterprise', 'active', null, end * 2, 'active'],
    ['billing_provider', 'active', end, end, 'active'],
    ['billing_provider', 'active', end, end + graceMs - 1, 'active'],
    ['billing_provider', 'active', end, end + graceMs, 'expired'],
    ['billing_provider', 'canceled', end, newYear, 'canceled'],
    ['billing_provider', 'expired', end, newYear, 'expired'],
    ['enterprise', 'canceled', null, newYear, 'canceled'],
  ] as const)('%s, set to %s, ending %j, at %j: %s', (source, status, expiresAt, now, expected) => {
    const subscription = subscriptionOf({ source, status, expiresAt });
    expect(statusAt(subscription, now, graceMs)).toBe(expected);
    expect(isOperable(subscription, now, graceMs)).toBe(expected === 'active');
  });

  test('no licence is not operable: 402 with status none', () => {
    expect(isOperable(null, newYear, graceMs)).toBe(false);
    expect(thrownBy(() => requireOperable(null, newYear, graceMs))).toMatchObject({
      status: 402,
      detail: "The channel's licence is not active (status: none)",
    });
  });

  test('a lapsed licence: 402 with its status', () => {
    expect(thrownBy(() => requireOperable(subscriptionOf(), end, graceMs))).toMatchObject({
      status: 402,
      detail: "The channel's licence is not active (status: expired)",
    });
  });

  test('an active licence is returned', () => {
    const subscription = subscriptionOf();
    expect(requireOperable(subscription, newYear, graceMs)).toBe(subscription);
  });
});

describe('tier', () => {
  test('a pro operation on starter: 402 that names the tier', () => {
    expect(thrownBy(() => requireTier(subscriptionOf({ tier: 'starter' }), 'pro'))).toMatchObject({
      status: 402,
      detail: expect.stringContaining('pro tier'),
    });
  });

  test.each([
    ['pro', 'pro'],
    ['pro', 'starter'],
    ['starter', 'starter'],
  ] as const)('%s may do what needs %s', (tier, needed) => {
    expect(requireTier(subscriptionOf({ tier }), needed)).toBeUndefined();
  });
});

describe('slots', () => {
  const starter = subscriptionOf({ id: 'starter', tier: 'starter', expiresAt: null });
  const short = subscriptionOf({ id: 'short' });
  const long = subscriptionOf({ id: 'long', expiresAt: end + 1 });
  const perpetual = subscriptionOf({ id: 'perpetual', source: 'enterprise', expiresAt: null });
  const lapsed = subscriptionOf({ id: 'lapsed', expiresAt: newYear });
  const all = [starter, short, lapsed, long, perpetual];

  test('one subscription grants one slot per channel type; channels bound to it hold theirs', () => {
    const channels = [
      { subscriptionId: 'short', channelType: 'chatapp' },
      { subscriptionId: 'starter', channelType: 'chatapp' },
      { subscriptionId: 'lapsed', channelType: 'photoapp' },
      { subscriptionId: null, channelType: 'pagechat' },
    ] as const;
    expect(availableSlots(all, channels, newYear, graceMs)).toEqual({
      chatapp: { total: 2, starter: 0, pro: 2 },
      photoapp: { total: 4, starter: 1, pro: 3 },
      pagechat: { total: 4, starter: 1, pro: 3 },
    });
  });

  test('no subscription, no slot', () => {
    const none = { total: 0, starter: 0, pro: 0 };
    expect(availableSlots([], [], newYear, graceMs)).toEqual({
      chatapp: none,
      photoapp: none,
      pagechat: none,
    });
  });

  test.each([
    ['perpetual lasts longest', all, [], 'perpetual'],
    ['then the latest end', all, ['perpetual'], 'long'],
    ['then the earlier end', all, ['perpetual', 'long'], 'short'],
    ['starter only after every pro', all, ['perpetual', 'long', 'short'], 'starter'],
    ['a lapsed one never', all, ['perpetual', 'long', 'short', 'starter'], undefined],
    ['pro before starter, whichever is listed first', [perpetual, starter], [], 'perpetual'],
    ['pro before starter, wherever they are listed', [starter, perpetual], [], 'perpetual'],
    ['two perpetual ones: the first listed', [perpetual, { ...perpetual, id: 'second' }], [], 'perpetual'],
  ])('the channel binds to a free one: %s', (_rule, subscriptions, taken, expected) => {
    const channels = taken.map((subscriptionId) => ({ subscriptionId, channelType: 'chatapp' as const }));
    expect(chooseSlot(subscriptions, channels, 'chatapp', newYear, graceMs)?.id).toBe(expected);
  });

  test('a slot of another type is no obstacle', () => {
    const channels = [{ subscriptionId: 'short', channelType: 'photoapp' as const }];
    expect(chooseSlot([short], channels, 'chatapp', newYear, graceMs)).toBe(short);
  });
});

test('a trial runs for its days, without renewal', () => {
  const made = trial({ id: 's', accountId: 'a', tier: 'starter', days: 14, now: newYear });
  expect(made).toEqual({
    id: 's',
    accountId: 'a',
    status: 'active',
    source: 'trial',
    tier: 'starter',
    startsAt: newYear,
    expiresAt: Date.parse('2026-01-15T00:00:00Z'),
    autoRenew: false,
    externalId: null,
    billed: null,
    createdAt: newYear,
  });
});
