/** [operator-interface §3] The operators' API, path by path. */
import { describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { exchange, freshCode, newBusiness } from '../support/setup.ts';
import { newPerson } from '../support/sends.ts';
import { adminToken } from '../support/service.ts';
import { until } from '../support/until.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount, World } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';
import { isoTime } from '../support/shapes.ts';

const world = sharedWorld({ DIGEST_INTERVAL_MS: '50' });

const newId = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const newKey = expect.stringMatching(/^mip_live_[\w-]{43}$/);
const absent = crypto.randomUUID();
const unassigned = { chatapp: null, photoapp: null, pagechat: null };
const subscriptionsOf = async ({ key }: Pick<Account, 'key'>) =>
  (await world.service.call('GET', '/api/v1/subscriptions', { key })).body.subscriptions;

async function someChannel(): Promise<{ account: Account; channel: Channel }> {
  const account = await newAccount(world.service);
  const { pages } = await newBusiness(world.simulator);
  return { account, channel: await world.connect(account, 'pagechat', { upstream: pages[0]?.id ?? '' }) };
}

describe('Authorization: Bearer $ADMIN_TOKEN', () => {
  test.each([
    ['nothing', {}],
    ['a wrong token', { authorization: 'Bearer wrong-admin-token-of-32-characters' }],
    ['an empty token', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${adminToken}` }],
    ['the token alone', { authorization: adminToken }],
    ['another header', { 'x-api-key': adminToken }],
  ])('%s is 401', async (_name, headers) => {
    const answer = await call('GET', `${world.service.url}/admin/v1/nodes`, { headers });
    expect([answer.status, answer.body]).toEqual([401, { detail: 'Missing or invalid admin token' }]);
  });

  test('an API key does not authorize any admin call', async () => {
    const { key } = await newAccount(world.service);
    const headers = { authorization: `Bearer ${key}`, 'x-api-key': key };
    expect((await call('GET', `${world.service.url}/admin/v1/nodes`, { headers })).status).toBe(401);
  });
});

describe('accounts and keys', () => {
  test('POST /accounts: 201 with the first key and the trial', async () => {
    const { status, body } = await world.service.admin('POST', '/accounts', {
      email: 'First@Example.com',
      name: 'First',
      tier: 'starter',
    });
    expect([status, body]).toEqual([
      201,
      { account_id: newId, api_key_id: newId, api_key: newKey, subscription_id: newId },
    ]);
    const [trial] = await subscriptionsOf({ key: body.api_key });
    expect([trial.id, trial.source, trial.tier]).toEqual([body.subscription_id, 'trial', 'starter']);
  });

  test('the same e-mail again, however it is spelt: 409', async () => {
    await world.service.admin('POST', '/accounts', { email: 'second@example.com' });
    await world.service.admin('POST', '/accounts', { email: 'mia@b\u00fccher.example' });
    for (const email of ['SECOND@example.com', 'mia@xn--bcher-kva.example', 'mia@Bu\u0308cher.example']) {
      const again = await world.service.admin('POST', '/accounts', { email });
      expect([again.status, again.body]).toEqual([
        409,
        { detail: 'An account with this e-mail address already exists' },
      ]);
    }
  });

  test('ten at once with one e-mail: one account', async () => {
    const creating = Array.from({ length: 10 }, () =>
      world.service.admin('POST', '/accounts', { email: 'racer@example.com' }),
    );
    const statuses = (await Promise.all(creating)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201).length).toBe(1);
    expect(statuses.filter((status) => status === 409).length).toBe(9);
  });

  test('GET /accounts: newest first, in pages, and filtered by e-mail address', async () => {
    const older = await world.service.admin('POST', '/accounts', { email: 'older@example.com' });
    const newer = await world.service.admin('POST', '/accounts', {
      email: 'newer@example.com',
      name: 'Newer',
    });
    const first = await world.service.admin('GET', '/accounts?limit=1');
    expect([first.status, first.body]).toEqual([
      200,
      {
        accounts: [
          {
            account_id: newer.body.account_id,
            email: 'newer@example.com',
            name: 'Newer',
            suspended_at: null,
            suspension_reason: null,
            note: null,
            created_at: isoTime,
          },
        ],
        next_cursor: expect.any(String),
      },
    ]);
    const second = await world.service.admin('GET', `/accounts?limit=1&cursor=${first.body.next_cursor}`);
    expect(second.body.accounts[0].account_id).toBe(older.body.account_id);
    const one = await world.service.admin('GET', '/accounts?email=OLDER%40example.com');
    expect(one.body).toEqual({ accounts: second.body.accounts, next_cursor: null });
    const none = await world.service.admin('GET', '/accounts?email=nobody%40example.com');
    expect(none.body).toEqual({ accounts: [], next_cursor: null });
  });

  test('GET /accounts/{id}: its keys by id and hint, subscriptions and channels', async () => {
    const { account, channel } = await someChannel();
    const { accountId, key } = account;
    const extra = await world.service.admin('POST', `/accounts/${accountId}/keys`);
    const revoked = await world.service.admin('POST', `/accounts/${accountId}/keys`);
    await world.service.admin('DELETE', `/keys/${revoked.body.api_key_id}`);
    const { status, body, text } = await world.service.admin('GET', `/accounts/${accountId}`);
    expect([status, body]).toEqual([
      200,
      {
        account_id: accountId,
        email: expect.any(String),
        name: null,
        suspended_at: null,
        suspension_reason: null,
        note: null,
        created_at: isoTime,
        keys: [
          {
            api_key_id: extra.body.api_key_id,
            name: null,
            hint: expect.any(String),
            created_at: isoTime,
            last_used_at: null,
            last_used_from: null,
            scopes: null,
            expires_at: null,
          },
          expect.objectContaining({ hint: expect.stringMatching(/^mip_live_/) }),
        ],
        subscriptions: await subscriptionsOf({ key }),
        channels: [(await world.service.call('GET', `/api/v1/channels/${channel.id}`, { key })).body],
        people: [],
      },
    ]);
    expect(text).not.toContain(key);
    const unknown = await world.service.admin('GET', `/accounts/${absent}`);
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'Account not found' }]);
  });

  test('without a tier, the trial has the tier TRIAL_TIER', async () => {
    const { body } = await world.service.admin('POST', '/accounts', { email: 'third@example.com' });
    const [trial] = await subscriptionsOf({ key: body.api_key });
    expect(trial.tier).toBe('pro');
  });

  test('POST /accounts/{id}/keys: 201 with one more key; DELETE /keys/{id} revokes it once', async () => {
    const { accountId } = await newAccount(world.service);
    const { status, body } = await world.service.admin('POST', `/accounts/${accountId}/keys`);
    const everything = { name: null, scopes: null, expires_at: null };
    expect([status, body]).toEqual([201, { api_key_id: newId, api_key: newKey, ...everything }]);
    expect((await subscriptionsOf({ key: body.api_key })).length).toBe(1);
    const revoked = await world.service.admin('DELETE', `/keys/${body.api_key_id}`);
    expect([revoked.status, revoked.body]).toEqual([200, { success: true }]);
    const again = await world.service.admin('DELETE', `/keys/${body.api_key_id}`);
    expect([again.status, again.body]).toEqual([404, { detail: 'API key not found' }]);
  });

  test('POST /accounts/{id}/keys says what the key may do: a member that is not known did nothing', async () => {
    const { accountId } = await newAccount(world.service);
    const given = { name: 'shop', scopes: ['messages:send'], expires_at: '2100-01-01T00:00:00.000Z' };
    const made = await world.service.admin('POST', `/accounts/${accountId}/keys`, given);
    expect(made.body).toEqual({ api_key_id: newId, api_key: newKey, ...given });
    const misspelt = { scope: ['messages:send'], ends_at: given.expires_at };
    const { body } = await world.service.admin('POST', `/accounts/${accountId}/keys`, misspelt);
    expect(body).toMatchObject({ scopes: null, expires_at: null });
  });
});

describe('subscriptions', () => {
  test('POST /accounts/{id}/subscriptions: 201 Subscription', async () => {
    const account = await newAccount(world.service);
    const licence = {
      tier: 'starter',
      source: 'billing_provider',
      expires_at: '2030-01-02T03:04:05+02:00',
      auto_renew: true,
    };
    const { status, body } = await world.service.admin(
      'POST',
      `/accounts/${account.accountId}/subscriptions`,
      licence,
    );
    const shown = {
      id: newId,
      status: 'active',
      source: 'billing_provider',
      tier: 'starter',
      starts_at: isoTime,
      expires_at: '2030-01-02T01:04:05.000Z',
      auto_renew: true,
      assigned_channels: unassigned,
    };
    expect([status, body]).toEqual([201, shown]);
    expect((await subscriptionsOf(account))[0]).toEqual(body);
  });

  test('PATCH /subscriptions/{id}: 200 Subscription; only the given fields change, and its channel sees them at once', async () => {
    const { account, channel } = await someChannel();
    const { type } = channel;
    const before = (await subscriptionsOf(account))[0];
    const patch = (body: unknown) =>
      world.service.admin('PATCH', `/subscriptions/${account.subscriptionId}`, body);
    const empty = await patch({});
    expect([empty.status, empty.body]).toEqual([200, before]);
    expect((await patch({ tier: 'starter' })).body).toEqual({ ...before, tier: 'starter' });
    const canceled = await patch({ status: 'canceled', expires_at: null });
    const { [type]: bound } = before.assigned_channels;
    const assigned = { ...before.assigned_channels, [type]: { ...bound, is_active: false } };
    expect(canceled.body).toEqual({
      ...before,
      tier: 'starter',
      status: 'canceled',
      expires_at: null,
      assigned_channels: assigned,
    });
    expect((await world.send(channel, 'hello', '88001')).status).toBe(402);
    expect((await patch({ status: 'active' })).body.status).toBe('active');
    expect((await world.send(channel, 'hello', '88001')).status).toBe(200);
  });
});

describe('channels', () => {
  test('PATCH /channels/{id} binds to a licence of the account, null unbinds', async () => {
    const { account, channel } = await someChannel();
    const grant = { tier: 'starter', source: 'enterprise' };
    const path = `/accounts/${account.accountId}/subscriptions`;
    const { id: other } = (await world.service.admin('POST', path, grant)).body;
    const bind = (subscription_id: string | null) =>
      world.service.admin('PATCH', `/channels/${channel.id}`, { subscription_id });
    const tierNow = async () =>
      (await world.service.call('GET', `/api/v1/channels/${channel.id}`, { key: account.key })).body
        .subscription.tier;
    expect([(await bind(other)).body, await tierNow()]).toEqual([{ success: true }, 'starter']);
    expect([(await bind(null)).body, await tierNow()]).toEqual([{ success: true }, null]);
    expect([(await bind(account.subscriptionId)).body, await tierNow()]).toEqual([{ success: true }, 'pro']);
  });

  test('a licence whose slots are taken is 409, a licence of another account 404', async () => {
    const { account, channel } = await someChannel();
    const grant = { tier: 'starter', source: 'enterprise' };
    const path = `/accounts/${account.accountId}/subscriptions`;
    await world.service.admin('POST', path, grant);
    const { pages } = await newBusiness(world.simulator);
    const second = await world.connect(account, 'pagechat', { upstream: pages[0]?.id ?? '' });
    const bind = (subscription_id: string) =>
      world.service.admin('PATCH', `/channels/${second.id}`, { subscription_id });
    const taken = await bind(account.subscriptionId);
    expect([taken.status, taken.body]).toEqual([
      409,
      { detail: 'Another channel of this type is bound to the subscription' },
    ]);
    const foreign = await bind((await newAccount(world.service)).subscriptionId);
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'Subscription not found' }]);
    expect(channel.id).not.toBe(second.id);
  });

  test('GET /channels/{id}: owner node, epoch and queue depths', async () => {
    const { channel } = await someChannel();
    await world.send(channel, 'hello', '88001');
    const nothingWaits = {
      channel_id: channel.id,
      node_id: expect.stringMatching(/^node-/),
      epoch: expect.any(Number),
      sends_open: 0,
      sends_waiting: 0,
      deliveries_pending: 0,
      facts_held: 0,
      files_open: 0,
    };
    const settled = await until('the deliveries of the send', async () => {
      const { status, body } = await world.service.admin('GET', `/channels/${channel.id}`);
      return status === 200 && body.deliveries_pending === 0 ? body : null;
    });
    expect(settled).toEqual(nothingWaits);
    expect(settled.epoch).toBeGreaterThan(0);
  });
});

test('GET /nodes: live nodes and how many channels each owns', async () => {
  const { channel } = await someChannel();
  await world.send(channel, 'hello', '88001');
  const { status, body } = await world.service.admin('GET', '/nodes');
  expect([status, body]).toEqual([
    200,
    {
      nodes: [
        {
          node_id: expect.stringMatching(/^node-/),
          channels_owned: expect.any(Number),
          started_at: isoTime,
          draining: false,
          linked: true,
          lease: 'alone',
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          commit: expect.stringMatching(/^([0-9a-f]{7,40}(-dirty)?|unknown)$/),
          busy: expect.any(Number),
          memory_bytes: expect.any(Number),
          sends_open: 0,
          sends_waiting: 0,
          sends_oldest_seconds: 0,
          deliveries_pending: expect.any(Number),
          deliveries_oldest_seconds: expect.any(Number),
          receivers_failing: expect.any(Number),
          peers_without_link: 0,
        },
      ],
    },
  ]);
  expect(body.nodes[0].channels_owned).toBeGreaterThanOrEqual(1);
});

describe('GET /mails', () => {
  test('lists the mails of an account if SMTP_URL is unset, in pages on request', async () => {
    const account = await newAccount(world.service);
    const { pages } = await newBusiness(world.simulator);
    const page = pages[0]?.id ?? '';
    const path = `/mails?account_id=${account.accountId}`;
    expect((await world.service.admin('GET', path)).body).toEqual({ mails: [] });
    await world.connect(account, 'pagechat', { upstream: page, webhookUrl: 'http://127.0.0.1:1/closed' });
    await world.simulator.control('people/write', { channel: page, from: '8800000000099', text: 'hello' });
    const mails = await until('warning and alert of the failed delivery', async () => {
      const { body } = await world.service.admin('GET', path);
      return body.mails.length >= 2 ? body.mails : null;
    });
    const mail = (kind: string) => ({
      id: expect.stringMatching(new RegExp(`^${kind}:`)),
      account_id: account.accountId,
      kind,
      subject: expect.any(String),
      lines: expect.arrayContaining([expect.stringContaining('event message.received message ')]),
      send_after: isoTime,
      sent_at: null,
      given_up_at: null,
      given_up: null,
      created_at: isoTime,
    });
    expect(mails).toEqual([mail('webhook-alert'), mail('webhook-warning')]);
    expect(JSON.stringify(mails)).not.toContain('hello');
    const first = (await world.service.admin('GET', `${path}&limit=1`)).body;
    const second = (await world.service.admin('GET', `${path}&limit=1&cursor=${first.next_cursor}`)).body;
    expect([...first.mails, ...second.mails]).toEqual(mails);
    expect(second.next_cursor).toBeNull();
    const other = await newAccount(world.service);
    const nothing = await world.service.admin('GET', `/mails?account_id=${other.accountId}`);
    expect(nothing.body).toEqual({ mails: [] });
  });
});

test.each(['/mails', '/audit'])('GET %s with two account_ids is 422', async (path) => {
  const [account, other] = [await newAccount(world.service), await newAccount(world.service)];
  const query = `account_id=${account.accountId}&account_id=${other.accountId}`;
  expect((await world.service.admin('GET', `${path}?${query}`)).status).toBe(422);
});

describe('what does not exist is 404', () => {
  test.each([
    ['POST', `/accounts/${absent}/keys`, undefined, 'Account'],
    ['POST', `/accounts/${absent}/subscriptions`, { tier: 'pro', source: 'enterprise' }, 'Account'],
    ['DELETE', `/keys/${absent}`, undefined, 'API key'],
    ['PATCH', `/subscriptions/${absent}`, { tier: 'pro' }, 'Subscription'],
    ['PATCH', `/channels/${absent}`, { subscription_id: null }, 'Channel'],
    ['GET', `/channels/${absent}`, undefined, 'Channel'],
    ['DELETE', `/channels/${absent}/claim`, undefined, 'Channel'],
    ['GET', '/channels/..%2fnodes', undefined, 'Channel'],
  ])('%s %s', async (method, path, body, what) => {
    const answer = await world.service.admin(method, path, body);
    expect([answer.status, answer.body]).toEqual([404, { detail: `${what} not found` }]);
  });
});

describe('POST /drain', () => {
  test('this node hands its channels over, then /readyz is 503 and sends are refused, not lost', async () => {
    const own = await World.open();
    const { key, code } = await freshCode(own);
    const { channel_id: id } = (await exchange(own.service, key, code)).body;
    const send = () =>
      own.service.call('POST', '/api/v1/messages/send', {
        key,
        body: { channel_id: id, recipient: '88001', text: 'hello' },
      });
    expect((await send()).body.status).toBe('sent');
    const drained = await own.service.admin('POST', '/drain');
    expect([drained.status, drained.body]).toEqual([200, { success: true }]);
    const ready = await own.service.call('GET', '/readyz');
    expect([ready.status, ready.headers.get('retry-after'), ready.body.status]).toEqual([
      503,
      '1',
      'not_ready',
    ]);
    expect((await own.service.call('GET', '/healthz')).status).toBe(200);
    const refused = await send();
    expect([refused.status, refused.headers.get('retry-after'), refused.body]).toEqual([
      503,
      '1',
      { detail: 'Temporarily unavailable; nothing was sent. Retry after the time in Retry-After' },
    ]);
    expect((await own.simulator.control('sends?outcome=all')).total).toBe(1);
    const [node] = (await own.service.admin('GET', '/nodes')).body.nodes;
    expect([node.channels_owned, node.draining]).toEqual([0, true]);
    await own.close();
  });
});

describe('GET /', () => {
  test('a browser is redirected to the portal, another client gets the links', async () => {
    const { url } = world.service;
    const page = await fetch(url, { headers: { accept: 'text/html,*/*;q=0.8' }, redirect: 'manual' });
    expect([page.status, page.headers.get('location')]).toEqual([302, '/portal']);
    const answer = await world.service.call('GET', '/');
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        name: 'Trunkline',
        api: `${url}/api/v1`,
        docs: `${url}/docs`,
        openapi: `${url}/openapi.json`,
        portal: `${url}/portal`,
      },
    ]);
  });
});

describe('suspended accounts', () => {
  const sending = async (account: Account, channel: Channel) =>
    (
      await world.service.call('POST', '/api/v1/messages/send', {
        key: account.key,
        body: { channel_id: channel.id, recipient: newPerson('pagechat'), text: 'hello' },
      })
    ).status;

  test('PATCH /accounts/{id} suspends: sends are 402 and say why, events still arrive; once resumed, sends work as before', async () => {
    const { account, channel } = await someChannel();
    const path = `/accounts/${account.accountId}`;
    expect(await sending(account, channel)).toBe(200);
    const suspended = await world.service.admin('PATCH', path, { suspended: true });
    expect([suspended.status, suspended.body.suspended_at]).toEqual([200, isoTime]);
    const refused = await world.service.call('POST', '/api/v1/messages/send', {
      key: account.key,
      body: { channel_id: channel.id, recipient: newPerson('pagechat'), text: 'hello' },
    });
    expect([refused.status, refused.body.detail]).toEqual([402, expect.stringContaining('suspended')]);
    expect((await world.service.call('GET', '/api/v1/channels', { key: account.key })).status).toBe(200);
    expect((await world.service.admin('PATCH', path, { suspended: true })).body).toEqual(suspended.body);
    const resumed = await world.service.admin('PATCH', path, { suspended: false });
    expect(resumed.body.suspended_at).toBeNull();
    expect(await sending(account, channel)).toBe(200);
  });

  test('a body without `suspended` is 422, an unknown account 404', async () => {
    const { account } = await someChannel();
    expect((await world.service.admin('PATCH', `/accounts/${account.accountId}`, {})).status).toBe(422);
    expect((await world.service.admin('PATCH', `/accounts/${absent}`, { suspended: true })).status).toBe(404);
  });
});

describe('GET /audit', () => {
  test('each entry names the operator, the key, the address and the request id', async () => {
    const { account, channel } = await someChannel();
    await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, {
      key: account.key,
      body: { echo_statuses: true },
    });
    await world.service.admin('PATCH', `/accounts/${account.accountId}`, { suspended: true });
    const { status, body } = await world.service.admin('GET', `/audit?account_id=${account.accountId}`);
    expect(status).toBe(200);
    const [first, second] = body.entries;
    const from = { address: '127.0.0.1', request_id: expect.stringMatching(/./) };
    expect(first).toMatchObject({ ...from, actor: 'operator', after: { suspended: true }, at: isoTime });
    expect(second).toMatchObject({
      ...from,
      actor: 'key',
      actor_name: newId,
      action: 'channel.updated',
      subject: channel.id,
      before: { echo_statuses: false },
      after: { echo_statuses: true },
    });
    expect(JSON.stringify(body)).not.toContain(account.key);
  });

  test('an invalid filter is 422', async () => {
    for (const query of ['actor=nobody', 'since=yesterday', `action=${'x'.repeat(61)}`])
      expect((await world.service.admin('GET', `/audit?${query}`)).status).toBe(422);
  });
});
