/** [operator-interface §3] The calls of an account's keys, as the account sees them. */
import { beforeEach, expect, test } from '@jest/globals';
import { aKey } from '../../stores/conformance/samples.ts';
import { newTenant } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';
import { dayMs } from '../../../src/kernel/clock.ts';

const newest = { limit: null, cursor: null };
const service = serviceForEach();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
});

let calls = 0;
function called(over: { status?: number; apiKeyId?: string; accountId?: string } = {}): string {
  calls += 1;
  const { accountId, apiKeyId } = tenant;
  const ended = { method: 'GET', route: '/api/v1/channels', status: 200, code: null, durationMs: 3 };
  service.features.noteRequest({ ...ended, accountId, apiKeyId, requestId: `request-${calls}`, ...over });
  service.clock.pass(1);
  return `request-${calls}`;
}
const list = (
  since: number | null = null,
  page: Parameters<Service['features']['listRequests']>[2] = newest,
) => service.features.listRequests(tenant, { since }, page);
const idsOf = async (...of: Parameters<typeof list>) =>
  (await list(...of)).requests.map(({ requestId }) => requestId);

test('the newest is first, including unwritten ones of this node, with the hint of its key', async () => {
  const first = called();
  const createdAt = service.clock.now();
  const second = called({ status: 422 });
  const { requests, leftOut, nextCursor } = await list();
  expect(requests.map(({ requestId }) => requestId)).toEqual([second, first]);
  const { items } = await service.features.listKeys(tenant, newest);
  const key = items.find(({ id }) => id === tenant.apiKeyId);
  expect(requests[0]).toStrictEqual({
    method: 'GET',
    route: '/api/v1/channels',
    status: 422,
    code: null,
    requestId: second,
    durationMs: 3,
    createdAt,
    keyHint: `${key?.hint ?? ''}…${key?.lastFour ?? ''}`,
  });
  expect([leftOut, nextCursor]).toEqual([[], null]);
});

test('a key whose last characters were not stored has a hint of its first ones only', async () => {
  const old = aKey(tenant.accountId, { lastFour: null });
  await service.stores.keys.insert(old, 50);
  called({ apiKeyId: old.id });
  const { requests } = await list();
  expect(requests.map(({ keyHint }) => keyHint)).toEqual([`${old.hint}…`]);
});

test('each call has the hint of its own key', async () => {
  const other = aKey(tenant.accountId);
  await service.stores.keys.insert(other, 50);
  called({ apiKeyId: other.id });
  called();
  const { requests } = await list();
  const { items } = await service.features.listKeys(tenant, newest);
  const own = items.find(({ id }) => id === tenant.apiKeyId);
  expect(requests.map(({ keyHint }) => keyHint)).toEqual([
    `${own?.hint ?? ''}…${own?.lastFour ?? ''}`,
    `${other.hint}…${other.lastFour ?? ''}`,
  ]);
});

test("a deleted key, or another account's, has no hint; other accounts have their own calls", async () => {
  const other = await newTenant(service);
  called({ accountId: other.accountId, apiKeyId: other.apiKeyId });
  called({ apiKeyId: other.apiKeyId });
  const { requests } = await list();
  expect(requests.map(({ keyHint }) => keyHint)).toEqual([null]);
});

test('calls of seven days are listed', async () => {
  const first = called();
  service.clock.pass(7 * dayMs - 1);
  expect(await idsOf()).toEqual([first]);
  const since = service.clock.now();
  const second = called();
  expect([await idsOf(), await idsOf(since), await idsOf(since + 1), await idsOf(0)]).toEqual([
    [second],
    [second],
    [],
    [second],
  ]);
});

test('a page has a hundred by default, and the next one continues after it', async () => {
  for (let count = 0; count < 101; count += 1) {
    if (count % 50 === 0) service.clock.pass(60_000);
    called();
  }
  const first = await list();
  const second = await list(null, { limit: null, cursor: first.nextCursor });
  const few = await list(null, { limit: 2, cursor: null });
  expect([first.requests.length, second.requests.length, few.requests.length]).toEqual([100, 1, 2]);
});

test('left-out calls are listed as counts between the calls', async () => {
  const minute = Math.floor(service.clock.now() / 60_000);
  for (let count = 0; count < 62; count += 1) called();
  service.clock.pass(60_000);
  const { requests, leftOut } = await list();
  expect(requests).toHaveLength(60);
  expect(leftOut).toEqual([{ succeeded: 2, failed: 0, createdAt: (minute + 1) * 60_000 - 1 }]);
});
