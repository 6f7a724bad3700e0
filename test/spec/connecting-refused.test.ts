/** [spec: Connecting a channel; operator-interface §3; faults 79-81] How a setup flow ends without a code. */
import { describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import {
  allowRedirect,
  codeIn,
  endParameters,
  exchange,
  freshCode,
  home,
  newBusiness,
  setupUrl,
  walkSetup,
} from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Account } from '../support/world.ts';

const world = sharedWorld();

const denied = {
  error: 'access_denied',
  error_description: 'The connection was not allowed in the dialog of the platform.',
};
const claimed = {
  error: 'claimed_elsewhere',
  error_description: 'What was selected can not be connected to this account; contact support.',
};
const heldSlot = {
  error: 'no_free_slot',
  error_description:
    'The free slot is held by a connection whose code is not exchanged yet; exchange it, or start again when it has expired.',
};
const types = ['chatapp', 'photoapp', 'pagechat'] as const;

/** A flow that ended without a code holds nothing: the account has all its slots and no channel. */
async function nothingTaken({ key }: Account): Promise<void> {
  const { body } = await world.service.call('GET', '/api/v1/subscriptions', { key });
  const slot = { total: 1, starter: 0, pro: 1 };
  expect(body.available_slots).toEqual({ chatapp: slot, photoapp: slot, pagechat: slot });
  expect((await world.service.call('GET', '/api/v1/channels', { key })).body).toEqual({
    channels: [],
    total: 0,
  });
}

describe('the person returns to redirect_uri with error and error_description', () => {
  test.each(types)('%s: the person refuses in the dialog', async (type) => {
    const account = await newAccount(world.service);
    const end = await walkSetup(world, account.key, type, { auto: 'deny' });
    expect([end.origin + end.pathname, endParameters(end)]).toEqual([home, denied]);
    await nothingTaken(account);
  });

  test.each([
    [
      'chatapp',
      '520000000000005',
      'No business account was shared with this service. Start the setup again and select a business account with a number; add and verify a number in WhatsApp Manager if it has none.',
    ],
    [
      'photoapp',
      '422300000000002',
      'Nothing was selected that can be connected as a channel of this type. Start the setup again and select the page and the photo account that is linked to it.',
    ],
    [
      'pagechat',
      '422300000000002',
      'Nothing was selected that can be connected as a channel of this type. Start the setup again and select the page.',
    ],
  ] as const)(
    '%s: the person grants no asset of this type, and learns what to do',
    async (type, other, says) => {
      const account = await newAccount(world.service);
      const end = await walkSetup(world, account.key, type, { assets: [other] });
      expect(endParameters(end)).toEqual({
        error: 'nothing_picked',
        error_description: says,
      });
      await nothingTaken(account);
    },
  );

  test.each([
    ['photoapp', 'instagram_manage_messages'],
    ['pagechat', 'pages_messaging'],
  ] as const)('%s: a declined permission is named in the error', async (type, decline) => {
    const account = await newAccount(world.service);
    const end = await walkSetup(world, account.key, type, { decline: [decline] });
    expect(endParameters(end)).toEqual({
      error: 'access_denied',
      error_description: `These permissions were not allowed in the dialog of the platform: ${decline}. Start the setup again and allow them.`,
    });
    await nothingTaken(account);
  });

  test("error texts in the callback URL are reflected only if they are the service's own", async () => {
    const account = await newAccount(world.service);
    await allowRedirect(world.service, account.key);
    const { body } = await setupUrl(world.service, account.key, 'pagechat');
    const token = new URL(body.setup_url).searchParams.get('token');
    const callback = `${world.service.url}/setup/callback?state=${body.session_id}.${token}`;
    const answer = await call('GET', `${callback}&error=pwned&error_description=call%20me`);
    expect(endParameters(new URL(answer.headers.get('location') ?? ''))).toEqual(denied);
  });
});

describe('an upstream identity is claimed by one account', () => {
  test('another account cannot claim it, not even after deactivation', async () => {
    const { key, code, business } = await freshCode(world);
    const assets = [business.pages[0]?.id ?? ''];
    const { body } = await exchange(world.service, key, code);
    const other = await newAccount(world.service);
    expect(endParameters(await walkSetup(world, other.key, 'pagechat', { assets }))).toEqual(claimed);
    await world.service.call('DELETE', `/api/v1/channels/${body.channel_id}`, { key });
    expect(endParameters(await walkSetup(world, other.key, 'pagechat', { assets }))).toEqual(claimed);
    await nothingTaken(other);
  });

  test('nor while a flow of the other account has an unexchanged code for it', async () => {
    const { key, code, business } = await freshCode(world);
    const other = await newAccount(world.service);
    const assets = [business.pages[0]?.id ?? ''];
    expect(endParameters(await walkSetup(world, other.key, 'pagechat', { assets }))).toEqual(claimed);
    expect((await exchange(world.service, key, code)).status).toBe(200);
  });

  test('once support releases the ownership, another account gets the identity', async () => {
    const { key, code, business } = await freshCode(world);
    const assets = [business.pages[0]?.id ?? ''];
    const { channel_id: id } = (await exchange(world.service, key, code)).body;
    const active = await world.service.admin('DELETE', `/channels/${id}/claim`);
    expect([active.status, active.body]).toEqual([
      409,
      { detail: 'The channel is active; deactivate it before its claim is released' },
    ]);
    await world.service.call('DELETE', `/api/v1/channels/${id}`, { key });
    const released = await world.service.admin('DELETE', `/channels/${id}/claim`);
    expect([released.status, released.body]).toEqual([200, { success: true }]);
    // The slot is free as well: neither a 402 here nor a licence for an operator to unbind.
    expect((await setupUrl(world.service, key, 'pagechat')).status).toBe(200);
    const other = await newAccount(world.service);
    const taken = await exchange(
      world.service,
      other.key,
      codeIn(await walkSetup(world, other.key, 'pagechat', { assets })),
    );
    expect([taken.status, taken.body.page_id, taken.body.channel_id === id]).toEqual([200, assets[0], false]);
  });

  test('of two accounts that connect it at once, one succeeds and the other gets an error', async () => {
    const { pages } = await newBusiness(world.simulator);
    const accounts = await Promise.all(Array.from({ length: 6 }, () => newAccount(world.service)));
    const assets = [pages[0]?.id ?? ''];
    const ends = await Promise.all(accounts.map(({ key }) => walkSetup(world, key, 'photoapp', { assets })));
    const losers = ends.filter((end) => end.searchParams.get('code') === null);
    expect(losers.map(endParameters)).toEqual(Array.from({ length: 5 }, () => claimed));
  });
});

describe('slots', () => {
  test('an asset that is connected already ends the flow with an error, and its slot stays free', async () => {
    const account = await newAccount(world.service);
    const licence = { tier: 'starter', source: 'enterprise' };
    await world.service.admin('POST', `/accounts/${account.accountId}/subscriptions`, licence);
    const { pages } = await newBusiness(world.simulator);
    await world.connect(account, 'pagechat', { upstream: pages[0]?.id ?? '' });
    const end = await walkSetup(world, account.key, 'pagechat', { assets: [pages[0]?.id ?? ''] });
    expect(endParameters(end)).toEqual({
      error: 'already_active',
      error_description: 'What was selected is connected already.',
    });
    const { body } = await world.service.call('GET', '/api/v1/subscriptions', { key: account.key });
    expect(body.available_slots.pagechat).toEqual({ total: 1, starter: 1, pro: 0 });
  });

  test('an unexchanged code holds its slot, and the refusal says so', async () => {
    const { key, code } = await freshCode(world);
    const { pages } = await newBusiness(world.simulator);
    const end = await walkSetup(world, key, 'pagechat', { assets: [pages[0]?.id ?? ''] });
    expect(endParameters(end)).toEqual(heldSlot);
    expect((await exchange(world.service, key, code)).status).toBe(200);
  });

  test('of ten concurrent flows for the last free slot, one gets a code', async () => {
    const account = await newAccount(world.service);
    await allowRedirect(world.service, account.key);
    const businesses = await Promise.all(Array.from({ length: 10 }, () => newBusiness(world.simulator)));
    const flows = businesses.map(({ pages }) =>
      walkSetup(world, account.key, 'pagechat', { assets: [pages[0]?.id ?? ''] }),
    );
    const ends = (await Promise.all(flows)).map(endParameters);
    expect(ends.filter(({ code }) => code !== undefined).length).toBe(1);
    const refused = ends.filter(({ code }) => code === undefined);
    expect(refused).toEqual(Array.from({ length: 9 }, () => heldSlot));
  });
});
