/** [faults: I9] A list of ten thousand items is the same JSON as a short one, but written over several turns of the event loop. */
import { afterEach, expect, test } from '@jest/globals';
import { countTurns } from '../support/loop-turns.ts';
import { availableSlots } from '../../src/domain/licences/slots.ts';
import type { Subscription } from '../../src/domain/licences/subscription.ts';
import { now, run, useCasesWith } from './support.ts';
import type { Running } from './support.ts';

let service: Running | null = null;
afterEach(async () => {
  await service?.stop();
  service = null;
});

test.each([0, 250, 251, 10_000])('%i redirects', async (count) => {
  const items = Array.from({ length: count }, (_, n) => ({
    id: `6f1d2f57-0000-4000-8000-${String(n).padStart(12, '0')}`,
    accountId: 'a',
    apiKeyId: 'k',
    uriPattern: `https://app-${n}.example/"é`,
    createdAt: n,
  }));
  const listRedirects = () => Promise.resolve({ items, nextCursor: null });
  service = await run({ useCases: useCasesWith({ listRedirects }) });
  const turns = countTurns();
  const { status, text } = await service.api('/api/v1/redirects');
  expect(turns()).toBeGreaterThanOrEqual(count / 250);
  const redirects = items.map(({ id, uriPattern, createdAt }) => ({
    id,
    uri_pattern: uriPattern,
    created_at: new Date(createdAt).toISOString(),
  }));
  expect([status, text]).toEqual([200, JSON.stringify({ redirects })]);
});

test('an item is converted when it is written, 250 per turn', async () => {
  let [inTurn, most] = [0, 0];
  const seen = (): number => {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += 1;
    most = Math.max(most, inTurn);
    return now;
  };
  const items = Array.from({ length: 1_000 }, (_, n) => ({
    subscription: licenceThat(n, seen),
    channels: [],
  }));
  const listSubscriptions = () =>
    Promise.resolve({
      items,
      nextCursor: null,
      activeTotal: 0,
      availableSlots: availableSlots([], [], 0, 0),
      asOf: 0,
    });
  service = await run({ useCases: useCasesWith({ listSubscriptions }) });
  const { status, text } = await service.api('/api/v1/subscriptions');
  expect([status, JSON.parse(text).subscriptions.length, JSON.parse(text).total]).toEqual([
    200, 1_000, 1_000,
  ]);
  expect(most).toBe(250);
});

function licenceThat(n: number, seen: () => number): Subscription {
  return {
    id: `licence-${n}`,
    accountId: 'a',
    status: 'active',
    source: 'enterprise',
    tier: 'pro',
    get startsAt() {
      return seen();
    },
    expiresAt: null,
    autoRenew: false,
    externalId: null,
    billed: null,
    createdAt: n,
  };
}
