/** [operator-interface §3, Billing; operator-interface §4 canceled] Billing events, signed by Stripe's own package. */
import { describe, expect, test } from '@jest/globals';
import { Stripe } from 'stripe';
import type { Answer } from '../support/api.ts';
import { newId } from '../../src/kernel/ids.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount, person } from '../support/world.ts';
import type { Account } from '../support/world.ts';

const secret = 'whsec_test_of_trunkline';
const graceMs = 60_000;
const now = (): number => Math.floor(Date.now() / 1_000);
const daysFromNow = (days: number): number => now() + days * 86_400;

const world = sharedWorld({ BILLING_WEBHOOK_SECRET: secret, SUBSCRIPTION_GRACE_MS: String(graceMs) });

interface Sign {
  secret?: string;
  timestamp?: number;
}

function post(payload: string, sign: Sign = {}): Promise<Answer> {
  const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, ...sign });
  return world.service.call('POST', '/billing/webhook', {
    raw: payload,
    headers: { 'stripe-signature': signature },
  });
}

/** One subscription of an account at the payment provider; its id stays the same. */
function subscriptionOf(account: { accountId: string }, at = now()) {
  const id = `sub_${newId()}`;
  return {
    id,
    /** An event about it as the provider POSTs it. */
    event: (
      over: { type?: string; id?: string; created?: number; object?: Record<string, unknown> } = {},
    ) => ({
      id: over.id ?? `evt_${newId()}`,
      object: 'event',
      api_version: '2025-08-27.basil',
      created: over.created ?? at,
      type: over.type ?? 'customer.subscription.updated',
      data: {
        object: {
          id,
          object: 'subscription',
          status: 'active',
          start_date: at,
          cancel_at_period_end: false,
          cancel_at: null,
          metadata: { account_id: account.accountId },
          items: { data: [{ current_period_end: daysFromNow(30), price: { lookup_key: 'pro_monthly' } }] },
          ...over.object,
        },
      },
    }),
  };
}

const say = async (event: object): Promise<void> => {
  const { status, text } = await post(JSON.stringify(event));
  expect([status, text]).toEqual([200, '{"received":true}']);
};

const items = (lookupKey: unknown, end: unknown = daysFromNow(30)) => ({
  items: { data: [{ current_period_end: end, price: { lookup_key: lookupKey } }] },
});

/** The account's paid licence; undefined if there is none. */
async function paid(account: Account) {
  const { body } = await world.service.call('GET', '/api/v1/subscriptions', { key: account.key });
  const found: { source: string }[] = body.subscriptions;
  return found.filter(({ source }) => source === 'billing_provider');
}

const licenceOf = async (account: Account, channelId: string) => {
  const { body } = await world.service.call('GET', `/api/v1/channels/${channelId}`, { key: account.key });
  return body.subscription;
};

const counted = async (outcome: string): Promise<number> => {
  const { text } = await world.service.call('GET', '/metrics');
  return Number(new RegExp(`billing_events_total\\{outcome="${outcome}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
};

describe('a subscription of the payment provider', () => {
  test('starts: the tier by the lookup key, the end by the period, and it renews', async () => {
    const account = await newAccount(world.service, 'starter');
    const end = daysFromNow(30);
    const sub = subscriptionOf(account);
    await say(sub.event({ type: 'customer.subscription.created', object: items('pro', end) }));
    expect(await paid(account)).toMatchObject([
      {
        status: 'active',
        tier: 'pro',
        expires_at: new Date(end * 1_000).toISOString(),
        auto_renew: true,
      },
    ]);
  });

  test('of an older API version has its period at the top level', async () => {
    const account = await newAccount(world.service);
    const end = daysFromNow(31);
    const object = {
      items: { data: [{ price: { lookup_key: 'starter_yearly' } }] },
      current_period_end: end,
    };
    await say(subscriptionOf(account).event({ object }));
    expect(await paid(account)).toMatchObject([
      { tier: 'starter', expires_at: new Date(end * 1_000).toISOString() },
    ]);
  });

  test.each([
    ['active', 'active'],
    ['trialing', 'active'],
    ['past_due', 'active'],
    ['canceled', 'canceled'],
    ['unpaid', 'canceled'],
    ['incomplete_expired', 'canceled'],
    // The contract's status list has no word for a subscription that has never been paid, or is paused.
    ['incomplete', 'expired'],
    ['paused', 'expired'],
  ])('with status %s becomes a licence with status %s', async (status, expected) => {
    const account = await newAccount(world.service);
    await say(subscriptionOf(account).event({ object: { status } }));
    expect(await paid(account)).toMatchObject([{ status: expected, auto_renew: expected === 'active' }]);
  });

  test('changes at once with each event: past due, downgraded, renewed, ended', async () => {
    const account = await newAccount(world.service);
    const sub = subscriptionOf(account);
    const steps = [
      [{ created: now() - 50 }, { status: 'active', tier: 'pro', auto_renew: true }],
      // Grace: the period is over and the payment has failed.
      [
        { created: now() - 40, object: { status: 'past_due', ...items('pro', now() - 5) } },
        { status: 'active' },
      ],
      [
        { created: now() - 30, object: items('starter_monthly') },
        { status: 'active', tier: 'starter' },
      ],
      [
        { created: now() - 20, object: { cancel_at_period_end: true } },
        { status: 'active', auto_renew: false },
      ],
      [
        { created: now() - 10, object: items('pro', daysFromNow(60)) },
        { tier: 'pro', auto_renew: true },
      ],
      [
        { created: now(), type: 'customer.subscription.deleted', object: { status: 'canceled' } },
        { status: 'canceled', auto_renew: false },
      ],
    ] as const;
    for (const [event, expected] of steps) {
      await say(sub.event(event));
      expect(await paid(account)).toMatchObject([expected]);
    }
  });

  test('canceled "at period end" works until then', async () => {
    const account = await newAccount(world.service);
    await say(subscriptionOf(account).event({ object: { status: 'canceled', cancel_at_period_end: true } }));
    expect(await paid(account)).toMatchObject([{ status: 'active', auto_renew: false }]);
  });

  test('its channel sees each change before the provider gets its answer', async () => {
    const account = await newAccount(world.service, 'starter');
    const channel = await world.connect(account, 'pagechat');
    const sub = subscriptionOf(account);
    await say(sub.event({ created: now() - 30 }));
    // The first payment moves the trial's channels to the paid licence.
    expect(await licenceOf(account, channel.id)).toMatchObject({
      status: 'active',
      source: 'billing_provider',
      tier: 'pro',
    });
    await say(sub.event({ created: now() - 20, object: { status: 'paused' } }));
    const none = { status: 'none', source: null, tier: null, expires_at: null, auto_renew: false };
    expect(await licenceOf(account, channel.id)).toEqual(none);
    const refused = await world.send(channel, 'hello', person.pagechat);
    expect([refused.status, refused.body.detail]).toEqual([
      402,
      "The channel's licence is not active (status: none)",
    ]);
    await say(sub.event({ created: now() - 10, object: items('starter') }));
    expect(await licenceOf(account, channel.id)).toMatchObject({ status: 'active', tier: 'starter' });
    const { body } = await world.service.call('GET', '/api/v1/subscriptions', { key: account.key });
    const paidOne = body.subscriptions.find(
      ({ source }: { source: string }) => source === 'billing_provider',
    );
    expect(paidOne.assigned_channels.pagechat).toMatchObject({ channel_id: channel.id, is_active: true });
  });
});

describe('order and repetition', () => {
  test('a repeated event changes nothing, however late it comes', async () => {
    const account = await newAccount(world.service);
    const sub = subscriptionOf(account);
    const first = sub.event({ created: now() - 20, object: items('starter') });
    await say(first);
    await say(sub.event({ created: now() - 10 }));
    const before = await paid(account);
    await say(first);
    expect(await paid(account)).toEqual(before);
  });

  test('an event older than the last one applied changes nothing, also if it comes before the created event', async () => {
    const account = await newAccount(world.service);
    const sub = subscriptionOf(account);
    await say(
      sub.event({
        type: 'customer.subscription.deleted',
        created: now() - 10,
        object: { status: 'canceled' },
      }),
    );
    await say(sub.event({ type: 'customer.subscription.created', created: now() - 30 }));
    await say(sub.event({ created: now() - 20 }));
    expect(await paid(account)).toMatchObject([{ status: 'canceled' }]);
  });

  test('events of one second apply as created, updated, deleted; those of one type as they arrive, each once', async () => {
    const account = await newAccount(world.service);
    const sub = subscriptionOf(account);
    const incomplete = sub.event({ type: 'customer.subscription.created', object: { status: 'incomplete' } });
    const starter = sub.event({ object: items('starter') });
    const pro = sub.event({ object: items('pro') });
    for (const event of [starter, incomplete, pro, starter]) await say(event);
    expect(await paid(account)).toMatchObject([{ status: 'active', tier: 'pro' }]);
    await say(sub.event({ type: 'customer.subscription.deleted', object: { status: 'canceled' } }));
    await say(sub.event());
    expect(await paid(account)).toMatchObject([{ status: 'canceled' }]);
  });

  test('of twenty concurrent events, the latest determines the licence', async () => {
    const account = await newAccount(world.service);
    const sub = subscriptionOf(account);
    const events = Array.from({ length: 20 }, (_, i) =>
      sub.event({ created: now() - 100 + i, object: items(i === 19 ? 'starter' : 'pro') }),
    );
    await Promise.all(events.toReversed().map(say));
    expect(await paid(account)).toMatchObject([{ tier: 'starter' }]);
  });
});

describe('an event that changes nothing is answered 200 and counted', () => {
  const nobody = { accountId: newId() };
  test.each([
    ['other_type', () => subscriptionOf(nobody).event({ type: 'invoice.paid' })],
    ['other_type', () => subscriptionOf(nobody).event({ type: '__proto__' })],
    ['unknown_account', () => subscriptionOf(nobody).event()],
    ['unknown_account', () => subscriptionOf(nobody).event({ object: { metadata: {} } })],
    ['unreadable', () => subscriptionOf(nobody).event({ object: { status: 'asleep' } })],
    ['unreadable', () => subscriptionOf(nobody).event({ object: { id: 7 } })],
    ['unreadable', () => ({ ...subscriptionOf(nobody).event(), created: 'today' })],
    ['unreadable', () => ({ ...subscriptionOf(nobody).event(), data: null })],
  ])('%s', async (outcome, event) => {
    const before = await counted(outcome);
    await say(event());
    expect(await counted(outcome)).toBe(before + 1);
  });

  test.each([[undefined], ['gold_monthly'], ['Pro'], [7], ['constructor']])('tier %j', async (lookupKey) => {
    const account = await newAccount(world.service);
    const before = await counted('unknown_tier');
    await say(subscriptionOf(account).event({ object: items(lookupKey) }));
    expect(await counted('unknown_tier')).toBe(before + 1);
    expect(await paid(account)).toEqual([]);
  });

  test('a subscription never moves to another account', async () => {
    const [mine, theirs] = [await newAccount(world.service), await newAccount(world.service)];
    const sub = subscriptionOf(mine);
    await say(sub.event({ created: now() - 10 }));
    const before = await counted('other_account');
    await say(sub.event({ object: { metadata: { account_id: theirs.accountId } } }));
    expect(await counted('other_account')).toBe(before + 1);
    expect([await paid(mine), await paid(theirs)]).toMatchObject([[{ status: 'active' }], []]);
  });
});

describe('an event without a valid signature of the provider is 400', () => {
  const payload = JSON.stringify(subscriptionOf({ accountId: newId() }).event());
  const late = { status: 400, body: { detail: 'Missing, wrong or late signature' } };

  test('signed with another secret, too long ago, or over another body', async () => {
    expect(await post(payload, { secret: 'whsec_forged' })).toMatchObject(late);
    expect(await post(payload, { timestamp: now() - 310 })).toMatchObject(late);
    expect((await post(payload, { timestamp: now() - 280 })).status).toBe(200);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
    const headers = { 'stripe-signature': signature };
    expect(
      await world.service.call('POST', '/billing/webhook', { raw: `${payload} `, headers }),
    ).toMatchObject(late);
  });

  test.each([[null], [''], ['v1='], ['t=1,v1=00'], ['t=x,v1=zz'], [',,,'], [`v1=${'a'.repeat(80)}`]])(
    'header %j',
    async (signature) => {
      const headers: Record<string, string> = signature === null ? {} : { 'stripe-signature': signature };
      expect(await world.service.call('POST', '/billing/webhook', { raw: payload, headers })).toMatchObject(
        late,
      );
    },
  );

  test.each([['not json'], ['null'], ['[]'], ['7'], ['{}'], ['']])(
    'a signed body that is no event: %s',
    async (body) => {
      const { status } = await post(body);
      expect([200, 400]).toContain(status);
    },
  );

  test('a body over 1 MiB is 413', async () => {
    expect((await post('x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});
