/** A licence that lies free is moved to another channel. [faults: 397] */
import { beforeEach, expect, test } from '@jest/globals';
import { freeLicences, moveLicence } from '../../../src/features/licences/move-licence.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { assetOf } from '../support/outside.ts';
import {
  codeFor,
  connected,
  connectedChannel,
  newIdentity,
  newLicence,
  newTenant,
  refusalOf,
} from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { withRival } from '../support/rival.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
});

const licenceOf = async (id: string) => (await service.stores.channels.byId(id))?.subscriptionId ?? null;
const freeFor = async (channel: Parameters<typeof freeLicences>[2]) =>
  (await freeLicences(service.world, tenant, channel)).map(({ subscription, holder }) => [
    subscription.id,
    holder?.id ?? null,
  ]);

test('a channel gets a licence with an empty slot', async () => {
  const channel = await connectedChannel(service, tenant, 'chatapp');
  expect(await freeFor(channel)).toEqual([]);
  const licence = await newLicence(service, tenant);
  expect(await freeFor(channel)).toEqual([[licence, null]]);
  await moveLicence(service.world, tenant, channel, licence);
  expect(await licenceOf(channel.id)).toBe(licence);
});

test('a removed channel gives its slot away, an active one does not', async () => {
  const removed = await connectedChannel(service, tenant, 'chatapp');
  const first = removed.subscriptionId ?? '';
  const second = await newLicence(service, tenant);
  const channel = await connectedChannel(service, tenant, 'chatapp');
  expect(await freeFor(channel)).toEqual([]);
  await service.features.deactivateChannel(tenant, removed.id);
  expect(await freeFor(channel)).toEqual([[first, removed.id]]);
  await moveLicence(service.world, tenant, channel, first);
  expect([await licenceOf(channel.id), await licenceOf(removed.id)]).toEqual([first, null]);
  expect(await freeFor(removed)).toEqual([[second, null]]);
});

test('a removed channel that is about to be connected again keeps its slot, and gets none once its ownership was released', async () => {
  const identity = newIdentity();
  const { channel: removed } = await connected(service, tenant, assetOf('chatapp', identity));
  const first = removed.subscriptionId ?? '';
  await newLicence(service, tenant);
  const channel = await connectedChannel(service, tenant, 'chatapp');
  await service.features.deactivateChannel(tenant, removed.id);
  await codeFor(service, tenant, assetOf('chatapp', identity));
  expect(await freeFor(channel)).toEqual([]);
  expect((await refusalOf(moveLicence(service.world, tenant, channel, first))).status).toBe(409);
  expect(await licenceOf(removed.id)).toBe(first);
  await service.features.releaseClaim(removed.id);
  const third = await newLicence(service, tenant);
  expect(await freeFor(channel)).toEqual([
    [third, null],
    [first, null],
  ]);
  expect(await freeFor({ ...removed, identity: null })).toEqual([]);
});

test('a removed channel that is connected again at that moment keeps its licence', async () => {
  const identity = newIdentity();
  const { channel: removed } = await connected(service, tenant, assetOf('chatapp', identity));
  const first = removed.subscriptionId ?? '';
  const second = await newLicence(service, tenant);
  const channel = await connectedChannel(service, tenant, 'chatapp');
  await service.features.deactivateChannel(tenant, removed.id);
  const world = withRival(service.world, ['channels', 'bind'], () =>
    connected(service, tenant, assetOf('chatapp', identity)),
  );
  expect((await refusalOf(moveLicence(world, tenant, channel, first))).status).toBe(409);
  expect([await licenceOf(removed.id), await licenceOf(channel.id)]).toEqual([first, second]);
});

test('an ended licence, one of another account or kind, and an unknown one are refused', async () => {
  const channel = await connectedChannel(service, tenant, 'pagechat');
  const before = await licenceOf(channel.id);
  const ended = await newLicence(service, tenant);
  await service.features.updateSubscription(ended, { status: 'canceled' });
  const foreign = await newLicence(service, await newTenant(service));
  for (const id of [ended, foreign, before ?? '', newId(), ''])
    expect((await refusalOf(moveLicence(service.world, tenant, channel, id))).status).toBe(409);
  expect(await licenceOf(channel.id)).toBe(before);
});

test('of two who move to one slot, one gets it', async () => {
  const one = await connectedChannel(service, tenant, 'chatapp');
  await newLicence(service, tenant);
  const channels = [one, await connectedChannel(service, tenant, 'chatapp')];
  const licence = await newLicence(service, tenant);
  const outcomes = await Promise.allSettled(
    channels.map((channel) => moveLicence(service.world, tenant, channel, licence)),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});
