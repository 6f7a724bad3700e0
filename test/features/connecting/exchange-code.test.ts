import { beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { fault, Fault, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { hashSecret } from '../../../src/kernel/ids.ts';
import type { Caller } from '../../../src/rules/caller.ts';
import type { WebhookPatch } from '../../../src/features/channels/types.ts';
import { exchangeCode } from '../../../src/features/connecting/exchange-code.ts';
import { assetOf } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { withRival } from '../support/rival.ts';
import { codeFor, connected, newIdentity, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
});

const codeNotValid = { status: 400, detail: 'code is unknown, expired or already used' };
const webhookUrl = 'https://hooks.example.com/in';

function newCode(caller: Caller): Promise<string> {
  return codeFor(service, caller, assetOf('pagechat', newIdentity()));
}

function clearSecretOf(channel: Channel): string | null {
  const { id, webhookSecret } = channel;
  return webhookSecret === null
    ? null
    : service.sealer.openText(webhookSecret, sealContext.webhookSecret(id));
}

describe('the code', () => {
  test('is single-use: of 50 exchanges at once exactly one succeeds, the others get the same 400', async () => {
    const code = await newCode(tenant);
    const calls = Array.from({ length: 50 }, () => service.features.exchangeCode(tenant, { code }));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toHaveLength(49);
    for (const reason of refused) expect(reason).toEqual(fault('code_not_valid'));
    expect((await service.features.listChannels(tenant, everything)).items).toHaveLength(1);
  });

  test('expires after 5 minutes', async () => {
    const [inTime, late] = [await newCode(tenant), await newCode(await newTenant(service))];
    service.clock.pass(299_999);
    await service.features.exchangeCode(tenant, { code: inTime });
    service.clock.pass(1);
    expect(await refusalOf(service.features.exchangeCode(tenant, { code: late }))).toEqual(codeNotValid);
  });

  test('is exchanged by any live key of the account that started the flow, and by no other account', async () => {
    const code = await newCode(tenant);
    const { apiKeyId } = await service.features.createKey(tenant.accountId);
    const sameAccount = { accountId: tenant.accountId, apiKeyId };
    const stranger = await newTenant(service);
    expect(await refusalOf(service.features.exchangeCode(stranger, { code }))).toEqual(codeNotValid);
    expect((await service.features.exchangeCode(sameAccount, { code })).channel.isActive).toBe(true);
  });

  test.each(['', 'x', 'zzzz.short', `0.${'a'.repeat(43)}`, 'a'.repeat(1_000_000)])(
    'that is malformed is refused like an unknown one (%#)',
    async (code) => {
      expect(await refusalOf(service.features.exchangeCode(tenant, { code }))).toEqual(codeNotValid);
    },
  );

  test.each([['expired'], ['canceled']] as const)(
    'whose licence was %s since the dialog answers 402 and stays valid',
    async (status) => {
      const code = await newCode(tenant);
      await service.features.updateSubscription(tenant.subscriptionId, { status });
      const detail = `The channel's licence is not active (status: ${status})`;
      expect(await refusalOf(service.features.exchangeCode(tenant, { code }))).toEqual({
        status: 402,
        detail,
      });
      expect((await service.features.listChannels(tenant, everything)).items).toEqual([]);
      await service.features.updateSubscription(tenant.subscriptionId, { status: 'active' });
      expect((await service.features.exchangeCode(tenant, { code })).channel.isActive).toBe(true);
    },
  );

  test('for a deleted channel is 402 too if its licence has ended', async () => {
    const asset = assetOf('pagechat', newIdentity());
    const { channel } = await service.features.exchangeCode(tenant, {
      code: await codeFor(service, tenant, asset),
    });
    await service.features.deactivateChannel(tenant, channel.id);
    const code = await codeFor(service, tenant, asset);
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    expect((await refusalOf(service.features.exchangeCode(tenant, { code }))).status).toBe(402);
    expect((await service.features.readChannel(tenant, channel.id)).channel.isActive).toBe(false);
    await service.features.updateSubscription(tenant.subscriptionId, { status: 'active' });
    expect((await service.features.exchangeCode(tenant, { code })).channel.id).toBe(channel.id);
  });

  test('is stored only as a hash', async () => {
    const code = await newCode(tenant);
    const found = await service.stores.channels.exchange(
      { hash: code, accountId: tenant.accountId },
      service.clock.now(),
      () => ({}),
    );
    expect(found).toBeNull();
  });

  test('survives a request that is refused with 422', async () => {
    const code = await newCode(tenant);
    const wrong = service.features.exchangeCode(tenant, {
      code,
      webhookUrl,
      webhookSecret: '',
      webhookEvents: ['message.received', 'message.sent', 'no.such'],
    });
    const { status, detail } = await refusalOf(wrong);
    expect(status).toBe(422);
    expect(detail).toEqual([
      expect.objectContaining({ loc: ['body', 'webhook_events', 1], type: 'value_error' }),
      expect.objectContaining({ loc: ['body', 'webhook_events', 2], type: 'value_error' }),
      expect.objectContaining({ loc: ['body', 'webhook_secret'], type: 'value_error' }),
    ]);
    expect((await service.features.exchangeCode(tenant, { code })).channel.isActive).toBe(true);
  });
});

describe('webhook settings at exchange', () => {
  test('without a secret, a webhook_url generates one, which is returned', async () => {
    const code = await newCode(tenant);
    const done = await service.features.exchangeCode(tenant, { code, webhookUrl, webhookSecret: null });
    expect(done.webhookSecret).toMatch(/^whsec_[A-Za-z0-9]{44}$/);
    expect(clearSecretOf(done.channel)).toBe(done.webhookSecret);
    expect(done.channel).toMatchObject({ webhookUrl, webhookEvents: null });
  });

  test('a given secret signs the deliveries', async () => {
    const code = await newCode(tenant);
    const webhookSecret = 'sixteen-letters!';
    const done = await service.features.exchangeCode(tenant, { code, webhookUrl, webhookSecret });
    expect([done.webhookSecret, clearSecretOf(done.channel)]).toEqual([webhookSecret, webhookSecret]);
  });

  test('a secret that is too long is refused', async () => {
    const code = await newCode(tenant);
    const exchange = service.features.exchangeCode(tenant, {
      code,
      webhookUrl,
      webhookSecret: 'x'.repeat(10_000),
    });
    expect(await refusalOf(exchange)).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'webhook_secret'] }],
    });
  });

  test('without a webhook_url no secret is generated, and no event is enabled', async () => {
    const done = await service.features.exchangeCode(tenant, { code: await newCode(tenant) });
    expect(done.webhookSecret).toBeNull();
    expect(done.channel).toMatchObject({ webhookUrl: null, webhookSecret: null, webhookEvents: null });
  });
});

describe('the subscription upstream', () => {
  test('is made before the answer, with up to three attempts', async () => {
    service.upstream.failuresLeft = 2;
    const { channel } = await connected(service, tenant, assetOf('pagechat', newIdentity()));
    expect(service.upstream.subscribed.filter((id) => id === channel.id)).toHaveLength(1);
    expect(channel.isActive).toBe(true);
    expect(service.router.reloadsOf(channel.id)).toBe(1);
  });

  test('that fails answers 502 and connects nothing, and the same code gets the channel later [faults: 78, 230]', async () => {
    const code = await newCode(tenant);
    service.upstream.failuresLeft = 3;
    service.upstream.failure = fault('upstream_failed', { why: 'no permission' });
    const failed = service.features.exchangeCode(tenant, { code, webhookUrl });
    expect(await refusalOf(failed)).toEqual({
      status: 502,
      detail: 'Upstream platform error: no permission',
    });

    expect((await service.features.listChannels(tenant, everything)).items).toEqual([]);
    const hash = hashSecret(code);
    const { accountId } = tenant;
    const reserved = await service.stores.channels.reservedBy({ hash, accountId }, service.clock.now());

    const done = await service.features.exchangeCode(tenant, { code, webhookUrl });
    expect(done.channel).toMatchObject({ id: reserved?.id, isActive: true });
    expect(clearSecretOf(done.channel)).toBe(done.webhookSecret);
    expect(await refusalOf(service.features.exchangeCode(tenant, { code }))).toEqual(codeNotValid);
  });

  test("that fails does not extend the code's validity", async () => {
    const code = await newCode(tenant);
    service.clock.pass(290_000);
    service.upstream.failuresLeft = 3;
    service.upstream.failure = new Error('reset');
    await expect(service.features.exchangeCode(tenant, { code })).rejects.toThrow(Fault);
    service.clock.pass(10_000);
    expect(await refusalOf(service.features.exchangeCode(tenant, { code }))).toEqual(codeNotValid);
  });

  test('that fails is tried for a bit more than a second, and logged', async () => {
    const code = await newCode(tenant);
    const since = service.clock.now();
    service.upstream.failuresLeft = 3;
    service.upstream.failure = new Error('reset');
    service.told.length = 0;
    expect(await refusalOf(service.features.exchangeCode({ ...tenant, requestId: 'r-1' }, { code }))).toEqual(
      {
        status: 502,
        detail: 'Upstream platform error: no usable answer',
      },
    );
    expect(service.clock.now() - since).toBe(1_200);
    expect(service.told).toMatchObject([
      { msg: 'exchange.subscribe-failed', request_id: 'r-1', error: { message: 'reset' } },
    ]);
  });

  test('that is in progress is shared by concurrent calls: they fail together, with three attempts in all', async () => {
    const code = await newCode(tenant);
    service.upstream.failuresLeft = 3;
    service.upstream.failure = fault('upstream_failed', { why: 'no permission' });
    const calls = Array.from({ length: 5 }, () => service.features.exchangeCode(tenant, { code }));
    const answers = await Promise.all(calls.map(refusalOf));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
    expect((await service.features.exchangeCode(tenant, { code })).channel.isActive).toBe(true);
  });

  test('that outlasts the code connects the channel, unless its reservation was dropped meanwhile', async () => {
    const [inTime, late] = [await newCode(tenant), await newCode(await newTenant(service))];
    service.clock.pass(299_999);
    service.upstream.failuresLeft = 1;
    const { channel } = await service.features.exchangeCode(tenant, { code: inTime });
    expect(channel.isActive).toBe(true);
    expect(await refusalOf(service.features.exchangeCode(tenant, { code: late }))).toEqual(codeNotValid);
  });

  test('ends again if the code is no more when it is to be used, unless somebody else has the asset', async () => {
    const asset = assetOf('chatapp', newIdentity());
    const code = await codeFor(service, tenant, asset);
    const dropped = service.clock.now() + 300_000;
    const drop = () => service.stores.channels.dropExpiredReservations(dropped);
    const exchange = (given: string, rival: () => Promise<unknown>) =>
      refusalOf(
        exchangeCode(withRival(service.world, ['channels', 'exchange'], rival), tenant, { code: given }),
      );
    const before = service.upstream.unsubscribed.length;
    expect(await exchange(code, drop)).toEqual(codeNotValid);
    expect(service.upstream.unsubscribed).toHaveLength(before + 1);
    const again = await codeFor(service, tenant, asset);
    const other = { ...assetOf('chatapp', newIdentity()), profile: asset.profile };
    const takeOver = async () => {
      await drop();
      await connected(service, await newTenant(service), other);
    };
    expect(await exchange(again, takeOver)).toEqual(codeNotValid);
    expect(service.upstream.unsubscribed).toHaveLength(before + 1);
  });

  test('is not removed by the DELETE of the last channel of its asset that comes before the channel is connected [faults: 231]', async () => {
    const [gone, rival] = [await newTenant(service), await newTenant(service)];
    const asset = assetOf('chatapp', newIdentity());
    const old = await connected(service, gone, asset);
    const other = { ...assetOf('chatapp', newIdentity()), profile: asset.profile };
    const code = await codeFor(service, rival, other);
    const subscribe = service.upstream.subscribe.bind(service.upstream);
    service.upstream.subscribe = async (channel) => {
      await subscribe(channel);
      await service.features.deactivateChannel(gone, old.channel.id);
      await service.jobsDone();
    };
    await service.features.exchangeCode(rival, { code });
    service.upstream.subscribe = subscribe;
    expect(service.upstream.unsubscribed).not.toContain(old.channel.id);
  });
});

describe('a connected channel', () => {
  test('is announced to every node; an owner that cannot read it now is informed later', async () => {
    const code = await newCode(tenant);
    service.router.beforeAnswer = () => Promise.reject(new StoreUnavailable('away'));
    [service.changes.length, service.told.length, service.router.told.length] = [0, 0, 0];
    const { channel } = await service.features.exchangeCode(tenant, { code });
    service.router.beforeAnswer = async () => undefined;
    expect(service.changes).toEqual([{ channelId: channel.id }]);
    expect(service.router.told).toEqual([{ channelId: channel.id, message: { type: 'settings-changed' } }]);
    expect(service.told).toMatchObject([
      { msg: 'channel.reload-not-confirmed', channel: channel.id, error: { message: 'away' } },
    ]);
  });

  test('has its templates read, if its type has templates', async () => {
    const { channel } = await connected(service, tenant, assetOf('chatapp', newIdentity()));
    const page = await connected(service, tenant, assetOf('pagechat', newIdentity()));
    const dueOn = async ({ subscribedAsset }: Channel) =>
      (
        await service.stores.templates.sync({
          accountId: tenant.accountId,
          businessAccountId: subscribedAsset ?? '',
        })
      )?.dueAt ?? null;
    expect([await dueOn(channel), await dueOn(page.channel)]).toEqual([service.clock.now(), null]);
  });

  test('stays connected if the store goes down after that; the log says what is missing', async () => {
    const code = await codeFor(service, tenant, assetOf('chatapp', newIdentity()));
    const { accountWords, templates } = service.stores;
    const away = () => Promise.reject(new StoreUnavailable('away'));
    service.stores.accountWords = { ...accountWords, add: away };
    service.stores.templates = { ...templates, askForSync: away };
    service.told.length = 0;
    const { channel } = await service.features.exchangeCode(tenant, { code });
    Object.assign(service.stores, { accountWords, templates });
    expect(service.told).toMatchObject([
      { msg: 'channel.words-not-kept', channel: channel.id, error: { message: 'away' } },
      { msg: 'exchange.templates-not-asked-for', channel: channel.id, error: { message: 'away' } },
    ]);
  });

  test('that existed keeps its settings, unless a URL is given: then omitted events are none', async () => {
    const asset = assetOf('pagechat', newIdentity());
    const settings = { webhookUrl, webhookEvents: ['message.received'], webhookSecret: 'theirs' };
    const { channel } = await connected(service, tenant, asset, settings);
    const again = async (over: WebhookPatch) => {
      await service.features.deactivateChannel(tenant, channel.id);
      return connected(service, tenant, asset, over);
    };
    const kept = await again({ webhookUrl: null, webhookSecret: null, webhookEvents: null });
    expect([kept.channel.webhookUrl, kept.channel.webhookEvents, clearSecretOf(kept.channel)]).toEqual([
      webhookUrl,
      ['message.received'],
      'theirs',
    ]);
    expect(kept.webhookSecret).toBeNull();
    const anew = await again({ webhookUrl: 'https://hooks.example.com/other' });
    expect(anew.channel).toMatchObject({
      webhookUrl: 'https://hooks.example.com/other',
      webhookEvents: null,
    });
    expect([anew.webhookSecret, clearSecretOf(anew.channel)]).toEqual([
      expect.stringMatching(/^whsec_/),
      anew.webhookSecret,
    ]);
  });
});
