/** [portal: Home] What waits is counted over all channels of an account, also if it has many. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { countWaiting } from '../../../src/features/home/waiting.ts';
import { openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { caller, now } from '../../http/support.ts';
import { aDelivery } from '../../stores/conformance/samples.ts';
import { counting } from '../support/counting.ts';
import { connectMany } from '../support/many-channels.ts';

const { accountId } = caller;
let house: House;
let channels: Channel[];
beforeAll(async () => {
  house = await openHouse();
  channels = await connectMany(house, 300, { webhookUrl: 'https://shop.example/hooks' });
});
afterAll(() => house.close());

const waiting = (stores = house.world.stores) =>
  countWaiting({ ...house.world, stores }, { accountId, channelIds: [], isAll: false });

async function waitIn({ id }: Channel, count: number, createdAt = now): Promise<void> {
  const deliveries = Array.from({ length: count }, () => aDelivery(id, { accountId, createdAt }));
  await house.channelState.commit(
    id,
    1,
    deliveries.map((delivery) => ({ write: 'insertDelivery' as const, delivery })),
  );
}

test('nothing is nothing, not "at least nothing"', async () => {
  expect(await waiting()).toEqual({ count: 0, isMore: false });
});

test('a new event of a late channel counts', async () => {
  await waitIn(channels[280]!, 2);
  expect(await waiting()).toEqual({ count: 2, isMore: false });
});

test('older events of a failing channel count, those of one that is not are at least so many', async () => {
  const [, , failing] = channels;
  await waitIn(failing!, 3, now - 60_000);
  await house.stores.health.noteActivity([
    { channelId: failing!.id, failingSince: now, deliveryFailedAt: now },
  ]);
  await house.stores.health.noteAccount(failing!);
  expect(await waiting()).toEqual({ count: 5, isMore: false });
  await waitIn(channels[250]!, 199);
  expect(await waiting()).toEqual({ count: 203, isMore: true });
});

test('reads no more rows than the newest deliveries, and the failing channels', async () => {
  const counted = counting(house.world.stores);
  await waiting(counted.stores);
  expect(Object.values(counted.rows()).reduce((sum, rows) => sum + rows, 0)).toBeLessThan(210);
});
