/** [faults: 358, 424] Home of an account with more channels than it examines one by one: what needs somebody is shown, wherever it is. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { UpstreamState } from '../../../src/rules/channels/health.ts';
import { withAttempt } from '../../../src/rules/webhooks/delivery.ts';
import { openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, caller, now } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { aDelivery } from '../../stores/conformance/samples.ts';
import { homeOf } from '../support/home.ts';
import { counting } from '../support/counting.ts';
import { connectMany } from '../support/many-channels.ts';

const { accountId } = caller;
const refused = { token: 'refused', isSubscribed: null, qualityRating: null } as const;
let house: House;
let running: Running;
let channels: Channel[];
let counted: ReturnType<typeof counting>;
beforeAll(async () => {
  house = await openHouse();
  channels = await connectMany(house, 700, {
    webhookUrl: 'https://shop.example/hooks',
    webhookEvents: ['message.received'],
  });
  counted = counting(house.world.stores);
  running = await house.run({ world: { ...house.world, stores: counted.stores } });
});
afterAll(async () => {
  await running.stop();
  await house.close();
});

async function noteState(channel: Channel, state: UpstreamState): Promise<void> {
  await house.stores.health.noteUpstream(channel.id, state, now);
  await house.stores.health.noteAccount(channel);
}

async function wordsOfHome(): Promise<string> {
  const { text } = await running.ask('/portal', { headers: asOwner });
  expect(text.length).toBeLessThan(60_000);
  return text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
}

test('says that nothing is wrong', async () => {
  expect(await wordsOfHome()).toContain(
    'No receiver fails, the platform refuses no channel, none lacks a licence, and no event was given up',
  );
});

test('shows late channels without a licence, and those whose licence has ended, lapsed or is on hold', async () => {
  const { channels: kept, subscriptions } = house.stores;
  const late = channels.slice(400, 406);
  await kept.bind(late[0]!.id, null);
  const licenceOf = ({ subscriptionId }: Channel): string => subscriptionId ?? '';
  await subscriptions.update(licenceOf(late[1]!), { status: 'expired', expiresAt: now - 9 });
  await subscriptions.update(licenceOf(late[2]!), { status: 'canceled', expiresAt: now - 9 });
  await subscriptions.update(licenceOf(late[3]!), { status: 'none' });
  await subscriptions.update(licenceOf(late[4]!), { expiresAt: now - 9 });
  await kept.bind(late[5]!.id, null);
  await kept.deactivate(late[5]!.id, accountId);
  const words = await wordsOfHome();
  const named = [...words.matchAll(/(Shop \d+) \(chatapp\) no licence/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(['Shop 401', 'Shop 402', 'Shop 403', 'Shop 404', 'Shop 405']));
  expect(words).not.toContain('more may lack a licence');
});

test('says that more may lack a licence than it has looked for', async () => {
  const { channels: kept, subscriptions } = house.stores;
  for (const { subscriptionId } of channels.slice(401, 405))
    await subscriptions.update(subscriptionId ?? '', { status: 'active', expiresAt: null });
  const unbound = channels.slice(400, 452);
  for (const { id } of unbound) await kept.bind(id, null);
  const words = await wordsOfHome();
  expect(words).toContain('At least 40 more channels');
  expect(words).toContain('whichever they are; more may lack a licence');
  for (const { id, subscriptionId } of unbound) await kept.bind(id, subscriptionId);
});

test('shows a refused token, a missing subscription and a given-up event of late channels', async () => {
  await noteState(channels[699]!, refused);
  await noteState(channels[690]!, { ...refused, token: 'valid', isSubscribed: false });
  const { id: channelId } = channels[650]!;
  const attemptLog = withAttempt(null, { at: now, durationMs: 5, status: 500, failure: 'status' });
  const failed = { accountId, state: 'failed', payload: null, attemptLog, createdAt: now } as const;
  await house.channelState.commit(channelId, 1, [
    { write: 'insertDelivery', delivery: aDelivery(channelId, failed) },
  ]);
  await house.stores.health.noteActivity([{ channelId, deliveryFailedAt: now, deliveredAt: now }]);
  const words = await wordsOfHome();
  expect(words).toContain('Shop 700 (chatapp) reconnect');
  expect(words).toContain('Shop 691 (chatapp) no events');
  expect(words).toContain('1 event of Shop 651 (chatapp) given up');
});

test('shows ten that are in trouble, and how many more there are, at least', async () => {
  for (const channel of channels.slice(600)) await noteState(channel, refused);
  const words = await wordsOfHome();
  expect(words).toMatch(/At least \d+ more channels/);
});

test('reads as many items as for the channels it examines, and the troubled ones', async () => {
  counted.reset();
  await wordsOfHome();
  const rows = Object.values(counted.rows());
  expect(rows.reduce((sum, each) => sum + each, 0)).toBeLessThan(900);
});

const unsubscribed = { ...refused, token: 'valid', isSubscribed: false } as const;

async function troubled(): Promise<Set<string>> {
  const { troubledOthers } = await homeOf(house, caller);
  return new Set(troubledOthers.map(({ channel: { id } }) => id));
}

test('finds a failing receiver, a missing licence and a given-up event beside many that get no events', async () => {
  for (const channel of channels.slice(500, 550)) await noteState(channel, unsubscribed);
  const [failing, unbound] = [channels[480]!, channels[470]!];
  await house.stores.health.noteActivity([
    { channelId: failing.id, failingSince: now, deliveryFailedAt: now },
  ]);
  await house.stores.health.noteAccount(failing);
  await house.stores.channels.bind(unbound.id, null);
  const found = await troubled();
  expect([failing, unbound, channels[650]!].map(({ id }) => found.has(id))).toEqual([true, true, true]);
});

test('inactive channels hide no active one without events', async () => {
  const some = channels.slice(500, 551).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const last = some.at(-1)!;
  for (const channel of some) await noteState(channel, unsubscribed);
  expect((await troubled()).has(last.id)).toBe(false);
  for (const { id } of some.slice(0, 50)) await house.features.deactivateChannel(caller, id);
  expect((await troubled()).has(last.id)).toBe(true);
});
