/** [faults: I9] A list of ten thousand items is the same JSON as a short one, but written over several turns of the event loop. */
import { afterEach, expect, test } from '@jest/globals';
import { countTurns } from '../support/loop-turns.ts';
import { availableSlots } from '../../src/features/licences/slots.ts';
import type { Subscription } from '../../src/rules/licences/subscription.ts';
import type { Template } from '../../src/rules/templates/template.ts';
import type { ShownDelivery } from '../../src/features/index.ts';
import { now, run, someId, useCasesWith } from './support.ts';
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

/** Counts the calls of `seen` in each turn of the event loop. */
function countInTurns(): { seen: () => number; most: () => number } {
  let [inTurn, most] = [0, 0];
  const seen = (): number => {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    inTurn += 1;
    most = Math.max(most, inTurn);
    return now;
  };
  return { seen, most: () => most };
}

test('an item is converted when it is written, 250 per turn', async () => {
  const { seen, most } = countInTurns();
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
  expect(most()).toBe(250);
});

test('so is a delivery', async () => {
  const { seen, most } = countInTurns();
  const items = Array.from({ length: 1_000 }, (_, n) => deliveryThat(n, seen));
  const listDeliveries = () => Promise.resolve({ items, nextCursor: null });
  const replayProgress = () => Promise.resolve(null);
  service = await run({ useCases: useCasesWith({ listDeliveries, replayProgress }) });
  const { status, text } = await service.api(`/api/v1/channels/${someId}/deliveries?limit=1000`);
  expect([status, JSON.parse(text).deliveries.length, JSON.parse(text).total]).toEqual([200, 1_000, 1_000]);
  expect(most()).toBe(250);
});

test('so is a template', async () => {
  const { seen, most } = countInTurns();
  const items = Array.from({ length: 1_000 }, (_, n) => templateThat(n, seen));
  const listTemplates = () =>
    Promise.resolve({ page: { items, nextCursor: null }, synced: true, syncedAt: now });
  service = await run({ useCases: useCasesWith({ listTemplates }) });
  const { status, text } = await service.api(`/api/v1/channels/${someId}/templates`);
  expect([status, JSON.parse(text).templates.length, JSON.parse(text).total]).toEqual([200, 1_000, 1_000]);
  expect(most()).toBe(250);
});

function deliveryThat(n: number, seen: () => number): ShownDelivery {
  return {
    id: `delivery-${n}`,
    channelId: someId,
    accountId: 'a',
    event: 'message.received',
    messageId: `message-${n}`,
    person: null,
    messageType: null,
    requestId: null,
    state: 'delivered',
    attempts: 1,
    firstTriedAt: n,
    nextDueAt: n,
    lastResult: '200',
    attemptLog: `${n} 5 200 -`,
    keptSince: null,
    keptUntil: null,
    get createdAt() {
      return seen();
    },
  };
}

function templateThat(n: number, seen: () => number): Template {
  return {
    id: `template-${n}`,
    accountId: 'a',
    businessAccountId: 'b',
    upstreamId: `${n}`,
    name: 'order_ready',
    language: 'de',
    category: 'UTILITY',
    status: 'APPROVED',
    components: [{ type: 'BODY', text: 'Ready.' }],
    parameterFormat: 'positional',
    quality: null,
    rejectedReason: null,
    syncedAt: n,
    get createdAt() {
      return seen();
    },
  };
}

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
