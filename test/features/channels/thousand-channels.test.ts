/** [faults: 411, 412] Pages of an account with a thousand channels and licences read what they show; a late channel is found by its words. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { ChannelProfile } from '../../../src/rules/channels/profile.ts';
import type { ChannelType } from '../../../src/rules/vocabulary.ts';
import { connect, openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOperator, asOwner, caller, now } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { aGrant } from '../../stores/conformance/samples.ts';
import { counting } from '../support/counting.ts';
import { connectMany, numberIdOf } from '../support/many-channels.ts';

const ids = { photo: '17840000000000901', page: '520000000000902', otherPage: '520000000000903' };

let house: House;
let running: Running;
let channels: Channel[];
const late: Channel[] = [];
let counted: ReturnType<typeof counting>;
beforeAll(async () => {
  house = await openHouse();
  counted = counting(house.world.stores);
  running = await house.run({ world: { ...house.world, stores: counted.stores } });
  channels = await connectMany(house, 1_000);
  await connectLast('photoapp', {
    type: 'photoapp',
    accountId: ids.photo,
    username: 'late.shop',
    pageId: ids.page,
  });
  await connectLast('pagechat', { type: 'pagechat', pageId: ids.otherPage });
  await house.stores.channels.deactivate(channels[899]!.id, caller.accountId);
  // As for the channels of a store of an earlier version.
  await house.features.backFillChannelWords();
});
afterAll(async () => {
  await running.stop();
  await house.close();
});

async function connectLast(channelType: ChannelType, profile: ChannelProfile): Promise<void> {
  const grant = aGrant({ name: `Late ${channelType}`, profile });
  late.push(await connect(house, channelType, { grant, createdAt: now + 2_000 }));
}

const open = async (path: string) => running.ask(path, { headers: asOwner });
/** The id of the channel that the page is of. */
const chosen = (html: string): string | undefined => /name="channel-is" value="([^"]*)"/.exec(html)?.[1];

describe.each(['/portal/deliveries', '/portal/messages', '/portal/templates'])('%s', (path) => {
  test.each([
    ['its name', 'shop 1000'],
    ['its number', '+49 30 101000'],
    ['upstream’s id of its number', numberIdOf(1_000)],
    ['the end of its number', '101000'],
    ['its name and number, as the field shows them', 'Shop 1000 (+49 30 101000)'],
  ])('finds the thousandth channel by %s', async (_words, typed) => {
    const { text } = await open(`${path}?channel=${encodeURIComponent(typed)}`);
    expect(chosen(text)).toBe(channels[999]!.id);
  });
});

test.each([
  ['an account', ids.photo, () => late[0]],
  ['the page of an account', ids.page, () => late[0]],
  ['a page', ids.otherPage, () => late[1]],
  ['a removed number, of a store of an earlier version', numberIdOf(900), () => channels[899]],
])('a late channel is found by upstream’s id of %s', async (_words, typed, channel) => {
  const { text } = await open(`/portal/deliveries?channel=${typed}`);
  expect(chosen(text)).toBe(channel()?.id);
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
