import { describe, expect, test } from '@jest/globals';
import { everything } from '../../../src/kernel/paging.ts';
import { newTenant, refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

describe('redirects', () => {
  test('belong to the key that added them', async () => {
    const tenant = await newTenant(service);
    const { apiKeyId } = await service.features.createKey(tenant.accountId);
    const other = { accountId: tenant.accountId, apiKeyId };
    const added = await service.features.addRedirect(other, 'https://*.example.com/*');
    expect(added).toMatchObject({ uriPattern: 'https://*.example.com/*', apiKeyId });
    expect(await service.features.listRedirects(other, everything)).toEqual({
      items: [added],
      nextCursor: null,
    });
  });

  test('a removed redirect is gone, and removing it again is 404', async () => {
    const tenant = await newTenant(service);
    const added = await service.features.addRedirect(tenant, 'https://b.example.com/*');
    await service.features.removeRedirect(tenant, added.id);
    const { items } = await service.features.listRedirects(tenant, everything);
    expect(items.map((redirect) => redirect.uriPattern)).toEqual(['https://app.example.com/*']);
    const again = await refusalOf(service.features.removeRedirect(tenant, added.id));
    expect(again).toEqual({ status: 404, detail: 'Redirect not found' });
  });

  test('are removed with their key, also those that another node adds at that moment [faults: 233]', async () => {
    const tenant = await newTenant(service);
    const key = await service.features.createKey(tenant.accountId);
    const caller = { accountId: tenant.accountId, apiKeyId: key.apiKeyId };
    await service.features.addRedirect(caller, 'https://b.example.com/*');
    await service.features.revokeKey(key.apiKeyId);
    expect((await service.stores.redirects.list(key.apiKeyId, everything)).items).toEqual([]);
    const late = await refusalOf(service.features.addRedirect(caller, 'https://c.example.com/*'));
    expect(late.status).toBe(401);
    expect((await service.stores.redirects.list(key.apiKeyId, everything)).items).toEqual([]);
    expect((await service.features.listRedirects(tenant, everything)).items).toHaveLength(1);
  });

  test('adding a pattern again returns the existing one', async () => {
    const tenant = await newTenant(service);
    const first = await service.features.addRedirect(tenant, 'https://b.example.com/*');
    expect(await service.features.addRedirect(tenant, 'https://b.example.com/*')).toEqual(first);
    expect((await service.features.listRedirects(tenant, everything)).items).toHaveLength(2);
  });

  test.each(['http://app.example.com/*', 'https://*', 'https://*.com/*', 'https://a*a*.example.com/', 'x'])(
    'an unusable pattern is refused with 400: %s',
    async (pattern) => {
      const tenant = await newTenant(service);
      const { status, detail } = await refusalOf(service.features.addRedirect(tenant, pattern));
      expect([status, detail]).toEqual([400, expect.stringMatching(/^uri_pattern is not usable: /)]);
    },
  );

  test('a key holds at most 50 patterns, also when they are added at once', async () => {
    const tenant = await newTenant(service);
    const adding = Array.from({ length: 60 }, (_, i) =>
      service.features.addRedirect(tenant, `https://h${i}.example.com/*`),
    );
    const outcomes = await Promise.allSettled(adding);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(49);
    const { status, detail } = await refusalOf(
      service.features.addRedirect(tenant, 'https://h.example.com/'),
    );
    expect([status, detail]).toEqual([400, 'An API key can have at most 50 redirect patterns']);
  });
});
