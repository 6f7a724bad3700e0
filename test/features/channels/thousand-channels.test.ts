/** [faults: 411, 412] Pages of an account with a thousand channels and licences read what they show; a late channel is found by its words. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOperator, asOwner, caller } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { counting } from '../support/counting.ts';
import { connectMany } from '../support/many-channels.ts';

let house: House;
let running: Running;
let channels: Channel[];
let counted: ReturnType<typeof counting>;
beforeAll(async () => {
  house = await openHouse();
  counted = counting(house.world.stores);
  running = await house.run({ world: { ...house.world, stores: counted.stores } });
  channels = await connectMany(house, 1_000);
  // As for the channels of a store of an earlier version.
  await house.features.backFillChannelWords();
});
afterAll(async () => {
  await running.stop();
  await house.close();
});

const open = async (path: string) => running.ask(path, { headers: asOwner });
/** The id of the channel that the page is of. */
const chosen = (html: string): string | undefined => /name="channel-is" value="([^"]*)"/.exec(html)?.[1];

describe.each(['/portal/deliveries', '/portal/messages', '/portal/templates'])('%s', (path) => {
  test.each([
    ['its name', 'shop 1000'],
    ['its number', '+49 30 101000'],
    ['the end of its number', '101000'],
    ['its name and number, as the field shows them', 'Shop 1000 (+49 30 101000)'],
  ])('finds the thousandth channel by %s', async (_words, typed) => {
    const { text } = await open(`${path}?channel=${encodeURIComponent(typed)}`);
    expect(chosen(text)).toBe(channels[999]!.id);
  });
});

test.each([
  ['/portal', 400],
  ['/portal/channels', 350],
  ['/portal/billing', 350],
  ['/portal/deliveries', 100],
  ['/portal/deliveries?state=failed', 100],
  ['/portal/deliveries?channel=shop', 1_000],
  ['/portal/messages', 100],
  ['/portal/messages?channel=shop', 1_000],
  ['/portal/requests', 100],
  ['/portal/audit', 100],
  ['/portal/live', 100],
  ['/portal/templates', 100],
  ['/portal/keys', 100],
  ['/portal/people', 100],
])('%s reads fewer than %i items of the store, whatever the number of channels', async (path, bound) => {
  counted.reset();
  const { status, text } = await open(path);
  const read = Object.values(counted.rows()).reduce((sum, each) => sum + each, 0);
  expect([status, read < bound, text.length < 60_000]).toEqual([200, true, true]);
  expect(read).toBeLessThan(bound);
});

test.each([
  ['the account', () => `/operators/accounts/${caller.accountId}`, 150],
  ['a channel', () => `/operators/channels/${channels[999]!.id}`, 150],
  ['the question before its suspension', () => `/operators/accounts/${caller.accountId}/suspend`, 10],
])('for operators %s reads fewer than %i items', async (_words, path, bound) => {
  counted.reset();
  const { status, text } = await running.ask(path(), { headers: asOperator });
  const read = Object.values(counted.rows()).reduce((sum, each) => sum + each, 0);
  expect([status, read < bound, text.length < 60_000]).toEqual([200, true, true]);
  expect(read).toBeLessThan(bound);
});
