/** [upstream §1.6] Upstream switches a subscription of the app off after about an hour of failures, and no channel hears anything until it is made again. */
import { beforeAll, expect, test } from '@jest/globals';
import { AppWebhooksKeeper } from '../../../src/features/platform/app-webhooks.ts';
import { hourMs } from '../../../src/kernel/clock.ts';
import type { AppWebhooks } from '../../../src/upstream/app-calls.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
beforeAll(async () => {
  await connectedChannel(service, await newTenant(service), 'pagechat');
});

test('what upstream switched off is subscribed again within HEALTH_CHECK_INTERVAL_MS, by one of the nodes', async () => {
  const { world, clock } = service;
  const page: AppWebhooks = {
    channelType: 'pagechat',
    object: 'page',
    callbackUrl: world.upstreamApp.callbackUrl,
    isActive: true,
    fields: [],
    versions: [],
    missing: { required: [], optional: [] },
  };
  const asked: boolean[] = [];
  const upstreamApp = {
    ...world.upstreamApp,
    webhooks: async () => {
      asked.push(page.isActive);
      return [{ ...page }];
    },
    subscribe: async () => {
      page.isActive = true;
      return { leftOut: [] };
    },
  };
  const nodes = [1, 2].map(() => new AppWebhooksKeeper({ ...world, upstreamApp }));
  const look = async (): Promise<void> => {
    for (const node of nodes) await node.runWhenDue();
  };
  await look();
  page.isActive = false;
  clock.pass(hourMs - 1);
  await look();
  expect(asked).toEqual([true]);
  clock.pass(1);
  await look();
  expect([asked, page.isActive]).toEqual([[true, false], true]);

  // [faults: 451] The look of a node whose clock is ahead: the others do not wait until theirs are there.
  clock.pass(8 * hourMs);
  await look();
  clock.pass(-8 * hourMs);
  page.isActive = false;
  await new AppWebhooksKeeper({ ...world, upstreamApp }).runWhenDue();
  expect([asked, page.isActive]).toEqual([[true, false, true, false], true]);
});
