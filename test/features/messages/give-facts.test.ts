/** [faults: 470] What people write is dropped only if the channel may not receive it by what is stored then, and by what follows at once. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { connectedPair, messageTo, receivePost } from '../support/posts.ts';
import { newLicence } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  ({ tenant, chatapp: channel } = await connectedPair(service));
  // Its owner knows no licence until it has read its settings.
  service.router.dropped = 1;
});

const asked = () =>
  service.router.asked.flatMap(({ channelId, ask }) => (channelId === channel.id ? [ask.type] : []));
const dropped = () => service.counted('upstream_facts_dropped_total', { channel_type: 'chatapp' });
const receive = () => receivePost(service, [messageTo(channel)]);
const stranded = () => service.stores.strandedFacts.ofChannel(channel.id, 10);

/** From now on its owner takes messages once it has read its settings. */
function knowsOnceRead(): void {
  service.router.beforeAnswer = async (_, { type }) => {
    if (type === 'reload') service.router.dropped = 0;
  };
}

test('an owner that has not heard that its channel may receive again reads its settings, and gets the message', async () => {
  knowsOnceRead();
  await receive();
  expect([asked(), dropped()]).toEqual([['take-facts', 'reload', 'take-facts'], 0]);
});

test('of a channel without a licence messages are dropped at once', async () => {
  await service.features.bindChannel(channel.id, null);
  service.router.asked.length = 0;
  await receive();
  expect([asked(), dropped(), await stranded()]).toEqual([['take-facts'], 1, []]);
});

/** The licence has ended by the clock, and nobody has followed that up. */
async function ended(agoMs: number): Promise<void> {
  const expiresAt = service.clock.now() - agoMs;
  await service.stores.subscriptions.update(tenant.subscriptionId, { expiresAt });
}

test('a message right after the end of a licence waits, and is given once the channel has another one', async () => {
  await newLicence(service, tenant);
  await ended(1);
  service.router.asked.length = 0;
  await receive();
  await service.features.giveStrandedFacts();
  expect([asked(), dropped()]).toEqual([['take-facts', 'take-facts'], 0]);
  knowsOnceRead();
  await service.features.turnLicences();
  await service.features.giveStrandedFacts();
  expect([asked().at(-1), dropped(), await stranded()]).toEqual(['take-facts', 0, []]);
});

test('it is dropped if none has followed', async () => {
  await ended(1);
  await receive();
  service.clock.pass(30_000);
  await service.features.giveStrandedFacts();
  expect([dropped(), await stranded()]).toEqual([1, []]);
});

test('it is dropped at once if the end of the licence was followed up, and the channel has no other', async () => {
  await ended(1);
  await service.features.turnLicences();
  await receive();
  expect([dropped(), await stranded()]).toEqual([1, []]);
});

test('a message of a number that is with another channel by now, which this node has not heard, is given to that one', async () => {
  const { chatapp: holder } = await connectedPair(service);
  service.router.dropped = 0;
  await receive();
  await ended(60_000);
  const { channels } = service.stores;
  service.stores.channels = { ...channels, byIdentity: async () => [holder] };
  service.router.beforeAnswer = async (channelId) => {
    service.router.dropped = channelId === channel.id ? 1 : 0;
  };
  service.router.asked.length = 0;
  await receive();
  expect(service.router.asked.map(({ channelId }) => channelId)).toEqual([channel.id, holder.id]);
  expect(dropped()).toBe(0);
});
