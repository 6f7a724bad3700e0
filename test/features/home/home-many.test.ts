/** [portal: Home] What Home says of an account with more channels than it examines. */
import type { Stores } from '../../../src/features/stores.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PagePosition } from '../../../src/kernel/paging.ts';
import { emptyHour, findHour } from '../../../src/features/deliveries/hours.ts';
import { connect, openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, now, someId } from '../../http/support.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  const webhook = { webhookUrl: 'https://shop.example/hooks', webhookEvents: ['message.received'] };
  await connect(house, 'chatapp', { channelId: someId }, webhook);
  await connect(house, 'pagechat', {}, webhook);
});
afterAll(() => house.close());

const next: PagePosition = { createdAt: 1, id: someId };

/** The words of Home if the list of examined channels ends, or goes on after these. */
async function wordsOfHome({
  nextCursor,
  isRefused,
}: {
  nextCursor: PagePosition | null;
  isRefused: boolean;
}) {
  const { stores, world } = house;
  const token = isRefused ? 'refused' : 'valid';
  await stores.health.noteUpstream(someId, { token, isSubscribed: true, qualityRating: null }, now);
  const list: Stores['channels']['list'] = async (...asked) => {
    const { items } = await stores.channels.list(...asked);
    return { items, nextCursor };
  };
  const over = { ...stores, channels: { ...stores.channels, list } };
  const { ask, stop } = await house.run({ world: { ...world, stores: over } });
  const { text } = await ask('/portal', { headers: asOwner });
  await stop();
  return text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('Home does not say that nothing is wrong with channels that it has not examined', async () => {
  const all = await wordsOfHome({ nextCursor: null, isRefused: false });
  expect(all).toContain('Nothing needs you. No channel is in trouble, and no event was given up');
  const some = await wordsOfHome({ nextCursor: next, isRefused: false });
  expect(some).not.toContain('Nothing needs you');
  const words =
    'No receiver fails, the platform refuses no channel, none lacks a licence, and no event was given up';
  expect(some).toContain(words);
});

test('Home says which problems it lists of channels that it has not examined', async () => {
  const words =
    'Channels that fail, are refused, get no events or lack a licence are listed here, whichever they are.';
  expect(await wordsOfHome({ nextCursor: null, isRefused: true })).not.toContain(words);
  expect(await wordsOfHome({ nextCursor: next, isRefused: true })).toContain(words);
});

test('Home says the span of each figure, and what was given up before the last look', async () => {
  const { stores, world } = house;
  await stores.health.noteUpstream(someId, { token: 'valid', isSubscribed: true, qualityRating: null }, now);
  const counted = { ...emptyHour('', findHour(now)), delivered: 9, givenUp: 11, within50ms: 9 };
  const deliveryTally: typeof world.deliveryTally = Object.create(world.deliveryTally, {
    hoursOf: { value: async () => [counted] },
  });
  const { ask, stop } = await house.run({ world: { ...world, deliveryTally } });
  const { text } = await ask('/portal', { headers: asOwner });
  await stop();
  const words = text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
  expect(words).toContain('Success rate 45 % of 20 that ended in the last 24 hours');
  expect(words).toContain('p95 latency 50 ms');
  expect(words).toContain('of the 9 delivered in the last 24 hours, from an event to your receiver’s 2xx');
  expect(words).toContain('Of the last 24 hours 11 events are given up: see them .');
});
