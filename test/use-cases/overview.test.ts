/** What a person sees first of an account's channels. */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../src/domain/channels/channel.ts';
import { aDelivery } from '../stores/conformance/samples.ts';
import { connectedChannel, everything, newTenant, openService } from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  service = await openService();
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'pagechat');
});
afterEach(() => service.close());

const hour = 3_600_000;

async function made(count: number, createdAt: number): Promise<void> {
  const { accountId } = tenant;
  const writes = Array.from({ length: count }, () => ({
    write: 'insertDelivery' as const,
    delivery: aDelivery(channel.id, { accountId, createdAt, state: 'delivered', payload: null }),
  }));
  await service.channelState.commit(channel.id, 1, writes);
}

test('each channel comes with what is known of its health; upstream is not asked', async () => {
  const other = await connectedChannel(service, tenant, 'photoapp');
  const refused = { token: 'refused', isSubscribed: null, qualityRating: null } as const;
  await service.stores.health.noteUpstream(other.id, refused, service.clock.now());
  service.useCases.noteDelivery(channel.id, { isTaken: false, attempt: 1, result: '500' });
  const { items } = await service.useCases.channelsFaring(tenant, everything);
  const codes = new Map(items.map((each) => [each.channel.id, each.problems.map(({ code }) => code)]));
  expect(codes.get(channel.id)).toEqual(['webhook_missing', 'webhook_failing']);
  expect(codes.get(other.id)).toEqual(['token_refused', 'webhook_missing']);
  expect(service.health.probed).toEqual([]);
});

test('events are counted by hour, the last 24 of them', async () => {
  const now = service.clock.now();
  const thisHour = Math.floor(now / hour) * hour;
  await made(3, now);
  await made(2, thisHour - 1);
  await made(1, thisHour - 23 * hour);
  await made(9, thisHour - 23 * hour - 1);
  const hours = await service.useCases.busyHours(tenant);
  expect(hours.map(({ count }) => count)).toEqual([1, ...Array.from({ length: 21 }, () => 0), 2, 3]);
  expect(hours[23]?.at).toBe(thisHour);
});

test('a busy hour is counted up to a bound, and another account has its own', async () => {
  await made(1_200, service.clock.now());
  expect((await service.useCases.busyHours(tenant)).at(-1)?.count).toBe(1_000);
  const other = await newTenant(service);
  expect((await service.useCases.busyHours(other)).every(({ count }) => count === 0)).toBe(true);
});
