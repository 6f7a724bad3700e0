/** [spec: Channel activity] Deactivated channels, and the end of their webhook subscription upstream. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { fault } from '../../../src/kernel/faults.ts';
import { assetOf } from '../support/outside.ts';
import { connected, connectedChannel, newIdentity, newLicence, newTenant } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await newTenant(service);
  service.upstream.failuresLeft = 0;
});

/** While no job can be queued. */
async function withoutJobs(act: () => Promise<void>): Promise<void> {
  const enqueue = service.jobs.enqueue.bind(service.jobs);
  service.jobs.enqueue = () => Promise.reject(fault('unavailable'));
  try {
    await act();
  } finally {
    service.jobs.enqueue = enqueue;
  }
}

describe('DELETE of a channel', () => {
  test('is a soft delete: id, claim, slot and settings are kept, and a repeated one succeeds', async () => {
    const before = await connectedChannel(service, tenant, 'chatapp');
    await service.features.deactivateChannel(tenant, before.id);
    await service.features.deactivateChannel(tenant, before.id);
    const { channel } = await service.features.readChannel(tenant, before.id);
    expect(channel).toEqual({ ...before, isActive: false });
  });

  test('the webhook subscription upstream ends only with the last active channel on the page', async () => {
    const pageId = newIdentity();
    const page = await connected(service, tenant, assetOf('pagechat', pageId, { pageId }));
    const photo = await connected(service, tenant, assetOf('photoapp', newIdentity(), { pageId }));
    await service.features.deactivateChannel(tenant, page.channel.id);
    await service.jobsDone();
    expect(service.upstream.unsubscribed).not.toContain(page.channel.id);
    await service.features.deactivateChannel(tenant, photo.channel.id);
    await service.jobsDone();
    expect(service.upstream.unsubscribed).toContain(photo.channel.id);
  });

  test('two numbers of one business account share its subscription', async () => {
    await newLicence(service, tenant);
    const on = { businessAccountId: newIdentity() };
    const first = await connected(service, tenant, assetOf('chatapp', newIdentity(), on));
    const second = await connected(service, tenant, assetOf('chatapp', newIdentity(), on));
    await service.features.deactivateChannel(tenant, first.channel.id);
    await service.jobsDone();
    expect(service.upstream.unsubscribed).not.toContain(first.channel.id);
    await service.features.deactivateChannel(tenant, second.channel.id);
    await service.jobsDone();
    expect(service.upstream.unsubscribed).toContain(second.channel.id);
  });

  test('a failure of upstream is not reported, and the removal is retried', async () => {
    const channel = await connectedChannel(service, tenant, 'chatapp');
    service.upstream.failuresLeft = 3;
    await service.features.deactivateChannel(tenant, channel.id);
    await service.jobsDone();
    expect(service.upstream.unsubscribed.filter((id) => id === channel.id)).toEqual([channel.id]);
  });

  describe('whose job cannot be queued', () => {
    const unsubscribe = async (channelId: string): Promise<void> => {
      await service.features.deactivateChannel(tenant, channelId);
    };
    let channel: Channel;
    beforeEach(async () => {
      channel = await connectedChannel(service, tenant, 'chatapp');
      service.told.length = 0;
    });
    const notQueued = (id: string) =>
      expect.objectContaining({ msg: 'channel.unsubscribe-not-queued', level: 'info', channel: id });

    test('ends the subscription at once', async () => {
      await withoutJobs(() => unsubscribe(channel.id));
      expect(service.upstream.unsubscribed).toContain(channel.id);
      expect(service.told).toEqual([notQueued(channel.id)]);
    });

    test('keeps the subscription if upstream fails, becomes inactive nevertheless, and logs it', async () => {
      service.upstream.failuresLeft = 1;
      await withoutJobs(() => unsubscribe(channel.id));
      expect(service.upstream.unsubscribed).not.toContain(channel.id);
      expect(service.told).toEqual([
        notQueued(channel.id),
        expect.objectContaining({
          msg: 'channel.unsubscribe-failed',
          level: 'warn',
          channel: channel.id,
          error: expect.objectContaining({ message: 'upstream is down' }),
        }),
      ]);
    });
  });

  describe('whose subscription is due to end', () => {
    const job = (channelId: string) => service.features.jobs['unsubscribe-asset']({ channelId });

    test('keeps it if a channel on the same page was connected meanwhile', async () => {
      const pageId = newIdentity();
      const page = await connected(service, tenant, assetOf('pagechat', pageId, { pageId }));
      await service.stores.channels.deactivate(page.channel.id, tenant.accountId);
      const unsubscribe = service.upstream.unsubscribe.bind(service.upstream);
      service.upstream.unsubscribe = async (of) => {
        await connected(service, tenant, assetOf('photoapp', newIdentity(), { pageId }));
        service.upstream.subscribed.length = 0;
        await unsubscribe(of);
      };
      await job(page.channel.id);
      expect(service.upstream.subscribed).toEqual([page.channel.id]);
      service.upstream.unsubscribe = unsubscribe;
    });

    test('ends it once if none was', async () => {
      const { id } = await connectedChannel(service, tenant, 'pagechat');
      await service.stores.channels.deactivate(id, tenant.accountId);
      service.upstream.subscribed.length = 0;
      await job(id);
      expect([service.upstream.unsubscribed.at(-1), service.upstream.subscribed]).toEqual([id, []]);
    });

    test.each([
      ['gone', () => null],
      ['on nothing that is known', (of: Channel) => ({ ...of, subscribedAsset: null })],
    ])('does nothing if the channel is %s', async (_, stands) => {
      const channel = await connectedChannel(service, tenant, 'pagechat');
      await service.stores.channels.deactivate(channel.id, tenant.accountId);
      const { channels } = service.stores;
      service.stores.channels = { ...channels, byId: async () => stands(channel) };
      try {
        await job(channel.id);
      } finally {
        service.stores.channels = channels;
      }
      expect(service.upstream.unsubscribed).not.toContain(channel.id);
    });
  });
});
