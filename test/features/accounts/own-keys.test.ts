/** [spec: Authentication 1, 2] API keys as the account's people make, see and revoke them. */
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { KeyUses } from '../../../src/features/accounts/key-cache.ts';
import { grantedBits } from '../../../src/rules/scopes.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { aKey } from '../../stores/conformance/samples.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { newTenant, refusalOf } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

test('a key has a name, works at once, and is refused at once when it is revoked; other nodes are informed', async () => {
  const tenant = await newTenant(service);
  const { apiKeyId, apiKey } = await service.features.addKey(tenant, 'shop', {});
  expect(await service.features.authenticate(apiKey)).toEqual({
    accountId: tenant.accountId,
    apiKeyId,
    granted: grantedBits(null),
    endsAt: null,
  });
  expect(await service.features.readKey(tenant, apiKeyId)).toMatchObject({ name: 'shop' });
  await service.features.removeKey(tenant, apiKeyId);
  expect(await service.features.authenticate(apiKey)).toBeNull();
  expect(service.changes).toContainEqual({ apiKeyId });
  const listed = await service.features.listKeys(tenant, everything);
  expect(listed.items.map(({ id }) => id)).not.toContain(apiKeyId);
});

test("another account's key is not found, and stays valid", async () => {
  const [mine, theirs] = [await newTenant(service), await newTenant(service)];
  for (const deed of [
    service.features.readKey(mine, theirs.apiKeyId),
    service.features.removeKey(mine, theirs.apiKeyId),
  ]) {
    expect(await refusalOf(deed)).toEqual({ status: 404, detail: 'API key not found' });
  }
  expect(await service.features.authenticate(theirs.apiKey)).not.toBeNull();
});

test.each([
  ['none', ''],
  ['a long one', 'x'.repeat(61)],
])('a name that is %s is refused at its field', async (_why, name) => {
  const tenant = await newTenant(service);
  const refusal = await refusalOf(service.features.addKey(tenant, name, {}));
  const msg = 'Use 1 to 60 characters, so that you know it again.';
  expect(refusal).toMatchObject({ status: 422, detail: [{ loc: ['body', 'name'], msg }] });
});

test('a name may have sixty characters', async () => {
  const tenant = await newTenant(service);
  const { apiKeyId } = await service.features.addKey(tenant, 'x'.repeat(60), {});
  expect((await service.features.readKey(tenant, apiKeyId)).name).toHaveLength(60);
});

test('an account holds fifty keys', async () => {
  const tenant = await newTenant(service);
  for (let n = 1; n < 50; n += 1) await service.features.addKey(tenant, `${n}`, {});
  expect(await refusalOf(service.features.addKey(tenant, 'one more', {}))).toEqual({
    status: 400,
    detail: 'An account can have at most 50 API keys: revoke one first',
  });
  await service.features.removeKey(tenant, tenant.apiKeyId);
  expect((await service.features.addKey(tenant, 'one more', {})).apiKeyId).toHaveLength(36);
});

test("keys that a person with a stolen password could have made: the person's and nobody's, up to a time [faults: 134]", async () => {
  const { accountId } = await newTenant(service);
  await service.features.revokeKey((await service.stores.keys.list(accountId))[0]?.id ?? '');
  const person = { id: newId(), email: 'mia@example.com' };
  const caller = { accountId, apiKeyId: 'portal', person };
  const made = {
    mine: aKey(accountId, { createdAt: 5, madeBy: person.email }),
    nobodys: aKey(accountId, { createdAt: 4 }),
    theirs: aKey(accountId, { createdAt: 3, madeBy: 'noa@example.com' }),
    later: aKey(accountId, { createdAt: 6, madeBy: person.email }),
  };
  for (const key of Object.values(made)) await service.stores.keys.insert(key, 50);
  service.world.keyCache.invalidate(made.mine.id);
  const { features } = service;
  const idsUntil = async (of: Parameters<typeof features.listKeysUntil>[0]) =>
    (await features.listKeysUntil(of, 5)).map(({ id }) => id).toSorted();
  expect(await idsUntil(caller)).toEqual([made.mine.id, made.nobodys.id].toSorted());
  expect(await idsUntil({ accountId, apiKeyId: 'portal' })).toEqual([made.nobodys.id]);
  await features.removeKeysUntil(caller, 5);
  const left = (await service.stores.keys.list(accountId)).filter(({ revokedAt }) => revokedAt === null);
  expect(left.map(({ id }) => id).toSorted()).toEqual([made.theirs.id, made.later.id].toSorted());
  expect(service.changes).toContainEqual({ apiKeyId: made.nobodys.id });
});

describe('the last use of keys, as a node collects it', () => {
  const written: object[] = [];
  const uses = () => {
    written.length = 0;
    const { keys } = service.stores;
    const noteUsed = async (all: readonly object[]) => void written.push(...all);
    return new KeyUses(Object.assign(Object.create(keys), { noteUsed }));
  };

  test('is the last time, unless the store has a later one', async () => {
    const seen = uses();
    seen.used('k', 1, '192.0.2.1');
    seen.used('k', 5);
    const shown = seen.reader();
    const lastUsed = (at: number | null) => shown(aKey('a', { id: 'k', lastUsedAt: at })).lastUsedAt;
    expect([null, 4, 9].map(lastUsed)).toEqual([5, 5, 9]);
    await seen.flush();
    expect(written).toStrictEqual([{ keyId: 'k', at: 5, address: '192.0.2.1' }]);
  });

  test('is collected for at most twenty thousand keys between two writes', async () => {
    const seen = uses();
    for (let n = 0; n <= 20_000; n += 1) seen.used(`k-${n}`, n);
    await seen.flush();
    expect([written.length, written.at(-1)]).toEqual([
      20_000,
      { keyId: 'k-19999', at: 19_999, address: null },
    ]);
  });
});

test('a thousand keys, more than an account may hold now, are read in pages, each once', async () => {
  const tenant = { accountId: newId(), apiKeyId: 'portal' };
  const keys = Array.from({ length: 1_000 }, (_, i) => aKey(tenant.accountId, { createdAt: i % 97 }));
  await Promise.all(keys.map((key) => service.stores.keys.insert(key, keys.length)));
  const seen = new Set<string>();
  let pages = 0;
  for (let cursor = null; ; pages += 1) {
    const page = await service.features.listKeys(tenant, { limit: 50, cursor });
    for (const { id } of page.items) seen.add(id);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect([seen.size, pages]).toEqual([1_000, 19]);
});

test('a key shows its last use, at once on this node and after the write on others', async () => {
  const tenant = await newTenant(service);
  const { apiKeyId, apiKey } = await service.features.addKey(tenant, 'shop', {});
  expect(await service.features.readKey(tenant, apiKeyId)).toMatchObject({
    lastFour: apiKey.slice(-4),
    lastUsedAt: null,
  });
  await service.features.authenticate(apiKey);
  const usedAt = service.clock.now();
  expect(await service.features.readKey(tenant, apiKeyId)).toMatchObject({ lastUsedAt: usedAt });
  expect(await service.stores.keys.inAccount(apiKeyId, tenant.accountId)).toMatchObject({ lastUsedAt: null });
  await service.features.flushActivity();
  expect(await service.stores.keys.inAccount(apiKeyId, tenant.accountId)).toMatchObject({
    lastUsedAt: usedAt,
  });
});

test.each([0, 1, 2, 3, 5, 8])(
  'a key shows its use before and during the write, read %i turns later',
  async (turns) => {
    const { apiKey, apiKeyId, ...caller } = await newTenant(service);
    await service.features.authenticate(apiKey);
    const usedAt = service.clock.now();
    expect(await service.features.readKey({ ...caller, apiKeyId }, apiKeyId)).toMatchObject({
      lastUsedAt: usedAt,
    });
    const writing = service.features.flushActivity();
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    const { items } = await service.features.listKeys({ ...caller, apiKeyId }, everything);
    expect(items.map(({ lastUsedAt }) => lastUsedAt)).toEqual([usedAt]);
    await writing;
  },
);

test('a key shows the address of its last use', async () => {
  const tenant = await newTenant(service);
  const { apiKeyId, apiKey } = await service.features.addKey(tenant, 'shop', {});
  await service.features.authenticate(apiKey, '192.0.2.7');
  const shown = { lastUsedFrom: '192.0.2.7', lastUsedAt: service.clock.now() };
  expect(await service.features.readKey(tenant, apiKeyId)).toMatchObject(shown);
  await service.features.flushActivity();
  expect(await service.stores.keys.inAccount(apiKeyId, tenant.accountId)).toMatchObject(shown);
});

describe('a key with an end [faults: 376]', () => {
  test('is refused from then on like a revoked one, also where it is remembered', async () => {
    const tenant = await newTenant(service);
    const endsAt = service.clock.now() + 1_000;
    const { apiKey } = await service.features.addKey(tenant, 'shop', { endsAt });
    expect(await service.features.authenticate(apiKey)).toMatchObject({ endsAt });
    service.clock.pass(999);
    expect(service.features.knownCaller(apiKey)).toMatchObject({ endsAt });
    service.clock.pass(1);
    expect(service.features.knownCaller(apiKey)).toBeNull();
    expect(await service.features.authenticate(apiKey)).toBeNull();
    service.clock.pass(60_000);
    expect(await service.features.authenticate(apiKey)).toBeNull();
  });

  test('cannot end before it begins', async () => {
    const tenant = await newTenant(service);
    const refusal = await refusalOf(service.features.addKey(tenant, 'shop', { endsAt: service.clock.now() }));
    const msg = 'Value error, the time must lie ahead';
    expect(refusal).toMatchObject({ status: 422, detail: [{ loc: ['body', 'expires_at'], msg }] });
  });

  test('is announced once, a week before, unless it was made for less than a week', async () => {
    const tenant = await newTenant(service);
    const { accountId } = tenant;
    const now = service.clock.now();
    await service.features.addKey(tenant, 'long', { endsAt: now + 30 * dayMs });
    await service.features.addKey(tenant, 'short', { endsAt: now + 24 * dayMs });
    const revoked = await service.features.addKey(tenant, 'revoked', { endsAt: now + 29 * dayMs });
    await service.features.removeKey(tenant, revoked.apiKeyId);
    const mails = async () =>
      (await service.features.listMails(accountId, everything)).items.filter(
        ({ kind }) => kind === 'key-ending',
      );
    service.clock.pass(22 * dayMs);
    await service.features.addKey(tenant, 'for days', { endsAt: now + 28 * dayMs });
    await service.features.turnLicences();
    expect((await mails()).map(({ lines }) => lines[0]?.slice(0, 19))).toEqual(['The API key "short"']);
    service.clock.pass(dayMs);
    await service.features.turnLicences();
    await service.features.turnLicences();
    expect((await mails()).map(({ lines }) => lines[0]?.slice(0, 18))).toEqual([
      'The API key "long"',
      'The API key "short',
    ]);
    service.clock.pass(now - service.clock.now());
  });
});

test('a key must have one scope at least', async () => {
  const tenant = await newTenant(service);
  const refusal = await refusalOf(service.features.addKey(tenant, 'shop', { scopes: [] }));
  expect(refusal).toMatchObject({
    status: 422,
    detail: [{ loc: ['body', 'scopes'], msg: 'Choose at least one.' }],
  });
});
