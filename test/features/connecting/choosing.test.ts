/** [operator-interface §4: which asset a setup flow connects, reconnecting] Several granted assets, and channels that are reconnected. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { finishChoice } from '../../../src/features/connecting/choose-asset.ts';
import type { World } from '../../../src/features/world.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { PermissionsDeclined } from '../../../src/upstream/connecting-calls.ts';
import type { UpstreamAsset } from '../../../src/upstream/connecting-calls.ts';
import { aSession } from '../../stores/conformance/samples.ts';
import { assetOf } from '../support/outside.ts';
import {
  codeFor,
  connected,
  finishedSetup,
  newIdentity,
  newLicence,
  newTenant,
  openedSetup,
  redirectUri,
  refusalOf,
} from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
  service.told.length = 0;
});

const anAsset = (type: ChannelType = 'chatapp') => assetOf(type, newIdentity());

/** The URL after the dialog in which these were granted. */
async function granted(
  assets: UpstreamAsset[],
  numberId: string | null = null,
  state?: string,
): Promise<URL> {
  const own = state ?? (await openedSetup(service, tenant, assets[0]?.channelType ?? 'chatapp'));
  service.upstream.assets.set(own, assets);
  const target = await service.features.finishSetup({ state: own, code: own, error: null, numberId });
  return new URL(target ?? '');
}

/** The state in the URL of the page that asks which asset to connect. */
async function asked(assets: UpstreamAsset[]): Promise<string> {
  const url = await granted(assets);
  expect(url.origin + url.pathname).toBe('https://trunkline.example/setup/choose');
  return url.searchParams.get('state') ?? '';
}

const chosen = (state: string, identity: string | null) => service.features.finishChoice({ state, identity });
/** Its time passes while it waits. */
const otherNode = (): World => {
  const { clock } = service;
  return { ...service.world, clock: { ...systemClock, now: () => clock.now(), wall: () => clock.wall() } };
};
const codeIn = (target: string | null) => new URL(target ?? '').searchParams.get('code') ?? '';
const channelFrom = async (target: string | null) =>
  (await service.features.exchangeCode(tenant, { code: codeIn(target) })).channel;

describe('of several granted assets', () => {
  test('the page offers those that can be connected, by name and number, and says why others cannot', async () => {
    const [one, other] = [anAsset(), anAsset()];
    const elsewhere = anAsset();
    await connected(service, await newTenant(service), elsewhere);
    service.upstream.unusable = [{ identity: '31', name: null, why: 'no_number' }];
    const state = await asked([one, elsewhere, other]);
    service.upstream.unusable = [];
    const named = (asset: UpstreamAsset) => ({
      identity: asset.identity,
      name: asset.name,
      handle: '+49 170 0000001',
    });
    expect(await service.features.openChoice(state)).toEqual({
      asker: null,
      noun: 'number',
      redirectUri,
      options: [named(one), named(other)],
      leftOut: [{ ...named(elsewhere), why: 'claimed_elsewhere' }],
      unusable: [
        {
          identity: '31',
          name: null,
          handle: null,
          why: 'no_number',
          says: 'it has no number: add and verify a number in WhatsApp Manager',
        },
      ],
      replacesGrants: false,
    });
    expect(service.told.at(-1)).toMatchObject({
      msg: 'setup.finished',
      account: tenant.accountId,
      outcome: 'choice',
    });
  });

  test('hundreds of them are looked up fifty at a time [faults: 208]', async () => {
    const { channels } = service.stores;
    const state = await asked(Array.from({ length: 210 }, () => anAsset()));
    let [inTurn, most, all] = [0, 0, 0];
    const findClaimant: typeof channels.findClaimant = (...asset) => {
      if (inTurn === 0) setImmediate(() => (inTurn = 0));
      [inTurn, all] = [inTurn + 1, all + 1];
      most = Math.max(most, inTurn);
      return channels.findClaimant(...asset);
    };
    service.stores.channels = { ...channels, findClaimant };
    try {
      expect((await service.features.openChoice(state))?.options).toHaveLength(210);
    } finally {
      service.stores.channels = channels;
    }
    expect([all, most]).toEqual([210, 50]);
  });

  test('with 600 unfinished flows and choices of the account no further choice is kept [faults: 232]', async () => {
    const { stores, clock } = service;
    const { accountId } = tenant;
    const [full, fits] = [
      await openedSetup(service, tenant, 'chatapp'),
      await openedSetup(service, tenant, 'chatapp'),
    ];
    for (let n = 0; n < 598; n += 1) {
      await stores.setupSessions.insert(aSession({ accountId, expiresAt: clock.now() + 60_000 }));
    }
    const refused = await granted([anAsset(), anAsset()], null, full);
    expect(refused.searchParams.get('error')).toBe('temporarily_unavailable');
    clock.pass(60_000);
    expect((await granted([anAsset(), anAsset()], null, fits)).pathname).toBe('/setup/choose');
  });

  test('the page names who asks, and photoapp accounts by their username', async () => {
    const created = await service.features.createAccount({ email: `${newId()}@example.com`, name: 'Harbour', tier: null }); // oxfmt-ignore
    tenant = { ...tenant, accountId: created.account.id, apiKeyId: created.apiKeyId };
    await service.features.addRedirect(tenant, redirectUri);
    const [one, other] = [anAsset('photoapp'), anAsset('photoapp')];
    const choice = await service.features.openChoice(await asked([one, other]));
    expect(choice).toMatchObject({
      asker: 'Harbour',
      options: [{ handle: `@user_${one.identity}` }, { handle: `@user_${other.identity}` }],
    });
  });

  test('pages have no username', async () => {
    const choice = await service.features.openChoice(await asked([anAsset('pagechat'), anAsset('pagechat')]));
    expect(choice?.options.map(({ handle }) => handle)).toEqual([null, null]);
  });

  test('inactive channels, and active ones whose token upstream refuses, are offered too', async () => {
    for (let n = 0; n < 3; n += 1) await newLicence(service, tenant);
    const assets = [anAsset(), anAsset(), anAsset(), anAsset()];
    const channels: string[] = [];
    for (const asset of assets) channels.push((await connected(service, tenant, asset)).channel.id);
    const [inactive = '', another = '', broken = ''] = channels;
    for (const id of [inactive, another]) await service.features.deactivateChannel(tenant, id);
    service.upstream.refusedTokens.add(broken);
    const state = await asked(assets);
    service.upstream.tokensAsked.length = 0;
    const choice = await service.features.openChoice(state);
    expect(choice?.options.map(({ identity }) => identity)).toEqual(
      assets.slice(0, 3).map((a) => a.identity),
    );
    expect(choice?.leftOut.map(({ identity, why }) => [identity, why])).toEqual([
      [assets[3]?.identity, 'already_active'],
    ]);
    expect(service.upstream.tokensAsked).toEqual([]);
    expect((await channelFrom(await chosen(state, assets[1]?.identity ?? ''))).id).toBe(another);
  });

  test("upstream is only asked about the tokens of the account's own active channels", async () => {
    await newLicence(service, tenant);
    const [mine, inactive, foreign] = [anAsset(), anAsset(), anAsset()];
    const { channel } = await connected(service, tenant, mine);
    const off = await connected(service, tenant, inactive);
    await connected(service, await newTenant(service), foreign);
    await service.features.deactivateChannel(tenant, off.channel.id);
    service.upstream.tokensAsked.length = 0;
    await granted([mine, inactive, foreign]);
    expect(service.upstream.tokensAsked).toEqual([channel.id]);
  });

  test('the chosen one is connected, once', async () => {
    const [one, other] = [anAsset(), anAsset()];
    const state = await asked([one, other]);
    const target = await chosen(state, other.identity);
    expect(await chosen(state, one.identity)).toBeNull();
    expect(await service.features.openChoice(state)).toBeNull();
    expect((await channelFrom(target)).identity).toBe(other.identity);
  });

  test('the same choice again, as by a double click, gets the same code until it is exchanged, on another node too', async () => {
    const [one, other] = [anAsset(), anAsset()];
    const state = await asked([one, other]);
    const again = () => finishChoice(otherNode(), { state, identity: other.identity });
    const [first, second] = await Promise.all([chosen(state, other.identity), again()]);
    expect(codeIn(first)).not.toBe('');
    expect([second, await again(), await chosen(state, other.identity)]).toEqual([first, first, first]);
    expect(await chosen(state, one.identity)).toBeNull();
    await channelFrom(first);
    expect([await again(), await chosen(state, other.identity)]).toEqual([null, null]);
  });

  test('a choice leads on although the store could not keep where to', async () => {
    const state = await asked([anAsset(), anAsset()]);
    const noteEnding = () => Promise.reject(new StoreUnavailable('down'));
    const setupSessions = { ...service.stores.setupSessions, noteEnding };
    const world = { ...service.world, stores: { ...service.stores, setupSessions } };
    expect(await finishChoice(world, { state, identity: null })).not.toBeNull();
    expect(service.told).toContainEqual(expect.objectContaining({ msg: 'setup.ending-not-kept' }));
  });

  test('the same choice again after a minute, or when redirect_uri is no longer whitelisted, leads nowhere', async () => {
    const [one, other] = [anAsset(), anAsset()];
    const state = await asked([one, other]);
    expect(await chosen(state, null)).not.toBeNull();
    expect(await chosen(state, null)).not.toBeNull();
    service.clock.pass(60_000);
    expect(await chosen(state, null)).toBeNull();
    const later = await asked([one, other]);
    expect(await chosen(later, one.identity)).not.toBeNull();
    const { items } = await service.stores.redirects.list(tenant.apiKeyId, everything);
    for (const { id } of items) await service.features.removeRedirect(tenant, id);
    expect(await chosen(later, one.identity)).toBeNull();
  });

  test('none may be chosen: the client gets access_denied, and the setup URL opens the dialog again', async () => {
    const setup = await openedSetup(service, tenant, 'chatapp');
    const url = await granted([anAsset(), anAsset()], null, setup);
    const target = await chosen(url.searchParams.get('state') ?? '', null);
    expect(Object.fromEntries(new URL(target ?? '').searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'The person chose to connect none.',
    });
    const [sessionId = '', token = ''] = setup.split('.');
    expect(await service.features.openSetup(sessionId, token)).not.toBeNull();
  });

  test('an asset that was not granted cannot be chosen, and the page stays open', async () => {
    const [one, other] = [anAsset(), anAsset()];
    const state = await asked([one, other]);
    expect(await chosen(state, newIdentity())).toBeNull();
    expect(await chosen(state, one.identity)).not.toBeNull();
  });

  test('a person who walks through the dialog again before choosing gets the code, and the choice gets none', async () => {
    const setup = await openedSetup(service, tenant, 'chatapp');
    const [one, other] = [anAsset(), anAsset()];
    const url = await granted([one, other], null, setup);
    const again = await granted([one], null, setup);
    expect(again.searchParams.get('code')).not.toBeNull();
    expect(await chosen(url.searchParams.get('state') ?? '', other.identity)).toBeNull();
  });

  test('the page is valid as long as the setup URL', async () => {
    const state = await asked([anAsset(), anAsset()]);
    service.clock.pass(1_800_000);
    expect(await service.features.openChoice(state)).toBeNull();
    expect(await chosen(state, null)).toBeNull();
  });

  test('one whose slot is taken meanwhile is left out', async () => {
    const [one, other] = [anAsset(), anAsset()];
    const state = await asked([one, other]);
    await connected(service, tenant, anAsset());
    const choice = await service.features.openChoice(state);
    expect([choice?.options, choice?.leftOut.map(({ why }) => why)]).toEqual([
      [],
      ['no_free_slot', 'no_free_slot'],
    ]);
    const target = new URL((await chosen(state, one.identity)) ?? '');
    expect(target.searchParams.get('error')).toBe('no_free_slot');
  });

  test('one that the dialog names is connected without asking; one that was not granted is not', async () => {
    const [one, other] = [anAsset(), anAsset()];
    const named = await granted([one, other], other.identity);
    expect((await channelFrom(named.href)).identity).toBe(other.identity);
    tenant = await newTenant(service);
    const unknown = await granted([anAsset(), anAsset()], newIdentity());
    expect(unknown.pathname).toBe('/setup/choose');
  });

  test('a state of the page is not valid for the callback, nor the other way round', async () => {
    const choice = await asked([anAsset(), anAsset()]);
    const [sessionId = '', token = ''] = choice.split('.');
    expect(await service.features.openSetup(sessionId, token)).toBeNull();
    expect(await service.features.finishSetup({ state: choice, code: 'c', error: null })).toBeNull();
    const dialog = await openedSetup(service, tenant, 'photoapp');
    expect(await service.features.openChoice(dialog)).toBeNull();
    expect(await chosen(dialog, newIdentity())).toBeNull();
  });

  test.each(['', 'x', `${newId()}.${'b'.repeat(43)}`])(
    'an invalid state opens no page: %j',
    async (state) => {
      expect([await service.features.openChoice(state), await chosen(state, null)]).toEqual([null, null]);
    },
  );
});

describe('reconnecting', () => {
  const start = (channelId: string, channelType: ChannelType = 'chatapp') =>
    service.features.startSetup(tenant, { channelType, redirectUri, channelId });

  async function reconnect(channelId: string, assets: UpstreamAsset[]): Promise<Record<string, string>> {
    const { setupUrl, sessionId } = await start(channelId);
    const token = new URL(setupUrl).searchParams.get('token') ?? '';
    return finishedSetup(service, `${sessionId}.${token}`, assets);
  }

  test('an active channel keeps its id, slot and settings, with a new token', async () => {
    const asset = anAsset();
    const { channel } = await connected(service, tenant, asset, { webhookUrl: 'https://app.example.com/in' });
    const { code = '' } = await reconnect(channel.id, [{ ...asset, token: 'a new one' }]);
    const again = await service.features.exchangeCode(tenant, { code });
    // Each token has an end of its own, asked for after the commit.
    const { token, tokenExpiresAt } = again.channel;
    expect(again.channel).toEqual({ ...channel, token, tokenExpiresAt });
    expect(again.channel.token).not.toBe(channel.token);
  });

  test('a channel whose exchange fails upstream stays active, and its code is valid again', async () => {
    const asset = anAsset();
    const { channel } = await connected(service, tenant, asset);
    const { code = '' } = await reconnect(channel.id, [asset]);
    service.upstream.failuresLeft = 3;
    expect((await refusalOf(service.features.exchangeCode(tenant, { code }))).status).toBe(502);
    expect((await service.features.readChannel(tenant, channel.id)).channel.isActive).toBe(true);
    expect((await service.features.exchangeCode(tenant, { code })).channel.id).toBe(channel.id);
  });

  test('connects that identity only', async () => {
    const { channel } = await connected(service, tenant, anAsset());
    expect(await reconnect(channel.id, [anAsset()])).toMatchObject({ error: 'other_identity' });
    expect(await reconnect(channel.id, [])).toMatchObject({ error: 'nothing_picked' });
  });

  test("needs the channel's type, and an identity that it still holds", async () => {
    const { channel } = await connected(service, tenant, anAsset());
    const refusals = async (type: ChannelType) => (await refusalOf(start(channel.id, type))).detail;
    expect(await refusals('pagechat')).toEqual([
      {
        loc: ['body', 'channel_id'],
        msg: 'Value error, the channel is a chatapp channel',
        type: 'value_error',
      },
    ]);
    await service.features.deactivateChannel(tenant, channel.id);
    await service.features.releaseClaim(channel.id);
    expect(await refusals('chatapp')).toEqual([
      {
        loc: ['body', 'channel_id'],
        msg: 'Value error, the ownership of the channel was released; connect it as a new one',
        type: 'value_error',
      },
    ]);
  });

  test('a channel of another account is 404', async () => {
    const { channel } = await connected(service, await newTenant(service), anAsset());
    expect(await refusalOf(start(channel.id))).toEqual({ status: 404, detail: 'Channel not found' });
  });

  test('a channel whose licence has ended needs a free slot', async () => {
    const { channel } = await connected(service, tenant, anAsset());
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    expect((await refusalOf(start(channel.id))).status).toBe(402);
    await newLicence(service, tenant);
    expect((await start(channel.id)).sessionId).toBeDefined();
  });

  test('an active channel whose token upstream refuses is reconnected without being named, and without a free slot', async () => {
    const asset = anAsset();
    const { channel } = await connected(service, tenant, asset);
    service.upstream.refusedTokens.add(channel.id);
    const state = await openedSetup(service, tenant, 'chatapp');
    const target = await granted([asset], null, state);
    expect((await channelFrom(target.href)).id).toBe(channel.id);
  });

  test('a named channel gets no right from the refused token of another', async () => {
    await newLicence(service, tenant);
    const [one, other] = [
      await connected(service, tenant, anAsset()),
      await connected(service, tenant, anAsset()),
    ];
    await service.features.updateSubscription(one.channel.subscriptionId ?? '', { status: 'canceled' });
    service.upstream.refusedTokens.add(other.channel.id);
    expect((await refusalOf(start(one.channel.id))).status).toBe(402);
  });

  test('a refused token or an inactive channel of another type gives no right to a setup', async () => {
    const { channel } = await connected(service, tenant, anAsset());
    const page = await connected(service, tenant, anAsset('pagechat'));
    const photo = await connected(service, tenant, anAsset('photoapp'));
    service.upstream.refusedTokens.add(page.channel.id);
    await service.features.deactivateChannel(tenant, photo.channel.id);
    const call = service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri });
    expect((await refusalOf(call)).status).toBe(402);
    service.upstream.refusedTokens.add(channel.id);
    expect((await service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri })).sessionId).toBeDefined(); // oxfmt-ignore
  });
});

describe('a setup', () => {
  test("from the portal ends at the portal's own page, whatever the redirect patterns", async () => {
    const person = { accountId: tenant.accountId, apiKeyId: newId() };
    const started = await service.features.startOwnSetup(person, 'pagechat', null);
    const state = `${started.sessionId}.${new URL(started.setupUrl).searchParams.get('token')}`;
    service.upstream.assets.set('picked', [anAsset('pagechat')]);
    const target = new URL(
      (await service.features.finishSetup({ state, code: 'picked', error: null })) ?? '',
    );
    expect(target.origin + target.pathname).toBe('https://trunkline.example/portal/connected');
    expect(target.searchParams.get('code')).not.toBeNull();
  });

  test.each(['code', 'error', 'error_description'])('must not have %s in its redirect_uri', async (param) => {
    const call = service.features.startSetup(tenant, {
      channelType: 'chatapp',
      redirectUri: `${redirectUri}?${param}=1`,
    });
    expect(await refusalOf(call)).toEqual({
      status: 400,
      detail: `redirect_uri must not have the parameter ${param} in its query: the setup flow adds it`,
    });
  });

  test('is ended only by its own state, and by an error even if there is a code too', async () => {
    const state = await openedSetup(service, tenant, 'chatapp');
    service.upstream.assets.set('picked', [anAsset()]);
    const finish = (given: string, error: string | null = null) =>
      service.features.finishSetup({ state: given, code: 'picked', error });
    expect([await finish(`0${state}`), await finish(`${state}x`)]).toEqual([null, null]);
    expect(await finish(state, 'server_error')).toContain('error=server_error');
    expect(codeIn(await finish(state))).not.toBe('');
    expect(service.told.at(-1)).toMatchObject({ msg: 'setup.finished', outcome: 'code' });
  });

  test("leads to upstream's dialog, which the page's policy admits", () => {
    expect(service.features.dialogOrigin('chatapp')).toBe('https://dialog.example');
  });

  test('that ended without a code may be repeated', async () => {
    const state = await openedSetup(service, tenant, 'chatapp');
    expect(await finishedSetup(service, state, [])).toMatchObject({ error: 'nothing_picked' });
    expect(await finishedSetup(service, state, [anAsset()])).toEqual({ code: expect.any(String) });
  });

  test('names the permissions that were declined', async () => {
    const state = await openedSetup(service, tenant, 'chatapp');
    expect(await finishedSetup(service, state, new PermissionsDeclined(['read', 'write']))).toEqual({
      error: 'access_denied',
      error_description:
        'These permissions were not allowed in the dialog of the platform: read, write. Start the setup again and allow them.',
    });
    expect(service.told.filter(({ msg }) => msg === 'setup.failed')).toEqual([]);
  });

  test('that fails is logged; so is one that cannot be opened again', async () => {
    const state = await openedSetup(service, tenant, 'chatapp');
    const { setupSessions } = service.stores;
    const away = () => Promise.reject(new StoreUnavailable('away'));
    service.stores.setupSessions = { ...setupSessions, reopen: away };
    service.told.length = 0;
    expect(await finishedSetup(service, state, new Error('a bug'))).toMatchObject({
      error: 'temporarily_unavailable',
    });
    service.stores.setupSessions = setupSessions;
    const [session] = state.split('.');
    expect(service.told).toMatchObject([
      { msg: 'setup.failed', session, error: { message: 'a bug' } },
      { msg: 'setup.not-reopened', session, error: { message: 'away' } },
      { msg: 'setup.finished', session, account: tenant.accountId, outcome: 'temporarily_unavailable' },
    ]);
  });

  test('whose slot is held by an unexchanged code says so', async () => {
    const state = await openedSetup(service, tenant, 'chatapp');
    await codeFor(service, tenant, anAsset());
    expect(await finishedSetup(service, state, [anAsset()])).toEqual({
      error: 'no_free_slot',
      error_description:
        'The free slot is held by a connection whose code is not exchanged yet; exchange it, or start again when it has expired.',
    });
  });

  test('that loses its identity to others repeatedly is asked to try later', async () => {
    const state = await openedSetup(service, tenant, 'chatapp');
    const { channels } = service.stores;
    let tries = 0;
    const reserve: typeof channels.reserve = async () => {
      tries += 1;
      return 'identity_taken';
    };
    service.stores.channels = { ...channels, reserve };
    const target = await finishedSetup(service, state, [anAsset()]);
    service.stores.channels = channels;
    expect(tries).toBe(2);
    expect(target).toMatchObject({ error: 'temporarily_unavailable' });
  });

  test('takes the other free slot if one is held', async () => {
    await newLicence(service, tenant);
    const codes = [await codeFor(service, tenant, anAsset()), await codeFor(service, tenant, anAsset())];
    const slots: (string | null)[] = [];
    for (const code of codes)
      slots.push((await service.features.exchangeCode(tenant, { code })).channel.subscriptionId);
    expect(new Set(slots).size).toBe(2);
  });
});
