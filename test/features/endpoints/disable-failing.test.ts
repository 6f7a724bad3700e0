/** [spec: Additions, Endpoints 5; faults: 398] An endpoint that accepts nothing for days. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { disableFailing } from '../../../src/features/endpoints/disable-failing.ts';
import type { Endpoint } from '../../../src/features/endpoints/entity.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { ownerOf } from '../../../src/rules/webhooks/endpoints.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
let endpoint: Endpoint;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
  const given = { url: 'https://crm.example/in', events: ['message.received'] };
  ({ endpoint } = await service.features.addEndpoint(tenant, channel.id, given));
});

/** Attempts failed from then until so many days later; the last one is the third of its event. */
async function failed(
  days: number,
  ownerId = ownerOf(channel.id, endpoint.id),
  isThird = true,
): Promise<number> {
  const failingSince = service.clock.now();
  service.clock.pass(days * dayMs);
  const deliveryFailedAt = service.clock.now();
  await service.stores.health.noteActivity([
    {
      channelId: ownerId,
      failingSince,
      deliveryFailedAt,
      ...(isThird ? { warnedAt: deliveryFailedAt } : {}),
      lastFailure: '503',
    },
  ]);
  return failingSince;
}
const turn = () => disableFailing(service.world);
const now = () => service.features.readEndpoint(tenant, channel.id, endpoint.id);
const mails = async () =>
  (await service.stores.mails.list(tenant.accountId, everything)).items.filter(
    ({ kind }) => kind === 'endpoint-disabled',
  );

test('is disabled and mailed once, with its host and what it answered', async () => {
  await failed(5);
  expect([await turn(), await turn()]).toEqual([1, 0]);
  expect((await now()).disabledAt).toBe(service.clock.now());
  const [mail, ...more] = await mails();
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ accountId: tenant.accountId });
  const text = mail?.lines.join('\n') ?? '';
  expect(text).toContain('The endpoint (crm.example) of your channel');
  expect(text).toContain('It answered with status 503.');
  const { items } = await service.features.listAudit({ action: 'endpoint.disabled' }, everything);
  expect(items).toMatchObject([{ subject: endpoint.id, accountId: tenant.accountId }]);
});

test('takes no more events although the owners were out of reach when it was disabled [faults: 445]', async () => {
  const owners = [channel.id, ownerOf(channel.id, endpoint.id)];
  service.clock.pass(dayMs);
  while ((await service.features.followUpChanges()) > 0);
  await failed(5);
  for (const owner of owners) service.router.unreachable.set(owner, fault('unavailable'));
  expect(await turn()).toBe(1);
  service.router.unreachable.clear();
  const before = owners.map((owner) => service.router.reloadsOf(owner));
  service.clock.pass(30_000);
  await service.features.followUpChanges();
  expect(owners.map((owner, n) => service.router.reloadsOf(owner) - (before[n] ?? 0))).toEqual([1, 1]);
});

test('is left as it is before that, or when it failed once and got nothing since', async () => {
  await failed(4.9);
  expect(await turn()).toBe(0);
  service.clock.pass(30 * dayMs);
  expect(await turn()).toBe(0);
  expect([(await now()).disabledAt, await mails()]).toEqual([null, []]);
});

test('is left as it is when it refused one attempt after quiet days, until it has refused the third', async () => {
  const ownerId = ownerOf(channel.id, endpoint.id);
  await failed(6, ownerId, false);
  expect(await turn()).toBe(0);
  // Where events are tried twice at most, there is no third.
  const settings = { ...service.world.settings, webhookRetryDelaysMs: [30_000] };
  const triedTwice = { ...service.world, settings };
  await service.stores.health.noteActivity([{ channelId: ownerId, warnedAt: service.clock.now() }]);
  expect(await turn()).toBe(1);
  await service.features.updateEndpoint(tenant, channel.id, endpoint.id, { isEnabled: true });
  await failed(6, ownerId, false);
  expect(await disableFailing(triedTwice)).toBe(1);
});

test('a channel of its own webhook is never disabled', async () => {
  await failed(9, channel.id);
  expect(await turn()).toBe(0);
});

test('is left as it is if it was enabled, or got another address, since it failed', async () => {
  await failed(6);
  await service.features.updateEndpoint(tenant, channel.id, endpoint.id, { isEnabled: true });
  expect(await turn()).toBe(0);
  await failed(6);
  await service.features.updateEndpoint(tenant, channel.id, endpoint.id, { url: 'https://b.example/in' });
  expect(await turn()).toBe(0);
});

test('is disabled all the same if a change of its address was refused', async () => {
  const headers = { Authorization: 'Bearer 3f0c9a' };
  await service.features.updateEndpoint(tenant, channel.id, endpoint.id, { headers });
  await failed(6);
  const elsewhere = { url: 'https://b.example/in' }; // its headers would go there
  await expect(
    service.features.updateEndpoint(tenant, channel.id, endpoint.id, elsewhere),
  ).rejects.toMatchObject({ code: 'validation' });
  expect(await turn()).toBe(1);
});

test.each([5, 0])('that was removed is no failing one any more, after %i days', async (days) => {
  const ownerId = ownerOf(channel.id, endpoint.id);
  await service.features.removeEndpoint(tenant, channel.id, endpoint.id);
  await failed(5);
  expect((await service.stores.health.of(ownerId))?.failingSince).not.toBeNull();
  const settings = { ...service.world.settings, endpointDisabledAfterDays: days };
  expect(await disableFailing({ ...service.world, settings })).toBe(0);
  expect(await service.stores.health.of(ownerId)).toBeNull();
  expect(await mails()).toEqual([]);
});

test('that is enabled again has its days anew', async () => {
  await failed(6);
  expect(await turn()).toBe(1);
  await service.features.updateEndpoint(tenant, channel.id, endpoint.id, { isEnabled: true });
  expect(await turn()).toBe(0);
  await failed(1);
  expect(await turn()).toBe(0);
  expect((await now()).disabledAt).toBeNull();
});

test('is disabled never with 0', async () => {
  await failed(40);
  const settings = { ...service.world.settings, endpointDisabledAfterDays: 0 };
  expect(await disableFailing({ ...service.world, settings })).toBe(0);
});

test('without its mail it is not disabled: the next turn does both', async () => {
  await failed(6);
  const { mails: outbox, ...stores } = service.stores;
  const broken = { ...outbox, add: () => Promise.reject(new Error('down')) };
  await expect(disableFailing({ ...service.world, stores: { ...stores, mails: broken } })).rejects.toThrow(
    'down',
  );
  expect((await now()).disabledAt).toBeNull();
  expect(await turn()).toBe(1);
  expect(await mails()).toHaveLength(1);
});
