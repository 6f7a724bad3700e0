/** [spec: Channels; Channel; SubscriptionInfo; ChannelUpdateRequest] */
import { shownAtFirst } from '../support/settings.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { assetOf, newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { eventsOf, newAccount } from '../support/world.ts';
import type { Account, Channel, ChannelType } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const world = sharedWorld();
let account: Account;
const channels = new Map<ChannelType, Channel>();

beforeAll(async () => {
  account = await newAccount(world.service);
  for (const type of ['chatapp', 'photoapp', 'pagechat'] as const)
    channels.set(type, await world.connect(account, type));
});

const ask = (method: string, channelId: string, body?: unknown): Promise<Answer> =>
  world.service.call(method, `/api/v1/channels/${channelId}`, { key: account.key, body });
const idOf = (type: ChannelType): string => channels.get(type)?.id ?? '';

/** The fields of each channel type beyond the common ones. */
const own = {
  chatapp: {
    channel_type: 'chatapp',
    name: 'Harbour Bakery',
    phone_number_id: '422300000000002',
    phone_number: '+1 555-010-0042',
    business_account_id: '311200000000001',
    quality_rating: 'GREEN',
  },
  photoapp: {
    channel_type: 'photoapp',
    name: 'harbour.bakery',
    photoapp_account_id: '17840000000000006',
    photoapp_username: 'harbour.bakery',
    page_id: '520000000000005',
  },
  pagechat: { channel_type: 'pagechat', name: 'Harbour Bakery', page_id: '520000000000005' },
} as const;
const ofOtherTypes = {
  phone_number_id: null,
  phone_number: null,
  business_account_id: null,
  quality_rating: null,
  photoapp_account_id: null,
  photoapp_username: null,
  page_id: null,
};

function shown(type: ChannelType, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: idOf(type),
    is_active: true,
    ...ofOtherTypes,
    ...own[type],
    ...shownAtFirst,
    webhook_url: world.inbox.url,
    has_webhook_secret: true,
    webhook_events: [...eventsOf[type]],
    connected_at: isoTime,
    created_at: isoTime,
    subscription: {
      status: 'active',
      source: 'trial',
      tier: 'pro',
      expires_at: isoTime,
      auto_renew: false,
    },
    ...more,
  };
}

function byType(a: { channel_type: string }, b: { channel_type: string }): number {
  return a.channel_type.localeCompare(b.channel_type);
}

describe('GET /api/v1/channels', () => {
  test('answers every channel with the count; fields of other channel types are null', async () => {
    const answer = await world.service.call('GET', '/api/v1/channels', { key: account.key });
    expect(answer.status).toBe(200);
    expect({ ...answer.body, channels: answer.body.channels.toSorted(byType) }).toEqual({
      channels: [shown('chatapp'), shown('pagechat'), shown('photoapp')],
      total: 3,
    });
  });

  test('with limit it answers pages, and each channel is in exactly one of them', async () => {
    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 2; page += 1) {
      const { body } = await world.service.call('GET', `/api/v1/channels${query}`, { key: account.key });
      seen.push(...body.channels.map(({ id }: { id: string }) => id));
      expect(body.total).toBe(body.channels.length);
      query = `?limit=2&cursor=${body.next_cursor}`;
      expect(body.next_cursor === null).toBe(page === 1);
    }
    expect(seen.toSorted()).toEqual([...channels.values()].map(({ id }) => id).toSorted());
  });
});

describe('GET /api/v1/channels/{channel_id}', () => {
  test.each(['chatapp', 'photoapp', 'pagechat'] as const)('a %s channel', async (type) => {
    const answer = await ask('GET', idOf(type));
    expect([answer.status, answer.body]).toEqual([200, shown(type)]);
  });

  test('404 if the channel does not belong to the authenticated account', async () => {
    const { key } = await newAccount(world.service);
    const answer = await world.service.call('GET', `/api/v1/channels/${idOf('chatapp')}`, { key });
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Channel not found' }]);
  });

  test('without a licence, the status is none and the other fields of the subscription are null or false', async () => {
    const { id } = await newChannel('pagechat');
    const bound = await world.service.admin('PATCH', `/channels/${id}`, { subscription_id: null });
    expect([bound.status, bound.body]).toEqual([200, { success: true }]);
    const { body } = await ask('GET', id);
    expect([body.is_active, body.subscription]).toEqual([
      false,
      { status: 'none', source: null, tier: null, expires_at: null, auto_renew: false },
    ]);
  });
});

/** Another channel, with an asset and a licence of its own. */
async function newChannel(type: ChannelType, webhookUrl: string | null = null): Promise<Channel> {
  const upstream = assetOf(await newBusiness(world.simulator), type);
  const licence = { tier: 'pro', source: 'enterprise' };
  await world.service.admin('POST', `/accounts/${account.accountId}/subscriptions`, licence);
  return world.connect(account, type, { upstream, webhookUrl, events: [] });
}

describe('quality_rating', () => {
  const ratingOf = async () => (await ask('GET', idOf('chatapp'))).body.quality_rating;

  test('follows upstream, whose webhook only says that something changed', async () => {
    const phone_number_id = own.chatapp.phone_number_id;
    await world.simulator.control('quality', { phone_number_id, rating: 'RED' });
    await until('the channel to be red', async () => (await ratingOf()) === 'RED');
    await world.simulator.control('quality', { phone_number_id, rating: 'GREEN' });
    await until('the channel to be green', async () => (await ratingOf()) === 'GREEN');
  });
});

describe('PATCH /api/v1/channels/{channel_id}', () => {
  const receiver = 'https://hooks.example.com/in';
  const others = { echo_statuses: false, failed_retention_days: 0, keep_answers: false, ordered: false };

  test('the first webhook_url without a secret generates one, which is returned once', async () => {
    const { id } = await newChannel('pagechat');
    const first = await ask('PATCH', id, { webhook_url: receiver });
    expect([first.status, first.body]).toEqual([
      200,
      {
        id,
        webhook_url: receiver,
        webhook_secret: expect.stringMatching(/^whsec_[A-Za-z0-9]{44}$/),
        webhook_events: [],
        has_webhook_secret: true,
        ...others,
      },
    ]);
    const again = await ask('PATCH', id, { webhook_url: `${receiver}/2` });
    expect(again.body).toEqual({
      id,
      webhook_url: `${receiver}/2`,
      webhook_secret: null,
      webhook_events: [],
      has_webhook_secret: true,
      ...others,
    });
    const { body } = await ask('GET', id);
    expect([body.webhook_url, body.has_webhook_secret]).toEqual([`${receiver}/2`, true]);
  });

  test('webhook_secret sets or rotates the secret; omitted, it stays; null clears it', async () => {
    const { id } = await newChannel('pagechat');
    const secret = 'sixteen-letters!';
    const set = await ask('PATCH', id, { webhook_url: receiver, webhook_secret: secret });
    expect(set.body).toEqual({
      id,
      webhook_url: receiver,
      webhook_secret: secret,
      webhook_events: [],
      has_webhook_secret: true,
      ...others,
    });
    const has = async () => (await ask('GET', id)).body.has_webhook_secret;
    expect(await has()).toBe(true);
    await ask('PATCH', id, { webhook_events: ['message.read'] });
    expect(await has()).toBe(true);
    const cleared = await ask('PATCH', id, { webhook_secret: null });
    expect([cleared.body.webhook_secret, await has()]).toEqual([null, false]);
  });

  test('an empty body changes nothing', async () => {
    const before = (await ask('GET', idOf('chatapp'))).body;
    const { status, body } = await ask('PATCH', idOf('chatapp'), {});
    const settings = Object.fromEntries(Object.keys(body).map((name) => [name, before[name]]));
    expect([status, body]).toEqual([200, { ...settings, webhook_secret: null }]);
    expect((await ask('GET', idOf('chatapp'))).body).toEqual(before);
  });

  test('null clears webhook_url and webhook_events', async () => {
    const { id } = await newChannel('photoapp', world.inbox.url);
    const { body } = await ask('PATCH', id, { webhook_url: null, webhook_events: null });
    const cleared = { id, webhook_url: null, webhook_secret: null, webhook_events: null };
    expect(body).toEqual({ ...cleared, has_webhook_secret: true, ...others });
    const after = (await ask('GET', id)).body;
    expect([after.webhook_url, after.webhook_events]).toEqual([null, null]);
  });

  test('echo_statuses accepts true and false', async () => {
    for (const echo_statuses of [true, false]) {
      expect((await ask('PATCH', idOf('chatapp'), { echo_statuses })).status).toBe(200);
    }
  });

  test('failed_retention_days is 0 by default and accepts whole days from 0 to 30', async () => {
    const { id } = await newChannel('pagechat');
    const days = async () => (await ask('GET', id)).body.failed_retention_days;
    expect(await days()).toBe(0);
    for (const failed_retention_days of [30, 7]) {
      expect((await ask('PATCH', id, { failed_retention_days })).status).toBe(200);
      expect(await days()).toBe(failed_retention_days);
    }
    for (const failed_retention_days of [-1, 31, 1.5, '7', null, true]) {
      const { status, body } = await ask('PATCH', id, { failed_retention_days });
      const loc = ['body', 'failed_retention_days'];
      const msg = expect.stringContaining('Value error, ');
      expect([status, body]).toEqual([422, { detail: [{ loc, msg, type: 'value_error' }] }]);
    }
    await ask('PATCH', id, { echo_statuses: true });
    expect(await days()).toBe(7);
  });

  const unavailable = [
    ['photoapp', 'message.sent'],
    ['photoapp', 'message.failed'],
    ['pagechat', 'message.sent'],
    ['pagechat', 'message.failed'],
    ['chatapp', 'message.deleted'],
    ['chatapp', '*'],
  ] as const;
  test.each(unavailable)('available events depend on channel type: %s has no %s', async (type, event) => {
    const body = { webhook_events: ['message.received', event] };
    const answer = await ask('PATCH', idOf(type), body);
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        detail: [
          {
            loc: ['body', 'webhook_events', 1],
            msg: expect.stringContaining(`not available on ${type}`),
            type: 'value_error',
          },
        ],
      },
    ]);
    expect((await ask('GET', idOf(type))).body.webhook_events).toEqual([...eventsOf[type]]);
  });

  test('read-only and unknown fields are ignored', async () => {
    const { id } = await newChannel('pagechat');
    const before = (await ask('GET', id)).body;
    const body = {
      id: 'other',
      account_id: 'other',
      is_active: false,
      name: 'other',
      page_id: '1',
      subscription: null,
      token: 'x',
    };
    expect((await ask('PATCH', id, body)).status).toBe(200);
    expect((await ask('GET', id)).body).toEqual(before);
  });
});

describe('DELETE /api/v1/channels/{channel_id}', () => {
  test('deactivates: the channel stays listed, inactive, with its other fields; a repeated DELETE is 200 too', async () => {
    const { id } = await newChannel('pagechat');
    const before = (await ask('GET', id)).body;
    for (let time = 0; time < 2; time += 1) {
      const answer = await ask('DELETE', id);
      expect([answer.status, answer.body]).toEqual([200, { success: true }]);
      expect((await ask('GET', id)).body).toEqual({ ...before, is_active: false });
    }
    const { body } = await world.service.call('GET', '/api/v1/channels', { key: account.key });
    expect(body.channels).toContainEqual({ ...before, is_active: false });
  });

  test('an inactive channel can still be changed', async () => {
    const { id } = await newChannel('pagechat');
    await ask('DELETE', id);
    expect((await ask('PATCH', id, { webhook_events: ['message.read'] })).body.webhook_events).toEqual([
      'message.read',
    ]);
  });
});
