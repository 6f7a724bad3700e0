/** The portal's overview of an account's channels. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { refused } from '../support/outside.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});

test('each channel comes with its known health; upstream is not probed', async () => {
  const other = await connectedChannel(service, tenant, 'photoapp');
  // The grant of the second had the first looked at.
  const before = [...service.health.probed];
  await service.stores.health.noteUpstream(other.id, refused, service.clock.now());
  service.features.noteDelivery(channel.id, { isTaken: false, attempt: 1, result: '500' });
  const { health } = service.stores;
  const asked: string[] = [];
  const ofAll = (ids: readonly string[]) => {
    asked.push(...ids);
    return health.ofAll(ids);
  };
  service.stores.health = { ...health, ofAll };
  const { items } = await service.features.listChannelsWithHealth(tenant, everything);
  expect(asked.toSorted()).toEqual([channel.id, other.id].toSorted());
  const codes = new Map(items.map((each) => [each.channel.id, each.problems.map(({ code }) => code)]));
  expect(codes.get(channel.id)).toEqual(['webhook_missing', 'webhook_failing']);
  expect(codes.get(other.id)).toEqual(['token_refused', 'webhook_missing']);
  expect(service.health.probed).toEqual(before);
});
