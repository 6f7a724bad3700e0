/** [spec: Subscriptions; SubscriptionOut; SubscriptionsResponse; operator-interface §4] */
import { describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { assetOf, newBusiness, setupUrl, allowRedirect } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel, ChannelType } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const graceMs = 60_000;
const world = sharedWorld({ SUBSCRIPTION_GRACE_MS: String(graceMs) });

const unassigned = { chatapp: null, photoapp: null, pagechat: null };
const free = (starter: number, pro: number) => ({ total: starter + pro, starter, pro });
const freeOfEach = (starter: number, pro: number) => ({
  chatapp: free(starter, pro),
  photoapp: free(starter, pro),
  pagechat: free(starter, pro),
});

const list = (key: string, query = ''): Promise<Answer> =>
  world.service.call('GET', `/api/v1/subscriptions${query}`, { key });

/** A licence granted by an operator. */
async function grant(account: Account, licence: Record<string, unknown>): Promise<string> {
  const answer = await world.service.admin('POST', `/accounts/${account.accountId}/subscriptions`, licence);
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const patch = (id: string, body: Record<string, unknown>): Promise<Answer> =>
  world.service.admin('PATCH', `/subscriptions/${id}`, body);

async function connect(account: Account, type: ChannelType): Promise<Channel> {
  return world.connect(account, type, { upstream: assetOf(await newBusiness(world.simulator), type) });
}

const licenceOf = async (account: Account, channel: Channel): Promise<unknown> => {
  const { body } = await list(account.key);
  const holder = body.subscriptions.find(
    (one: { assigned_channels: Record<string, { channel_id: string } | null> }) =>
      one.assigned_channels[channel.type]?.channel_id === channel.id,
  );
  return holder?.id;
};

describe('GET /api/v1/subscriptions', () => {
  test('a new account has its trial of 14 days with one slot per channel type', async () => {
    const account = await newAccount(world.service, 'starter');
    const { status, body } = await list(account.key);
    expect([status, body]).toEqual([
      200,
      {
        subscriptions: [
          {
            id: account.subscriptionId,
            status: 'active',
            source: 'trial',
            tier: 'starter',
            starts_at: isoTime,
            expires_at: isoTime,
            auto_renew: false,
            assigned_channels: unassigned,
          },
        ],
        total: 1,
        active_total: 1,
        available_slots: freeOfEach(1, 0),
      },
    ]);
    const [trial] = body.subscriptions;
    expect(Date.parse(trial.expires_at) - Date.parse(trial.starts_at)).toBe(14 * 86_400_000);
  });

  test('a channel occupies the slot of its type, and still does when it is inactive', async () => {
    const account = await newAccount(world.service);
    const channel = await connect(account, 'photoapp');
    const assigned = (isActive: boolean) => ({
      ...unassigned,
      photoapp: {
        channel_id: channel.id,
        channel_type: 'photoapp',
        name: expect.any(String),
        is_active: isActive,
      },
    });
    const slots = { ...freeOfEach(0, 1), photoapp: free(0, 0) };
    const connected = await list(account.key);
    expect(connected.body.subscriptions[0].assigned_channels).toEqual(assigned(true));
    expect(connected.body.available_slots).toEqual(slots);

    await world.service.call('DELETE', `/api/v1/channels/${channel.id}`, { key: account.key });
    const inactive = await list(account.key);
    expect(inactive.body.subscriptions[0].assigned_channels).toEqual(assigned(false));
    expect(inactive.body.available_slots).toEqual(slots);
  });

  test('several subscriptions add up by tier, newest first, and only active ones have free slots', async () => {
    const account = await newAccount(world.service, 'starter');
    const pro = await grant(account, { tier: 'pro', source: 'enterprise' });
    const gone = await grant(account, { tier: 'pro', source: 'billing_provider', auto_renew: true });
    expect((await patch(gone, { status: 'canceled' })).status).toBe(200);
    const { body } = await list(account.key);
    expect(body.subscriptions.map(({ id, status }: Record<string, string>) => [id, status])).toEqual([
      [gone, 'canceled'],
      [pro, 'active'],
      [account.subscriptionId, 'active'],
    ]);
    expect([body.total, body.active_total, body.available_slots]).toEqual([3, 2, freeOfEach(1, 1)]);
  });

  test('with limit it comes in pages; the totals of slots are still those of the account', async () => {
    const account = await newAccount(world.service);
    const newer = await grant(account, { tier: 'pro', source: 'enterprise' });
    const first = await list(account.key, '?limit=1');
    expect([first.body.subscriptions.length, first.body.subscriptions[0].id]).toEqual([1, newer]);
    expect([first.body.total, first.body.active_total]).toEqual([1, 2]);
    const last = await list(account.key, `?limit=1&cursor=${first.body.next_cursor}`);
    expect(last.body.subscriptions.map(({ id }: { id: string }) => id)).toEqual([account.subscriptionId]);
    expect(last.body.next_cursor).toBeNull();
  });
});

describe('the fields of a subscription', () => {
  test.each([{}, { expires_at: null }])(
    'a trial that an operator grants with %j ends like every trial',
    async (end) => {
      const account = await newAccount(world.service);
      await grant(account, { tier: 'starter', source: 'trial', ...end });
      const [licence] = (await list(account.key)).body.subscriptions;
      expect(Date.parse(licence.expires_at) - Date.parse(licence.starts_at)).toBe(14 * 86_400_000);
    },
  );

  test('a trial whose end an operator takes away ends like every trial, also if it had expired', async () => {
    const { key, subscriptionId } = await newAccount(world.service);
    const change = (body: object) => world.service.admin('PATCH', `/subscriptions/${subscriptionId}`, body);
    await change({ expires_at: '2026-01-01T00:00:00Z', status: 'expired' });
    const before = Date.now();
    expect((await change({ expires_at: null })).status).toBe(200);
    const [licence] = (await list(key)).body.subscriptions;
    expect(licence.status).toBe('active');
    const ms = Date.parse(licence.expires_at) - 14 * 86_400_000;
    expect([ms >= before, ms <= Date.now()]).toEqual([true, true]);
  });

  test('a perpetual enterprise licence has no expires_at', async () => {
    const account = await newAccount(world.service);
    const id = await grant(account, { tier: 'starter', source: 'enterprise', expires_at: null });
    const [licence] = (await list(account.key)).body.subscriptions;
    expect(licence).toEqual({
      id,
      status: 'active',
      source: 'enterprise',
      tier: 'starter',
      starts_at: isoTime,
      expires_at: null,
      auto_renew: false,
      assigned_channels: unassigned,
    });
  });

  test.each([
    ['billing_provider', true, true],
    ['billing_provider', false, false],
    ['enterprise', true, false],
  ])('auto_renew of %s set to %s shows as %s', async (source, given, shown) => {
    const account = await newAccount(world.service);
    await grant(account, { tier: 'pro', source, auto_renew: given });
    expect((await list(account.key)).body.subscriptions[0].auto_renew).toBe(shown);
  });

  test('auto_renew is true only while the subscription is active', async () => {
    const account = await newAccount(world.service);
    const id = await grant(account, { tier: 'pro', source: 'billing_provider', auto_renew: true });
    await patch(id, { status: 'canceled' });
    const [licence] = (await list(account.key)).body.subscriptions;
    expect([licence.status, licence.auto_renew]).toEqual(['canceled', false]);
  });

  test('a grace period can leave an active subscription with expires_at in the past', async () => {
    const account = await newAccount(world.service);
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    const late = { tier: 'pro', source: 'billing_provider', expires_at: ago(graceMs / 2) };
    const lapsed = { tier: 'pro', source: 'billing_provider', expires_at: ago(graceMs * 2) };
    const noGrace = { tier: 'pro', source: 'enterprise', expires_at: ago(1_000) };
    for (const licence of [late, lapsed, noGrace]) await grant(account, licence);
    const { body } = await list(account.key);
    expect(body.subscriptions.map(({ status }: { status: string }) => status)).toEqual([
      'expired',
      'expired',
      'active',
      'active',
    ]);
    expect([body.active_total, body.available_slots]).toEqual([2, freeOfEach(0, 2)]);
  });

  test('a trial becomes expired by itself, without grace', async () => {
    const account = await newAccount(world.service);
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    expect((await patch(account.subscriptionId, { expires_at: inAnHour })).body.status).toBe('active');
    const soon = new Date(Date.now() + 300).toISOString();
    expect((await patch(account.subscriptionId, { expires_at: soon })).status).toBe(200);
    const expired = await until('the trial to expire', async () => {
      const { body } = await list(account.key);
      return body.subscriptions[0].status === 'expired' ? body : null;
    });
    expect([expired.total, expired.active_total, expired.available_slots]).toEqual([1, 0, freeOfEach(0, 0)]);
  });
});

describe('which subscription a channel binds to', () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

  test('pro before starter, then the latest expires_at', async () => {
    const account = await newAccount(world.service, 'starter');
    const short = await grant(account, { tier: 'pro', source: 'enterprise', expires_at: inDays(1) });
    const perpetual = await grant(account, { tier: 'pro', source: 'enterprise' });
    const long = await grant(account, { tier: 'pro', source: 'enterprise', expires_at: inDays(9) });
    const holders: unknown[] = [];
    for (let at = 0; at < 4; at += 1)
      holders.push(await licenceOf(account, await connect(account, 'pagechat')));
    expect(holders).toEqual([perpetual, long, short, account.subscriptionId]);
    expect((await list(account.key)).body.available_slots).toEqual({
      chatapp: free(1, 3),
      photoapp: free(1, 3),
      pagechat: free(0, 0),
    });
  });

  test('without a free slot the setup-url call is 402', async () => {
    const account = await newAccount(world.service);
    await allowRedirect(world.service, account.key);
    await connect(account, 'pagechat');
    const answer = await setupUrl(world.service, account.key, 'pagechat');
    expect([answer.status, answer.body]).toEqual([
      402,
      {
        detail:
          'No free pagechat slot: every active licence already has a channel of this type, and inactive channels count; ' +
          'get another licence, or reconnect that channel with channel_id',
      },
    ]);
    expect((await setupUrl(world.service, account.key, 'chatapp')).status).toBe(200);
  });

  test('an inactive channel that still has an operable reserved slot can reconnect without a free one', async () => {
    const account = await newAccount(world.service);
    const channel = await connect(account, 'pagechat');
    await world.service.call('DELETE', `/api/v1/channels/${channel.id}`, { key: account.key });
    expect((await setupUrl(world.service, account.key, 'pagechat')).status).toBe(200);
    await patch(account.subscriptionId, { status: 'expired' });
    const ended = await setupUrl(world.service, account.key, 'pagechat');
    expect([ended.status, ended.body]).toEqual([
      402,
      { detail: 'No free pagechat slot: the trial has ended; get a licence to connect channels' },
    ]);
  });
});
