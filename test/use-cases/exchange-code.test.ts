import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../src/domain/accounts/sealed.ts';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { fault, Fault } from '../../src/kernel/faults.ts';
import type { Caller } from '../../src/use-cases/index.ts';
import { assetOf } from './support/outside.ts';
import {
  codeFor,
  connected,
  everything,
  newIdentity,
  newTenant,
  openService,
  refusalOf,
} from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
beforeAll(async () => {
  service = await openService();
});
beforeEach(async () => {
  tenant = await newTenant(service);
});
afterAll(() => service.close());

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
    const calls = Array.from({ length: 50 }, () => service.useCases.exchangeCode(tenant, { code }));
    const outcomes = await Promise.allSettled(calls);
    const refused = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toHaveLength(49);
    for (const reason of refused) expect(reason).toEqual(fault('code_not_valid'));
    expect((await service.useCases.listChannels(tenant, everything)).items).toHaveLength(1);
  });

  test('expires after 5 minutes', async () => {
    const [inTime, late] = [await newCode(tenant), await newCode(await newTenant(service))];
    service.clock.pass(299_999);
    await service.useCases.exchangeCode(tenant, { code: inTime });
    service.clock.pass(1);
    expect(await refusalOf(service.useCases.exchangeCode(tenant, { code: late }))).toEqual(codeNotValid);
  });

  test('is exchanged by any live key of the account that started the flow, and by no other account', async () => {
    const code = await newCode(tenant);
    const { apiKeyId } = await service.useCases.createKey(tenant.accountId);
    const sameAccount = { accountId: tenant.accountId, apiKeyId };
    const stranger = await newTenant(service);
    expect(await refusalOf(service.useCases.exchangeCode(stranger, { code }))).toEqual(codeNotValid);
    expect((await service.useCases.exchangeCode(sameAccount, { code })).channel.isActive).toBe(true);
  });

  test.each(['', 'x', 'zzzz.short', `0.${'a'.repeat(43)}`, 'a'.repeat(1_000_000)])(
    'that is not one of ours is refused like an unknown one (%#)',
    async (code) => {
      expect(await refusalOf(service.useCases.exchangeCode(tenant, { code }))).toEqual(codeNotValid);
    },
  );

  test.each([['expired'], ['canceled']] as const)(
    'whose licence was %s since the dialog answers 402 and stays valid',
    async (status) => {
      const code = await newCode(tenant);
      await service.useCases.updateSubscription(tenant.subscriptionId, { status });
      const detail = `The channel's licence is not active (status: ${status})`;
      expect(await refusalOf(service.useCases.exchangeCode(tenant, { code }))).toEqual({
        status: 402,
        detail,
      });
      expect((await service.useCases.listChannels(tenant, everything)).items).toEqual([]);
      await service.useCases.updateSubscription(tenant.subscriptionId, { status: 'active' });
      expect((await service.useCases.exchangeCode(tenant, { code })).channel.isActive).toBe(true);
    },
  );

  test('that would revive a deleted channel is 402 too when its licence ended', async () => {
    const asset = assetOf('pagechat', newIdentity());
    const { channel } = await service.useCases.exchangeCode(tenant, {
      code: await codeFor(service, tenant, asset),
    });
    await service.useCases.deactivateChannel(tenant, channel.id);
    const code = await codeFor(service, tenant, asset);
    await service.useCases.updateSubscription(tenant.subscriptionId, { status: 'canceled' });
    expect((await refusalOf(service.useCases.exchangeCode(tenant, { code }))).status).toBe(402);
    expect((await service.useCases.readChannel(tenant, channel.id)).channel.isActive).toBe(false);
    await service.useCases.updateSubscription(tenant.subscriptionId, { status: 'active' });
    expect((await service.useCases.exchangeCode(tenant, { code })).channel.id).toBe(channel.id);
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
    const wrong = service.useCases.exchangeCode(tenant, {
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
    expect((await service.useCases.exchangeCode(tenant, { code })).channel.isActive).toBe(true);
  });
});

describe('webhook settings at exchange', () => {
  test('a secret is made and returned when webhook_url is given without one', async () => {
    const code = await newCode(tenant);
    const done = await service.useCases.exchangeCode(tenant, { code, webhookUrl, webhookSecret: null });
    expect(done.webhookSecret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    expect(clearSecretOf(done.channel)).toBe(done.webhookSecret);
    expect(done.channel).toMatchObject({ webhookUrl, webhookEvents: null });
  });

  test('a given secret is the one deliveries are signed with', async () => {
    const code = await newCode(tenant);
    const webhookSecret = 'sixteen-letters!';
    const done = await service.useCases.exchangeCode(tenant, { code, webhookUrl, webhookSecret });
    expect([done.webhookSecret, clearSecretOf(done.channel)]).toEqual([webhookSecret, webhookSecret]);
  });

  test('without a webhook nothing is made, and no event is enabled', async () => {
    const done = await service.useCases.exchangeCode(tenant, { code: await newCode(tenant) });
    expect(done.webhookSecret).toBeNull();
    expect(done.channel).toMatchObject({ webhookUrl: null, webhookSecret: null, webhookEvents: null });
  });
});

describe('the subscription upstream', () => {
  test('is made before the answer, tried three times', async () => {
    service.upstream.failuresLeft = 2;
    const { channel } = await connected(service, tenant, assetOf('pagechat', newIdentity()));
    expect(service.upstream.subscribed.filter((id) => id === channel.id)).toHaveLength(1);
    expect(channel.isActive).toBe(true);
    expect(service.router.reloadsOf(channel.id)).toBe(1);
  });

  test('that fails answers 502, leaves the channel inactive, and the same code gets the same channel later', async () => {
    const code = await newCode(tenant);
    service.upstream.failuresLeft = 3;
    service.upstream.failure = fault('upstream_failed', { why: 'no permission' });
    const failed = service.useCases.exchangeCode(tenant, { code, webhookUrl });
    expect(await refusalOf(failed)).toEqual({
      status: 502,
      detail: 'Upstream platform error: no permission',
    });

    const [listed] = (await service.useCases.listChannels(tenant, everything)).items;
    expect(listed?.channel).toMatchObject({ isActive: false, subscriptionId: tenant.subscriptionId });

    const done = await service.useCases.exchangeCode(tenant, { code, webhookUrl });
    expect(done.channel).toMatchObject({ id: listed?.channel.id, isActive: true });
    expect(clearSecretOf(done.channel)).toBe(done.webhookSecret);
    expect(await refusalOf(service.useCases.exchangeCode(tenant, { code }))).toEqual(codeNotValid);
  });

  test('that fails does not prolong the code', async () => {
    const code = await newCode(tenant);
    service.clock.pass(290_000);
    service.upstream.failuresLeft = 3;
    service.upstream.failure = new Error('reset');
    await expect(service.useCases.exchangeCode(tenant, { code })).rejects.toThrow(Fault);
    service.clock.pass(10_000);
    expect(await refusalOf(service.useCases.exchangeCode(tenant, { code }))).toEqual(codeNotValid);
  });
});
