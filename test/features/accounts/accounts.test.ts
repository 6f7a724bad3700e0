import { describe, expect, test } from '@jest/globals';
import { hashSecret, newId } from '../../../src/kernel/ids.ts';
import { KeyCache } from '../../../src/features/accounts/key-cache.ts';
import { anAccount, aPerson, aSubscription } from '../../stores/conformance/samples.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { newTenant, refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

describe('an account', () => {
  test('is created with a first key and a trial', async () => {
    const created = await service.features.createAccount({
      email: 'A@Example.com',
      name: 'A',
      tier: 'starter',
    });
    expect(created.account).toMatchObject({ email: 'a@example.com', name: 'A' });
    const caller = { accountId: created.account.id, apiKeyId: created.apiKeyId };
    expect(await service.features.authenticate(created.apiKey)).toMatchObject(caller);
    const { items } = await service.features.listSubscriptions(caller, everything);
    expect(items.map(({ subscription }) => subscription)).toEqual([
      {
        id: created.subscriptionId,
        accountId: created.account.id,
        status: 'active',
        source: 'trial',
        tier: 'starter',
        startsAt: service.clock.now(),
        expiresAt: service.clock.now() + 14 * 86_400_000,
        autoRenew: false,
        externalId: null,
        billed: null,
        createdAt: service.clock.now(),
      },
    ]);
  });

  test('e-mail addresses are unique, in any spelling', async () => {
    await service.features.createAccount({ email: 'taken@example.com', name: null, tier: null });
    const again = service.features.createAccount({ email: ' Taken@Example.com', name: null, tier: null });
    expect(await refusalOf(again)).toEqual({
      status: 409,
      detail: 'An account with this e-mail address already exists',
    });
  });

  test('an address that an earlier version stored as typed is taken', async () => {
    const typed = anAccount({ email: 'mia@b\u00fccher.example' });
    await service.stores.accounts.create(typed, null, aSubscription(typed.id));
    const again = service.features.createAccount({
      email: 'mia@xn--bcher-kva.example',
      name: null,
      tier: null,
    });
    expect((await refusalOf(again)).status).toBe(409);
  });

  test("is not created with the address of another account's person", async () => {
    const { people } = service.stores;
    service.stores.people = { ...people, byEmail: async () => aPerson() };
    try {
      const call = service.features.createAccount({ email: 'mia@example.com', name: null, tier: null });
      expect((await refusalOf(call)).status).toBe(409);
    } finally {
      service.stores.people = people;
    }
  });

  test.each([
    '',
    'nobody',
    '@',
    'a@',
    '@b',
    'a b@c',
    'a@b@c',
    'victim@x.test>',
    'a\u0000@b',
    `${'a'.repeat(250)}@b.de`,
  ])('is not created without a valid e-mail address: %j', async (email) => {
    const call = service.features.createAccount({ email, name: null, tier: null });
    expect(await refusalOf(call)).toEqual({
      status: 422,
      detail: [
        {
          loc: ['body', 'email'],
          msg: 'Value error, must be an e-mail address',
          type: 'value_error',
        },
      ],
    });
  });
});

describe('an API key', () => {
  test('is stored only as a hash', async () => {
    const tenant = await newTenant(service);
    expect(service.features.knownCaller(tenant.apiKey)).toBeNull();
    const caller = await service.features.authenticate(tenant.apiKey);
    expect(service.features.knownCaller(tenant.apiKey)).toBe(caller);
    const [stored] = await service.stores.keys.list(tenant.accountId);
    expect(stored?.hash).toBe(hashSecret(tenant.apiKey));
    expect(JSON.stringify(stored)).not.toContain(tenant.apiKey);
  });

  test('of an unknown account is not created', async () => {
    const refusal = await refusalOf(service.features.createKey(newId()));
    expect(refusal).toEqual({ status: 404, detail: 'Account not found' });
  });

  test.each([
    '',
    'mip_live_',
    `mip_live_${'a'.repeat(43)}`,
    `mip_test_${'a'.repeat(43)}`,
    'a'.repeat(10_000),
  ])('that is wrong has no account (%#)', async (key) => {
    expect(await service.features.authenticate(key)).toBeNull();
  });

  test('that is revoked is refused at once, although it was in use; the others work', async () => {
    const tenant = await newTenant(service);
    const second = await service.features.createKey(tenant.accountId);
    await service.features.authenticate(tenant.apiKey);
    await service.features.revokeKey(tenant.apiKeyId);
    expect(await service.features.authenticate(tenant.apiKey)).toBeNull();
    expect(await service.features.authenticate(second.apiKey)).toMatchObject({ apiKeyId: second.apiKeyId });
    expect(service.changes).toContainEqual({ apiKeyId: tenant.apiKeyId });
    const again = await refusalOf(service.features.revokeKey(tenant.apiKeyId));
    expect(again).toEqual({ status: 404, detail: 'API key not found' });
  });

  test('revoked on another node is refused within 5 s, or at once when that node says so', async () => {
    const [first, second] = [await newTenant(service), await newTenant(service)];
    for (const { apiKey, apiKeyId } of [first, second]) {
      await service.features.authenticate(apiKey);
      await service.stores.keys.revoke(apiKeyId, service.clock.now());
      expect(await service.features.authenticate(apiKey)).not.toBeNull();
    }
    service.world.keyCache.invalidate(first.apiKeyId);
    expect(await service.features.authenticate(first.apiKey)).toBeNull();
    service.clock.pass(5_000);
    expect(await service.features.authenticate(second.apiKey)).toBeNull();
  });

  test('a wrong key is looked up once a second; forgetting one key forgets no other', async () => {
    const tenant = await newTenant(service);
    const read: string[] = [];
    const keys = Object.create(service.stores.keys);
    keys.activeByHash = (hash: string) => {
      read.push(hash);
      return service.stores.keys.activeByHash(hash);
    };
    const keyCache = new KeyCache(keys, service.clock);
    const ask = async () => {
      await keyCache.byHash('wrong');
      return read.splice(0);
    };
    expect([await ask(), await ask()]).toEqual([['wrong'], []]);
    service.clock.pass(1_000);
    expect(await ask()).toEqual(['wrong']);
    const caller = await keyCache.byHash(hashSecret(tenant.apiKey));
    keyCache.invalidate('another');
    expect(keyCache.known(hashSecret(tenant.apiKey))).toBe(caller);
    keyCache.invalidate(tenant.apiKeyId);
    expect(keyCache.known(hashSecret(tenant.apiKey))).toBeNull();
  });
});
