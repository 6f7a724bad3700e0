/** [spec: Connecting a channel; operator-interface §4: which asset a setup flow connects, reconnecting] */
import { describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import type { Answer } from '../support/api.ts';
import {
  allowRedirect,
  codeIn,
  endParameters,
  exchange,
  home,
  newBusiness,
  setupUrl,
  walkSetup,
} from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { choose, follow, newAccount } from '../support/world.ts';
import type { Account, ChannelType } from '../support/world.ts';

const world = sharedWorld();

const read = async ({ key }: Account, id: string) =>
  (await world.service.call('GET', `/api/v1/channels/${id}`, { key })).body;

/** Walks the setup flow up to the page that asks which asset to connect. */
async function choicePage(account: Account, type: ChannelType, assets: string[]): Promise<[string, Answer]> {
  await allowRedirect(world.service, account.key);
  const { body } = await setupUrl(world.service, account.key, type);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets });
  let location = String(body.setup_url);
  for (;;) {
    const answer = await call('GET', location);
    const next = answer.headers.get('location');
    if (next === null) return [location, answer];
    location = next;
  }
}

async function reconnect(account: Account, type: ChannelType, id: string, assets: string[]): Promise<URL> {
  await allowRedirect(world.service, account.key);
  const body = { channel_type: type, redirect_uri: home, channel_id: id };
  const started = await world.service.call('POST', '/api/v1/channels/setup-url', { key: account.key, body });
  expect(started.status).toBe(200);
  await world.simulator.control('dialog', { auto: 'allow', times: 1, assets });
  return follow(started.body.setup_url, home);
}

describe("several new identities: the service's own page asks the person", () => {
  test('two numbers of one business account: the chosen one is connected, the first is preselected', async () => {
    const account = await newAccount(world.service);
    const { wabaId, phones } = await newBusiness(world.simulator, { phone_numbers: 2 });
    const [location, page] = await choicePage(account, 'chatapp', [wabaId]);
    expect([page.status, page.text.match(/type="radio"/g)?.length]).toEqual([200, 2]);
    expect(page.text.match(/value="([^"]+)" checked/)?.[1]).toBe(phones[0]?.id);
    expect(page.text).not.toContain('<script');
    expect(page.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://app.example.com",
    );
    for (const { display } of phones) expect(page.text).toContain(display);

    const second = phones[1]?.id ?? '';
    const end = new URL((await choose(location, second)).headers.get('location') ?? '');
    const { body } = await exchange(world.service, account.key, codeIn(end));
    expect([end.origin + end.pathname, body.phone_number_id]).toEqual([home, second]);
    expect((await choose(location, second)).status).toBe(410);
    expect((await call('GET', location)).status).toBe(410);
  });

  test("an asset that was not offered, or a form without the page's state, connects nothing", async () => {
    const account = await newAccount(world.service);
    const { pages } = await newBusiness(world.simulator, { pages: 2 });
    const other = await newBusiness(world.simulator);
    const [location] = await choicePage(
      account,
      'pagechat',
      pages.map(({ id }) => id),
    );
    expect((await choose(location, other.pages[0]?.id ?? '')).status).toBe(410);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const forged = await call('POST', location, { raw: `asset=${pages[0]?.id ?? ''}&csrf=x`, headers });
    expect(forged.status).toBe(400);
    expect((await choose(location, pages[1]?.id ?? '')).status).toBe(302);
  });

  test('the page names who asks; a person who declines returns with access_denied, and nothing is connected', async () => {
    const named = await world.service.admin('POST', '/accounts', {
      email: 'asks@example.com',
      name: 'Nine & Sons',
    });
    const { account_id: accountId, api_key_id: apiKeyId, api_key: key } = named.body;
    const account = { accountId, apiKeyId, key, subscriptionId: named.body.subscription_id };
    const { pages } = await newBusiness(world.simulator, { pages: 2 });
    const [location, { text }] = await choicePage(
      account,
      'pagechat',
      pages.map(({ id }) => id),
    );
    expect(text).toContain('Nine &amp; Sons asks for one.');
    // One grant per app and person. [upstream §2.1]
    expect(text).toContain('leave those that are connected selected in the dialog of the platform');
    const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const raw = new URLSearchParams({ csrf, asset: pages[0]?.id ?? '', decline: '1' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const end = new URL((await call('POST', location, { raw, headers })).headers.get('location') ?? '');
    expect([end.origin + end.pathname, end.searchParams.get('error'), end.searchParams.has('code')]).toEqual([
      home,
      'access_denied',
      false,
    ]);
    expect((await world.service.call('GET', '/api/v1/channels', { key })).body.channels).toEqual([]);
    expect((await call('GET', location)).status).toBe(410);
  });

  test('a number that the dialog names is connected without asking', async () => {
    const account = await newAccount(world.service);
    const { phones } = await newBusiness(world.simulator, { phone_numbers: 2 });
    const second = phones[1]?.id ?? '';
    const code = codeIn(await walkSetup(world, account.key, 'chatapp', { assets: [second] }));
    expect((await exchange(world.service, account.key, code)).body.phone_number_id).toBe(second);
  });

  test('no new identity and several inactive channels: the deleted channel that is picked is reactivated', async () => {
    const account = await newAccount(world.service);
    await world.service.admin('POST', `/accounts/${account.accountId}/subscriptions`, {
      tier: 'pro',
      source: 'enterprise',
    });
    const { pages } = await newBusiness(world.simulator, { pages: 2 });
    const ids = pages.map(({ id }) => id);
    const channels = [];
    for (const upstream of ids) channels.push(await world.connect(account, 'pagechat', { upstream }));
    for (const { id } of channels)
      await world.service.call('DELETE', `/api/v1/channels/${id}`, { key: account.key });
    const [location] = await choicePage(account, 'pagechat', ids);
    const end = new URL((await choose(location, ids[1] ?? '')).headers.get('location') ?? '');
    const { body } = await exchange(world.service, account.key, codeIn(end));
    expect(body.channel_id).toBe(channels[1]?.id);
  });
});

describe('setup-url with channel_id reconnects exactly that channel', () => {
  test.each(['chatapp', 'photoapp', 'pagechat'] as const)(
    '%s, active: no free slot needed; id and settings stay, and it sends with the new token',
    async (type) => {
      const account = await newAccount(world.service);
      const { wabaId, pages } = await newBusiness(world.simulator);
      const asset = type === 'chatapp' ? wabaId : (pages[0]?.id ?? '');
      const channel = await world.connect(account, type, { upstream: asset });
      const before = await read(account, channel.id);
      expect((await setupUrl(world.service, account.key, type)).status).toBe(402);
      const code = codeIn(await reconnect(account, type, channel.id, [asset]));
      expect(await read(account, channel.id)).toEqual(before);
      const { body } = await exchange(world.service, account.key, code);
      expect(body.channel_id).toBe(channel.id);
      const isoTime = expect.stringMatching(/^\d{4}-.*Z$/);
      expect(await read(account, channel.id)).toEqual({ ...before, connected_at: isoTime });
    },
  );

  test('granting another identity ends in error=other_identity', async () => {
    const account = await newAccount(world.service);
    const [one, other] = [await newBusiness(world.simulator), await newBusiness(world.simulator)];
    const { id } = await world.connect(account, 'pagechat', { upstream: one.pages[0]?.id ?? '' });
    const end = await reconnect(account, 'pagechat', id, [other.pages[0]?.id ?? '']);
    expect(endParameters(end)).toEqual({
      error: 'other_identity',
      error_description: 'What was selected is not what this channel is connected to; select that one.',
    });
  });

  test('a channel of another account is 404, of another type 422', async () => {
    const [mine, theirs] = [await newAccount(world.service), await newAccount(world.service)];
    const { pages } = await newBusiness(world.simulator);
    const { id } = await world.connect(theirs, 'pagechat', { upstream: pages[0]?.id ?? '' });
    const ask = async ({ key }: Account, channel_type: ChannelType) => {
      await allowRedirect(world.service, key);
      const body = { channel_type, redirect_uri: home, channel_id: id };
      const answer = await world.service.call('POST', '/api/v1/channels/setup-url', { key, body });
      return [answer.status, answer.body];
    };
    expect(await ask(mine, 'pagechat')).toEqual([404, { detail: 'Channel not found' }]);
    const msg = 'Value error, the channel is a pagechat channel';
    expect(await ask(theirs, 'photoapp')).toEqual([
      422,
      { detail: [{ loc: ['body', 'channel_id'], msg, type: 'value_error' }] },
    ]);
  });
});

test('an active channel whose token upstream has refused is reconnected without channel_id, in its own slot', async () => {
  const account = await newAccount(world.service);
  const { pages } = await newBusiness(world.simulator);
  const asset = pages[0]?.id ?? '';
  const { id } = await world.connect(account, 'pagechat', { upstream: asset });
  await world.simulator.control('tokens/revoke', { asset });
  const code = codeIn(await walkSetup(world, account.key, 'pagechat', { assets: [asset] }));
  const { body } = await exchange(world.service, account.key, code);
  expect(body.channel_id).toBe(id);
  expect((await read(account, id)).is_active).toBe(true);
});
