import { describe, expect, test } from '@jest/globals';
import { fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { hashSecret } from '../../../src/kernel/ids.ts';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { assetOf } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import {
  codeFor,
  connected,
  connectedChannel,
  finishedSetup,
  newIdentity,
  newLicence,
  newTenant,
  openedSetup,
  redirectUri,
  refusalOf,
} from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

const noFreeSlot = {
  status: 402,
  detail: expect.stringMatching(/^No free chatapp slot: /),
};
const notAllowed = {
  status: 400,
  detail:
    'redirect_uri does not match a redirect pattern of this API key; a pattern belongs to one key: add it for this key in the portal, or by this key if it has the scope admin',
};
const codeNotValid = { status: 400, detail: 'code is unknown, expired or already used' };

describe('setup-url', () => {
  test('the setup URL points to the session, carries a token that is stored only as a hash, and expires', async () => {
    const tenant = await newTenant(service);
    const started = await service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri });

    const url = new URL(started.setupUrl);
    const token = url.searchParams.get('token') ?? '';
    expect(url.origin + url.pathname).toBe(`https://trunkline.example/setup/${started.sessionId}`);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(started.expiresAt).toBe(service.clock.now() + 1_800_000);
    const stored = await service.stores.setupSessions.open(
      started.sessionId,
      hashSecret(token),
      service.clock.now(),
    );
    expect(stored?.tokenHash).toBe(hashSecret(token));
  });

  test('an account has at most 300 unfinished flows: then 429 until the first expires [faults: 232]', async () => {
    const [tenant, other] = [await newTenant(service), await newTenant(service)];
    const start = (caller: Tenant) =>
      service.features.startSetup(caller, { channelType: 'chatapp', redirectUri });
    await start(tenant);
    service.clock.pass(60_000);
    for (let n = 1; n < 300; n += 1) await start(tenant);
    await expect(start(tenant)).rejects.toMatchObject({
      status: 429,
      message:
        'The account has 300 setup URLs that nobody has finished: use those, or start again after the time in Retry-After',
      retryAfterSeconds: 1_740,
    });
    await start(other);
    service.clock.pass(1_740_000);
    await start(tenant);
    await expect(start(tenant)).rejects.toMatchObject({ status: 429, retryAfterSeconds: 60 });
  });

  test('a redirect_uri without a matching pattern is refused', async () => {
    const tenant = await newTenant(service);
    const uri = 'https://app.example.org/connected';
    const call = service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri: uri });
    expect(await refusalOf(call)).toEqual(notAllowed);
  });

  test.each([
    ['http://app.example.com/connected', 'it must be an HTTPS URL'],
    ['https://app.example.com/#/connected', 'it has a fragment'],
    ['javascript:alert(1)', 'it must be an HTTPS URL'],
    ['not a URL', 'it must not have spaces, control characters or backslashes'],
  ])(
    '[faults: 571] a redirect_uri that no pattern can allow is refused with the reason: %s',
    async (uri, why) => {
      const tenant = await newTenant(service);
      const call = service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri: uri });
      expect(await refusalOf(call)).toEqual({
        status: 400,
        detail: `redirect_uri cannot be used: ${why}`,
      });
    },
  );

  test('a type whose dialog the operator has not configured is refused, in the portal too', async () => {
    const tenant = await newTenant(service);
    service.upstream.unconfigured.add('chatapp');
    const refused = {
      status: 400,
      detail:
        'No chatapp channel can be connected here: the operator of this service has not set UPSTREAM_SIGNUP_CONFIG_ID',
    };
    const request = { channelType: 'chatapp', redirectUri } as const;
    expect(await refusalOf(service.features.startSetup(tenant, request))).toEqual(refused);
    expect(await refusalOf(service.features.startOwnSetup(tenant, 'chatapp', null))).toEqual(refused);
    service.upstream.unconfigured.clear();
  });

  test('the redirect whitelist is per API key, not per account', async () => {
    const tenant = await newTenant(service);
    const { apiKeyId } = await service.features.createKey(tenant.accountId);
    const otherKey = { accountId: tenant.accountId, apiKeyId };
    const call = service.features.startSetup(otherKey, { channelType: 'chatapp', redirectUri });
    expect(await refusalOf(call)).toEqual(notAllowed);
  });

  test('without a free slot and without an inactive channel the call is refused', async () => {
    const tenant = await newTenant(service);
    await connectedChannel(service, tenant, 'chatapp');
    const call = service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri });
    expect(await refusalOf(call)).toEqual(noFreeSlot);
  });

  test('an inactive channel with an operable reserved slot can be reconnected', async () => {
    const tenant = await newTenant(service);
    const channel = await connectedChannel(service, tenant, 'chatapp');
    await service.features.deactivateChannel(tenant, channel.id);
    const started = await service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri });
    expect(started.sessionId).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('an inactive channel whose licence has ended gives no right to a setup', async () => {
    const tenant = await newTenant(service);
    const channel = await connectedChannel(service, tenant, 'chatapp');
    await service.features.deactivateChannel(tenant, channel.id);
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    const call = service.features.startSetup(tenant, { channelType: 'chatapp', redirectUri });
    expect(await refusalOf(call)).toEqual(noFreeSlot);
  });
});

describe('the setup page', () => {
  test('opens the dialog with our callback and a state, any number of times', async () => {
    const tenant = await newTenant(service);
    const started = await service.features.startSetup(tenant, { channelType: 'photoapp', redirectUri });
    const token = new URL(started.setupUrl).searchParams.get('token') ?? '';
    const dialogs = [
      await service.features.openSetup(started.sessionId, token),
      await service.features.openSetup(started.sessionId, token),
    ];
    const expected = service.upstream.dialogUrl({
      channelType: 'photoapp',
      redirectUri: 'https://trunkline.example/setup/callback',
      state: `${started.sessionId}.${token}`,
    });
    expect(dialogs).toEqual([expected, expected]);
  });

  test('an unknown session, a wrong token and an expired setup URL open nothing', async () => {
    const tenant = await newTenant(service);
    const started = await service.features.startSetup(tenant, { channelType: 'photoapp', redirectUri });
    const token = new URL(started.setupUrl).searchParams.get('token') ?? '';
    const openSetup = (id: string, secret: string) => service.features.openSetup(id, secret);
    expect(await openSetup(started.sessionId, 'x'.repeat(43))).toBeNull();
    expect(await openSetup('00000000-0000-4000-8000-000000000000', token)).toBeNull();
    expect(await openSetup(started.sessionId, `${token}x`)).toBeNull();
    service.clock.pass(1_800_000);
    expect(await openSetup(started.sessionId, token)).toBeNull();
  });
});

describe('the callback', () => {
  test("ends with a one-time code at the redirect_uri, and the asset's token is encrypted at rest", async () => {
    const tenant = await newTenant(service);
    const identity = newIdentity();
    const { channel } = await connected(service, tenant, assetOf('chatapp', identity));
    expect(channel).toMatchObject({
      identity,
      profile: { phoneNumberId: identity },
      isActive: true,
      accountId: tenant.accountId,
    });
    expect(channel.token).not.toContain(`token-of-${identity}`);
    if (channel.token === null) throw new Error('no token');
    expect(service.sealer.openText(channel.token, sealContext.token(channel.id))).toBe(
      `token-of-${identity}`,
    );
  });

  test.each(['', 'x', `${'a'.repeat(36)}.${'b'.repeat(43)}`, 'a'.repeat(1_000_000)])(
    'an invalid state leads nowhere (%#)',
    async (state) => {
      const before = service.upstream.codes.length;
      expect(await service.features.finishSetup({ state, code: 'c', error: null })).toBeNull();
      expect(service.upstream.codes).toHaveLength(before);
    },
  );

  test('a state works once, for exactly one of many callbacks', async () => {
    const tenant = await newTenant(service);
    const state = await openedSetup(service, tenant, 'chatapp');
    service.upstream.assets.set('picked', [assetOf('chatapp', newIdentity())]);
    const callbacks = Array.from({ length: 20 }, () =>
      service.features.finishSetup({ state, code: 'picked', error: null }),
    );
    const targets = await Promise.all(callbacks);
    expect(targets.filter((target) => target !== null)).toHaveLength(1);
    expect(await service.features.finishSetup({ state, code: 'picked', error: null })).toBeNull();
  });

  test('ten codes of one flow are tried at once, then one a minute', async () => {
    const tenant = await newTenant(service);
    const state = await openedSetup(service, tenant, 'chatapp');
    const before = service.upstream.codes.length;
    const tried = () => service.upstream.codes.length - before;
    const unknown = fault('upstream_failed', { why: 'unknown code' });
    for (let made = 0; made < 10; made += 1)
      expect(await finishedSetup(service, state, unknown)).toMatchObject({ error: 'upstream_failed' });
    const asset = assetOf('chatapp', newIdentity());
    expect(await finishedSetup(service, state, [asset])).toMatchObject({ error: 'temporarily_unavailable' });
    expect(tried()).toBe(10);
    service.clock.pass(60_000);
    expect(await finishedSetup(service, state, [asset])).toEqual({ code: expect.any(String) });
  });

  test('a hundred codes of one account are tried at once, then two a second; other accounts do not wait', async () => {
    const [tenant, other] = [await newTenant(service), await newTenant(service)];
    for (let made = 0; made < 100; made += 1)
      expect(await finishedSetup(service, await openedSetup(service, tenant, 'chatapp'), [])).toMatchObject({
        error: 'nothing_picked',
      });
    const state = await openedSetup(service, tenant, 'chatapp');
    expect(await finishedSetup(service, state, [])).toMatchObject({ error: 'temporarily_unavailable' });
    await codeFor(service, other, assetOf('chatapp', newIdentity()));
    service.clock.pass(500);
    expect(await finishedSetup(service, state, [])).toMatchObject({ error: 'nothing_picked' });
  });

  test.each([
    ['access_denied', 'access_denied'],
    ['invalid_request', 'invalid_request'],
    ['unauthorized_client', 'unauthorized_client'],
    ['unsupported_response_type', 'unsupported_response_type'],
    ['invalid_scope', 'invalid_scope'],
    ['server_error', 'server_error'],
    ['temporarily_unavailable', 'temporarily_unavailable'],
    ['no_free_slot', 'access_denied'],
    ['<script>alert(1)</script>', 'access_denied'],
    [null, 'access_denied'],
  ])('a dialog that ends with error %s gives the client %s and our own sentence', async (error, expected) => {
    const tenant = await newTenant(service);
    const state = await openedSetup(service, tenant, 'chatapp');
    const target = new URL((await service.features.finishSetup({ state, code: null, error })) ?? '');
    expect(target.searchParams.get('error')).toBe(expected);
    expect(target.searchParams.get('error_description')).toMatch(/^[A-Z][A-Za-z ;,.]+\.$/);
    expect(target.href).not.toContain('alert');
  });

  // What others were redirected with: the app in development, its login switched off, an address that is not listed.
  test.each([
    [1_349_126, 'unauthorized_client'],
    [1_349_220, 'unauthorized_client'],
    [1_349_168, 'unauthorized_client'],
    [2, 'temporarily_unavailable'],
    [4_201, 'access_denied'],
  ])('a dialog that refused to open with %i gives the client %s', async (errorCode, expected) => {
    const tenant = await newTenant(service);
    const state = await openedSetup(service, tenant, 'chatapp');
    const ended = { state, code: null, error: null, errorCode };
    const target = new URL((await service.features.finishSetup(ended)) ?? '');
    expect(target.searchParams.get('error')).toBe(expected);
  });

  test.each([
    [fault('upstream_failed', { why: 'secret of theirs' }), 'upstream_failed'],
    [fault('upstream_busy', { why: 'secret of theirs' }), 'temporarily_unavailable'],
    [new StoreUnavailable('down'), 'temporarily_unavailable'],
  ])(
    'a failure after the dialog redirects the person back with an error and no details: %s',
    async (failure, expected) => {
      const tenant = await newTenant(service);
      const state = await openedSetup(service, tenant, 'chatapp');
      const params = await finishedSetup(service, state, failure);
      expect(params['error']).toBe(expected);
      expect(JSON.stringify(params)).not.toContain('secret');
    },
  );

  test('granting nothing, or nothing of the requested type, is refused', async () => {
    const tenant = await newTenant(service);
    const none = await finishedSetup(service, await openedSetup(service, tenant, 'chatapp'), []);
    expect(none['error']).toBe('nothing_picked');
    const state = await openedSetup(service, tenant, 'chatapp');
    const other = await finishedSetup(service, state, [assetOf('pagechat', newIdentity())]);
    expect(other['error']).toBe('nothing_picked');
  });

  test('granting nothing that can be used is refused with what to do about it, without words of upstream', async () => {
    const tenant = await newTenant(service);
    const state = await openedSetup(service, tenant, 'chatapp');
    service.upstream.unusable = [
      { identity: '31', name: '<b>', why: 'no_number' },
      { identity: '<i>', name: null, why: 'unreadable' },
    ];
    const params = await finishedSetup(service, state, []);
    service.upstream.unusable = [];
    expect(params).toEqual({
      error: 'nothing_picked',
      error_description:
        'Nothing that was selected can be connected. ' +
        '31: it has no number: add and verify a number in WhatsApp Manager. ' +
        'One: the platform does not show it to this service: ask somebody with full control of it to connect it. ' +
        'Then start the setup again.',
    });
  });

  test('an identity of another account is refused without naming it, also after its deactivation', async () => {
    const [owner, other] = [await newTenant(service), await newTenant(service)];
    const asset = assetOf('chatapp', newIdentity());
    const { channel } = await connected(service, owner, asset);
    await service.features.deactivateChannel(owner, channel.id);
    const params = await finishedSetup(service, await openedSetup(service, other, 'chatapp'), [asset]);
    expect(params).toEqual({
      error: 'claimed_elsewhere',
      error_description: 'What was selected can not be connected to this account; contact support.',
    });
  });

  test('the last free slot that was taken while the dialog was open is refused', async () => {
    const tenant = await newTenant(service);
    const state = await openedSetup(service, tenant, 'chatapp');
    await connectedChannel(service, tenant, 'chatapp');
    const params = await finishedSetup(service, state, [assetOf('chatapp', newIdentity())]);
    expect(params).toEqual({
      error: 'no_free_slot',
      error_description: 'No active licence has a free slot for a channel of this type.',
    });
  });

  test('an identity that is connected already is refused', async () => {
    const tenant = await newTenant(service);
    await newLicence(service, tenant);
    const asset = assetOf('chatapp', newIdentity());
    await connected(service, tenant, asset);
    const params = await finishedSetup(service, await openedSetup(service, tenant, 'chatapp'), [asset]);
    expect(params['error']).toBe('already_active');
  });

  test('setup with the identity of an inactive channel makes it active with the same channel_id', async () => {
    const tenant = await newTenant(service);
    const asset = assetOf('chatapp', newIdentity());
    const first = await connected(service, tenant, asset, {
      webhookUrl: 'https://hooks.example.com/a',
      webhookEvents: ['message.received'],
    });
    await service.features.deactivateChannel(tenant, first.channel.id);
    const again = await connected(service, tenant, asset);
    expect(again.channel).toMatchObject({
      id: first.channel.id,
      isActive: true,
      subscriptionId: tenant.subscriptionId,
      webhookUrl: 'https://hooks.example.com/a',
      webhookEvents: ['message.received'],
    });
  });

  test('a new eligible identity is preferred over an inactive one', async () => {
    const tenant = await newTenant(service);
    await newLicence(service, tenant);
    const known = assetOf('chatapp', newIdentity());
    const { channel } = await connected(service, tenant, known);
    await service.features.deactivateChannel(tenant, channel.id);
    const fresh = assetOf('chatapp', newIdentity());
    const { code } = await finishedSetup(service, await openedSetup(service, tenant, 'chatapp'), [
      known,
      fresh,
    ]);
    const exchanged = await service.features.exchangeCode(tenant, { code: code ?? '' });
    expect(exchanged.channel.identity).toBe(fresh.identity);
  });

  test('a channel whose licence has ended is reactivated in a free slot of another licence', async () => {
    const tenant = await newTenant(service);
    const asset = assetOf('chatapp', newIdentity());
    const { channel } = await connected(service, tenant, asset);
    await service.features.deactivateChannel(tenant, channel.id);
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'expired' });
    const bought = await newLicence(service, tenant);
    const again = await connected(service, tenant, asset);
    expect(again.channel).toMatchObject({ id: channel.id, subscriptionId: bought });
  });

  test('an unexchanged flow releases identity and slot when its code expires', async () => {
    const [first, second] = [await newTenant(service), await newTenant(service)];
    const asset = assetOf('chatapp', newIdentity());
    await codeFor(service, first, asset);
    const state = await openedSetup(service, second, 'chatapp');
    service.clock.pass(300_001);
    const params = await finishedSetup(service, state, [asset]);
    expect(params['code']).toBeDefined();
  });

  test('a second flow for the same identity replaces the code of the first', async () => {
    const tenant = await newTenant(service);
    const asset = assetOf('chatapp', newIdentity());
    const older = await codeFor(service, tenant, asset);
    const newer = await codeFor(service, tenant, asset);
    expect(await refusalOf(service.features.exchangeCode(tenant, { code: older }))).toEqual(codeNotValid);
    const { channel } = await service.features.exchangeCode(tenant, { code: newer });
    expect(channel.identity).toBe(asset.identity);
  });

  test('a reserved channel does not exist for clients until its code is exchanged', async () => {
    const tenant = await newTenant(service);
    await codeFor(service, tenant, assetOf('chatapp', newIdentity()));
    expect(await service.features.listChannels(tenant, everything)).toEqual({ items: [], nextCursor: null });
  });
});

describe.each<[string, (features: Service['features'], tenant: Tenant) => Promise<void>]>([
  [
    'was taken off the whitelist',
    async (features, tenant) => {
      const { items } = await features.listRedirects(tenant, everything);
      for (const { id } of items) await features.removeRedirect(tenant, id);
    },
  ],
  ['had a key that is revoked', (features, tenant) => features.revokeKey(tenant.apiKeyId)],
])('to an address that %s meanwhile [faults: 191]', (_what, close) => {
  let tenant: Tenant;
  const closed = () => close(service.features, tenant);
  async function started() {
    tenant = await newTenant(service);
    const { setupUrl, sessionId } = await service.features.startSetup(tenant, {
      channelType: 'chatapp',
      redirectUri,
    });
    const token = new URL(setupUrl).searchParams.get('token') ?? '';
    return { sessionId, token, state: `${sessionId}.${token}` };
  }

  test('the setup URL opens no dialog', async () => {
    const { sessionId, token } = await started();
    await closed();
    expect(await service.features.openSetup(sessionId, token)).toBeNull();
  });

  test.each([
    { code: 'picked', error: null },
    { code: null, error: 'access_denied' },
  ])('the callback redirects nobody and makes no upstream call: %j', async (ended) => {
    const { state } = await started();
    service.upstream.assets.set('picked', [assetOf('chatapp', newIdentity())]);
    await closed();
    const before = service.upstream.codes.length;
    expect(await service.features.finishSetup({ state, ...ended })).toBeNull();
    expect(service.upstream.codes).toHaveLength(before);
  });

  test('a person in the last step of the dialog is not redirected', async () => {
    const { state } = await started();
    service.upstream.assets.set('picked', [assetOf('chatapp', newIdentity())]);
    service.upstream.beforeAssets = closed;
    try {
      expect(await service.features.finishSetup({ state, code: 'picked', error: null })).toBeNull();
    } finally {
      service.upstream.beforeAssets = async () => undefined;
    }
  });

  test('a person at the choice of assets is not redirected', async () => {
    const { state } = await started();
    const asset = assetOf('chatapp', newIdentity());
    service.upstream.assets.set('picked', [asset, assetOf('chatapp', newIdentity())]);
    const page = await service.features.finishSetup({ state, code: 'picked', error: null });
    const choice = new URL(page ?? '').searchParams.get('state') ?? '';
    await closed();
    expect(await service.features.openChoice(choice)).toBeNull();
    for (const identity of [asset.identity, null])
      expect(await service.features.finishChoice({ state: choice, identity })).toBeNull();
  });
});

test('a person who connects a channel in the portal returns to the portal, whatever the account’s keys and redirects', async () => {
  const tenant = await newTenant(service);
  const person = { accountId: tenant.accountId, apiKeyId: 'portal' };
  const { setupUrl, sessionId } = await service.features.startOwnSetup(person, 'chatapp', null);
  const state = `${sessionId}.${new URL(setupUrl).searchParams.get('token')}`;
  service.upstream.assets.set('own', [assetOf('chatapp', newIdentity())]);
  await service.features.revokeKey(tenant.apiKeyId);
  const target = new URL((await service.features.finishSetup({ state, code: 'own', error: null })) ?? '');
  expect(target.origin + target.pathname).toBe('https://trunkline.example/portal/connected');
});
