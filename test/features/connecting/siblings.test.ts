/** [upstream §2.1] A person has one grant per app: a new one may end the tokens of channels that were connected before. */
import { expect, test } from '@jest/globals';
import { fault } from '../../../src/kernel/faults.ts';
import { PermissionsDeclined } from '../../../src/upstream/connecting-calls.ts';
import { assetOf, refused } from '../support/outside.ts';
import {
  connectedChannel,
  finishedSetup,
  mailsTo,
  newIdentity,
  newLicence,
  newTenant,
  openedSetup,
} from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();

test("after a grant of pages the account's other channels of pages are probed, and a dead token is told at once", async () => {
  const tenant = await newTenant(service);
  await newLicence(service, tenant);
  const number = await connectedChannel(service, tenant, 'chatapp');
  const page = await connectedChannel(service, tenant, 'pagechat');
  const photo = await connectedChannel(service, tenant, 'photoapp');
  await service.jobsDone();
  service.health.probed.length = 0;
  service.health.states.set(page.id, refused);

  const state = await openedSetup(service, tenant, 'pagechat');
  await finishedSetup(service, state, [assetOf('pagechat', newIdentity())]);
  await service.jobsDone();

  expect(service.health.probed.toSorted()).toEqual([page.id, photo.id].toSorted());
  const { health } = await service.features.channelHealth(tenant, page.id);
  expect(health.token).toBe('refused');
  expect((await mailsTo(service, tenant)).map(({ kind }) => kind)).toEqual(['reconnect']);
  expect(number.isActive).toBe(true);
});

test.each([
  ['declined a permission', new PermissionsDeclined(['pages_messaging'])],
  ['met a failure of upstream', fault('upstream_failed', { why: 'HTTP 502' })],
])('a dialog that %s replaced the grant too', async (_, failure) => {
  const tenant = await newTenant(service);
  await newLicence(service, tenant);
  const page = await connectedChannel(service, tenant, 'pagechat');
  await service.jobsDone();
  service.health.probed.length = 0;
  const told = await finishedSetup(service, await openedSetup(service, tenant, 'pagechat'), failure);
  await service.jobsDone();
  expect(Object.keys(told)).toContain('error');
  expect(service.health.probed).toEqual([page.id]);
});

test('a sign-up of numbers replaces no grant, so nothing is probed', async () => {
  const tenant = await newTenant(service);
  await newLicence(service, tenant);
  await connectedChannel(service, tenant, 'pagechat');
  await service.jobsDone();
  service.health.probed.length = 0;
  await connectedChannel(service, tenant, 'chatapp');
  await service.jobsDone();
  expect(service.health.probed).toEqual([]);
});
