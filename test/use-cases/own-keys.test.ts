/** [spec: Authentication 1, 2] Keys as their account's person makes, sees and revokes them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../src/kernel/ids.ts';
import { aKey } from '../stores/conformance/samples.ts';
import { everything, newTenant, openService, refusalOf } from './support/service.ts';
import type { Service } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

test('a key has a name, works at once, and is refused at once when it is revoked; other nodes are told', async () => {
  const tenant = await newTenant(service);
  const { apiKeyId, apiKey } = await service.useCases.addKey(tenant, 'shop');
  expect(await service.useCases.authenticate(apiKey)).toEqual({ accountId: tenant.accountId, apiKeyId });
  expect(await service.useCases.readKey(tenant, apiKeyId)).toMatchObject({ name: 'shop' });
  await service.useCases.removeKey(tenant, apiKeyId);
  expect(await service.useCases.authenticate(apiKey)).toBeNull();
  expect(service.changes).toContainEqual({ apiKeyId });
  const listed = await service.useCases.listKeys(tenant, everything);
  expect(listed.items.map(({ id }) => id)).not.toContain(apiKeyId);
});

test("another account's key is not found, and stays", async () => {
  const [mine, theirs] = [await newTenant(service), await newTenant(service)];
  for (const deed of [
    service.useCases.readKey(mine, theirs.apiKeyId),
    service.useCases.removeKey(mine, theirs.apiKeyId),
  ]) {
    expect((await refusalOf(deed)).status).toBe(404);
  }
  expect(await service.useCases.authenticate(theirs.apiKey)).not.toBeNull();
});

test.each([
  ['none', ''],
  ['a long one', 'x'.repeat(61)],
])('a name that is %s is refused at its field', async (_why, name) => {
  const tenant = await newTenant(service);
  const refusal = await refusalOf(service.useCases.addKey(tenant, name));
  expect(refusal).toMatchObject({ status: 422, detail: [{ loc: ['body', 'name'] }] });
});

test('a thousand keys, more than an account may hold today, are read page by page, each once', async () => {
  const tenant = { accountId: newId(), apiKeyId: 'portal' };
  const keys = Array.from({ length: 1_000 }, (_, i) => aKey(tenant.accountId, { createdAt: i % 97 }));
  await Promise.all(keys.map((key) => service.stores.keys.insert(key, keys.length)));
  const seen = new Set<string>();
  let pages = 0;
  for (let cursor = null; ; pages += 1) {
    const page = await service.useCases.listKeys(tenant, { limit: 50, cursor });
    for (const { id } of page.items) seen.add(id);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect([seen.size, pages]).toEqual([1_000, 19]);
});

test('a key shows when it was last used, here at once and elsewhere when it is written', async () => {
  const tenant = await newTenant(service);
  const { apiKeyId, apiKey } = await service.useCases.addKey(tenant, 'shop');
  expect(await service.useCases.readKey(tenant, apiKeyId)).toMatchObject({
    lastFour: apiKey.slice(-4),
    lastUsedAt: null,
  });
  await service.useCases.authenticate(apiKey);
  const usedAt = service.clock.now();
  expect(await service.useCases.readKey(tenant, apiKeyId)).toMatchObject({ lastUsedAt: usedAt });
  expect(await service.stores.keys.inAccount(apiKeyId, tenant.accountId)).toMatchObject({ lastUsedAt: null });
  await service.useCases.keepActivity();
  expect(await service.stores.keys.inAccount(apiKeyId, tenant.accountId)).toMatchObject({
    lastUsedAt: usedAt,
  });
});

test.each([0, 1, 2, 3, 5, 8])(
  'a key tells when it was used before and while that is written, asked %i turns on',
  async (turns) => {
    const { apiKey, apiKeyId, ...caller } = await newTenant(service);
    await service.useCases.authenticate(apiKey);
    const usedAt = service.clock.now();
    expect(await service.useCases.readKey({ ...caller, apiKeyId }, apiKeyId)).toMatchObject({
      lastUsedAt: usedAt,
    });
    const writing = service.useCases.keepActivity();
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    const { items } = await service.useCases.listKeys({ ...caller, apiKeyId }, everything);
    expect(items.map(({ lastUsedAt }) => lastUsedAt)).toEqual([usedAt]);
    await writing;
  },
);
