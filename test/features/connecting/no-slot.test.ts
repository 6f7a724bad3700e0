import { describe, expect, test } from '@jest/globals';
import { whyNoSlot } from '../../../src/features/licences/slots.ts';
import type { Subscription } from '../../../src/rules/licences/subscription.ts';

const now = Date.UTC(2026, 10, 1);

function licence(over: Partial<Subscription>): Subscription {
  return {
    id: 's',
    accountId: 'a',
    status: 'active',
    source: 'trial',
    tier: 'pro',
    startsAt: 0,
    expiresAt: now + 1,
    autoRenew: false,
    externalId: null,
    billed: null,
    createdAt: 1,
    ...over,
  };
}
const ended = { expiresAt: now - 1 };
const paid = { source: 'enterprise', createdAt: 2 } as const;

describe('why an account has no free slot [operator-interface §4: no free slot]', () => {
  test.each<[string, Partial<Subscription>[], string]>([
    ['it never had a licence', [], 'no_licence'],
    ['its trial has ended', [ended], 'trial_ended'],
    ['the licence after its trial was canceled', [ended, { ...paid, status: 'canceled' }], 'licence_ended'],
    ['one licence is active, so its slot is taken', [ended, paid], 'all_taken'],
  ])('%s', (_what, licences, why) => {
    expect(whyNoSlot(licences.map(licence), now, 0)).toBe(why);
  });
});
