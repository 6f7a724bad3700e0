/** [spec: Channel activity; setup-url] */
import { describe, expect, test } from '@jest/globals';
import { codeIn, exchange, freshCode, newBusiness, walkSetup } from '../support/setup.ts';
import type { Business } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, ChannelType } from '../support/world.ts';

const world = sharedWorld();

const types = ['chatapp', 'photoapp', 'pagechat'] as const;
const read = async (account: Account, id: string) =>
  (await world.service.call('GET', `/api/v1/channels/${id}`, { key: account.key })).body;
const remove = (account: Account, id: string) =>
  world.service.call('DELETE', `/api/v1/channels/${id}`, { key: account.key });
const grant = (account: Account) =>
  world.service.admin('POST', `/accounts/${account.accountId}/subscriptions`, {
    tier: 'pro',
    source: 'enterprise',
  });
const reconnect = async (account: Account, type: ChannelType, assets: string[]) => {
  const code = codeIn(await walkSetup(world, account.key, type, { assets }));
  return (await exchange(world.service, account.key, code)).body.channel_id;
};

function readAssets({ wabaId, pages }: Business, type: ChannelType): string[] {
  return [type === 'chatapp' ? wabaId : (pages[0]?.id ?? '')];
}

/** The id of the upstream object that has the webhook subscription. */
async function subscribedUpstream({ wabaId }: Business): Promise<{ waba: boolean; pages: boolean[] }> {
  const { businesses } = await world.simulator.control('world');
  const found = businesses.find(({ waba_id }: { waba_id: string }) => waba_id === wabaId);
  const pages = found.pages.map((page: { subscribed_fields: unknown }) => page.subscribed_fields !== null);
  return { waba: found.waba_subscribed, pages };
}

describe('a setup flow with the identity of an inactive channel', () => {
  test.each(types)('%s: the same channel_id is active again, with its settings', async (type) => {
    const account = await newAccount(world.service);
    const business = await newBusiness(world.simulator);
    const assets = readAssets(business, type);
    const { id } = await world.connect(account, type, { upstream: assets[0] ?? '' });
    const before = await read(account, id);
    await remove(account, id);
    expect(await reconnect(account, type, assets)).toBe(id);
    const isoTime = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await read(account, id)).toEqual({ ...before, connected_at: isoTime });
    const { waba, pages } = await subscribedUpstream(business);
    expect(type === 'chatapp' ? waba : pages[0]).toBe(true);
  });

  test('an unfinished flow changes nothing of the inactive channel', async () => {
    const account = await newAccount(world.service);
    const business = await newBusiness(world.simulator);
    const assets = readAssets(business, 'pagechat');
    const { id } = await world.connect(account, 'pagechat', { upstream: assets[0] ?? '' });
    await remove(account, id);
    const before = await read(account, id);
    codeIn(await walkSetup(world, account.key, 'pagechat', { assets }));
    expect(await read(account, id)).toEqual(before);
  });

  test('requires an operable reserved slot, else 402', async () => {
    const account = await newAccount(world.service);
    const other = (await grant(account)).body.id;
    const business = await newBusiness(world.simulator);
    const assets = readAssets(business, 'pagechat');
    const { id } = await world.connect(account, 'pagechat', { upstream: assets[0] ?? '' });
    const second = await newBusiness(world.simulator);
    const { id: secondId } = await world.connect(account, 'pagechat', {
      upstream: second.pages[0]?.id ?? '',
    });
    await remove(account, id);
    await remove(account, secondId); // an active one would move to the new licence at once
    for (const licence of [other, account.subscriptionId])
      await world.service.admin('PATCH', `/subscriptions/${licence}`, { status: 'expired' });
    const answer = await walkSetup(world, account.key, 'pagechat', { assets }).catch((error: Error) => error);
    expect(String(answer)).toContain('setup-url answered 402');
    // With a new licence the same identity is reconnected, in the new slot.
    const fresh = (await grant(account)).body.id;
    expect(await reconnect(account, 'pagechat', assets)).toBe(id);
    const { body } = await world.service.call('GET', '/api/v1/subscriptions', { key: account.key });
    const holder = body.subscriptions.find((one: { id: string }) => one.id === fresh);
    expect(holder.assigned_channels.pagechat.channel_id).toBe(id);
  });

  test('a new identity is preferred if both are granted', async () => {
    const account = await newAccount(world.service);
    await grant(account);
    const { pages } = await newBusiness(world.simulator, { pages: 2 });
    const assets = pages.map(({ id }) => id);
    const first = await world.connect(account, 'pagechat', { upstream: assets[0] ?? '' });
    await remove(account, first.id);
    const fresh = await reconnect(account, 'pagechat', assets);
    expect(fresh).not.toBe(first.id);
    expect([(await read(account, fresh)).page_id, (await read(account, first.id)).is_active]).toEqual([
      assets[1],
      false,
    ]);
  });

  test('without a free slot for the new identity, the inactive channel is reactivated', async () => {
    const account = await newAccount(world.service);
    const { pages } = await newBusiness(world.simulator, { pages: 2 });
    const assets = pages.map(({ id }) => id);
    const { id } = await world.connect(account, 'pagechat', { upstream: assets[1] ?? '' });
    await remove(account, id);
    expect(await reconnect(account, 'pagechat', assets)).toBe(id);
  });

  test('a channel whose ownership was released is not reconnected: a new channel is made', async () => {
    const account = await newAccount(world.service);
    const business = await newBusiness(world.simulator);
    const assets = readAssets(business, 'pagechat');
    const { id } = await world.connect(account, 'pagechat', { upstream: assets[0] ?? '' });
    await remove(account, id);
    await world.service.admin('DELETE', `/channels/${id}/claim`);
    // Releasing the ownership has freed the slot too.
    const fresh = await reconnect(account, 'pagechat', assets);
    expect([fresh === id, (await read(account, fresh)).page_id]).toEqual([false, assets[0]]);
  });
});

describe("upstream's webhook subscription is removed only with the last active channel on it", () => {
  test('two numbers of one business account', async () => {
    const account = await newAccount(world.service);
    await grant(account);
    const business = await newBusiness(world.simulator, { phone_numbers: 2 });
    const first = await world.connect(account, 'chatapp', { upstream: business.wabaId });
    const second = await world.connect(account, 'chatapp', { upstream: business.wabaId });
    const numbers = [
      (await read(account, first.id)).phone_number_id,
      (await read(account, second.id)).phone_number_id,
    ];
    expect(new Set(numbers)).toEqual(new Set(business.phones.map(({ id }) => id)));
    await remove(account, first.id);
    expect((await subscribedUpstream(business)).waba).toBe(true);
    await remove(account, second.id);
    await until('no subscription', async () => !(await subscribedUpstream(business)).waba);
  });

  test('a page and its photoapp account, of two accounts', async () => {
    const [one, other] = [await newAccount(world.service), await newAccount(world.service)];
    const business = await newBusiness(world.simulator, { pages: 2 });
    const assets = readAssets(business, 'pagechat');
    const page = await world.connect(one, 'pagechat', { upstream: assets[0] ?? '' });
    const photo = await world.connect(other, 'photoapp', { upstream: assets[0] ?? '' });
    expect((await subscribedUpstream(business)).pages).toEqual([true, false]);
    await remove(one, page.id);
    expect((await subscribedUpstream(business)).pages).toEqual([true, false]);
    await remove(other, photo.id);
    await until('no subscription', async () => !(await subscribedUpstream(business)).pages.includes(true));
  });

  test('a channel that is deleted while its exchange still subscribes leaves no subscription behind', async () => {
    const { key, code, business } = await freshCode(world);
    const match = { path: 'subscribed_apps', method: 'POST' };
    await world.simulator.control('faults', { match, act: 'ok', delay_ms: 400 });
    const exchanging = exchange(world.service, key, code);
    const id = await until('the channel to be listed', async () => {
      const { body } = await world.service.call('GET', '/api/v1/channels', { key });
      return body.channels[0]?.id;
    });
    expect((await world.service.call('DELETE', `/api/v1/channels/${id}`, { key })).status).toBe(200);
    expect((await exchanging).body.channel_id).toBe(id);
    expect((await world.service.call('GET', `/api/v1/channels/${id}`, { key })).body.is_active).toBe(false);
    await until('no subscription', async () => !(await subscribedUpstream(business)).pages.includes(true));
  });

  test('a dead access token does not prevent deactivation', async () => {
    const account = await newAccount(world.service);
    const business = await newBusiness(world.simulator);
    const assets = readAssets(business, 'pagechat');
    const { id } = await world.connect(account, 'pagechat', { upstream: assets[0] ?? '' });
    await world.simulator.control('tokens/revoke', { asset: assets[0] });
    expect((await remove(account, id)).body).toEqual({ success: true });
    expect((await read(account, id)).is_active).toBe(false);
  });
});
