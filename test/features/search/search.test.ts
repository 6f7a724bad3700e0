/** [faults: 413, 414] The search of the portal: what the account has of a typed text, bounded, and of this account alone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { connect, openHouse, signIn } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { apiKey, asOwner, caller, now, session } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { unconfirmedEmail } from '../../../src/rules/email.ts';
import {
  aDelivery,
  aGrant,
  aMessage,
  aPerson,
  aRequest,
  aTemplate,
} from '../../stores/conformance/samples.ts';
import { chatappProfile } from '../../support/profiles.ts';
import { counting } from '../support/counting.ts';

const { accountId } = caller;
const upstreamId = 'wamid.HBgMNDkxNzAxMjM0NTY3FQIAERgS';
const requestId = 'order-4711';
const viewer = 'w'.repeat(session.length);
const asViewer = { cookie: asOwner.cookie.replace(session, viewer) };
let house: House;
let running: Running;
let channel: Channel;
let counted: ReturnType<typeof counting>;
const message = { id: newId(), delivery: newId(), foreign: newId() };

beforeAll(async () => {
  house = await openHouse();
  counted = counting(house.world.stores);
  running = await house.run({ world: { ...house.world, stores: counted.stores } });
  await signIn(house, 'viewer', viewer);
  const profile = chatappProfile({ phoneNumberId: '106540352242922', phoneNumber: '+49 30 901820' });
  channel = await connect(house, 'chatapp', {
    grant: aGrant({ name: 'Corner Shop', profile, subscribedAsset: profile.businessAccountId }),
  });
  const { id: channelId } = channel;
  const base = { accountId, createdAt: now } as const;
  const sent = ['491701234567', '491709999999', '15550001111'].map((recipient, n) =>
    aMessage(channelId, {
      ...base,
      recipient,
      ...(n === 0 ? { id: message.id, upstreamIds: [upstreamId] } : {}),
    }),
  );
  const foreign = aMessage(newId(), { id: message.foreign, recipient: '491705555555', createdAt: now });
  const delivery = aDelivery(channelId, {
    ...base,
    id: message.delivery,
    person: '33612345678',
    messageType: 'text',
  });
  for (const each of sent)
    await house.channelState.commit(channelId, 1, [{ write: 'insertMessage', message: each }]);
  await house.channelState.commit(channelId, 1, [{ write: 'insertDelivery', delivery }]);
  await house.channelState.commit(foreign.channelId, 1, [{ write: 'insertMessage', message: foreign }]);
  await house.stores.requestLog.add([aRequest(accountId, { requestId, createdAt: now })]);
});
afterAll(async () => {
  await running.stop();
  await house.close();
});

const search = (q: string, headers: Record<string, string> = asOwner) =>
  running.ask(`/portal/search?q=${encodeURIComponent(q)}`, { headers });
/** Where the search leads: a page, or the links of its hits. */
async function found(q: string, headers?: Record<string, string>): Promise<string | string[]> {
  const { status, headers: answered, text } = await search(q, headers);
  if (status !== 200) return String(answered.get('location'));
  const main = text.slice(text.indexOf('<main'));
  return [...main.matchAll(/<li><a href="([^"]+)"><bdi>/g)].map(([, path = '']) => path);
}
const personPath = (person: string): string => `/portal/messages?person=${person}`;

test.each([
  ['the beginning of a number', '49170', ['491701234567', '491709999999']],
  ['a number as people write it', '+49 (170) 1', ['491701234567']],
  ['the end of a number', '01234567', ['491701234567']],
  ['the middle of a number', '99999', ['491709999999']],
  ['the number of a person who wrote', '336', ['33612345678']],
])('people are found by %s', async (_words, typed, people) => {
  const paths = people.map(personPath);
  expect(await found(typed)).toEqual(paths.length === 1 ? paths[0] : paths);
});

test.each([
  ['name', 'corner'],
  ['a later word of its name', 'shop'],
  ['number', '+49 30 901'],
  ['the platform’s id', '106540352242922'],
])('a channel is found by its %s', async (_words, typed) => {
  expect(await found(typed)).toBe(`/portal/channels/${channel.id}`);
});

test('ids lead to what they are of, as they are copied', async () => {
  const at = `/portal/channels/${channel.id}`;
  expect(await found(channel.id)).toBe(at);
  expect(await found(`"${message.id}",`)).toBe(`${at}/messages/${message.id}`);
  expect(await found(upstreamId)).toBe(`${at}/messages/${message.id}`);
  expect(await found(message.delivery.toUpperCase())).toBe(`${at}/deliveries/${message.delivery}`);
  expect(await found(requestId)).toBe(`/portal/requests?id=${requestId}`);
});

test('templates are found by a part of their name, or their id, through a channel of the account', async () => {
  const { stores } = house;
  const of = { accountId, businessAccountId: channel.subscribedAsset ?? '' };
  const template = aTemplate({ ...of, name: 'spring_offer' });
  const put = (over: Parameters<typeof aTemplate>[0]) => stores.templates.put(aTemplate(over), now);
  await stores.templates.put(template, now);
  await put({ ...of, name: 'summer_offer' });
  await put({ ...of, name: 'autumn_offer', accountId: newId() });
  await put({ accountId, name: 'winter_offer', businessAccountId: 'of no channel' });
  const at = (name: string): string => `/portal/templates?channel=${channel.id}&amp;name=${name}`;
  expect(await found('offer')).toEqual([at('spring_offer'), at('summer_offer')]);
  expect(await found('Spring_')).toBe(at('spring_offer').replace('&amp;', '&'));
  expect(await found(template.id)).toBe(at('spring_offer').replace('&amp;', '&'));
  const { text } = await running.ask(at('spring_offer').replace('&amp;', '&'), { headers: asViewer });
  expect([text.includes('>spring_offer<'), text.includes('summer_offer')]).toEqual([true, false]);
});

test('pages, keys and people of the account are found by name, as far as the person sees them', async () => {
  expect(await found('deliv')).toBe('/portal/deliveries');
  expect(await found('audit')).toBe('/portal/audit');
  expect(await found('audit', asViewer)).toEqual([]);
  expect(await found(apiKey.slice(-4))).toBe('/portal/keys');
  expect(await found('owner@example')).toBe('/portal/people');
});

test('people who are invited are shown by their address alone', async () => {
  const emails = ['new-one@example.com', 'new-two@example.com'];
  for (const email of emails) {
    const id = newId();
    const invited = {
      id,
      accountId,
      email: unconfirmedEmail(email, id),
      passwordHash: null,
      confirmedAt: null,
    };
    await house.stores.people.insert(aPerson(invited));
  }
  const { text } = await search('new-');
  const shown = [...text.matchAll(/<bdi>(new-[^<]*)<\/bdi>/g)].map(([, words]) => words);
  expect(new Set(shown)).toEqual(new Set(emails));
});

test('nothing of another account is found, and the page says what can be', async () => {
  expect(await found('491705555555')).toEqual([]);
  expect(await found(message.foreign)).toEqual([]);
  const { status, text } = await search('<b>nobody');
  expect([status, text.includes('<b>nobody')]).toEqual([200, false]);
  expect(text).toContain('Nothing fits');
  expect((await running.ask('/portal/search', { headers: asOwner })).status).toBe(200);
});

test('a search reads a bounded number of messages, however many a person has', async () => {
  const { id: channelId } = channel;
  const many = Array.from({ length: 2_000 }, (_, n) =>
    aMessage(channelId, { accountId, recipient: `4477${n % 3}`, createdAt: now + n }),
  );
  await house.channelState.commit(
    channelId,
    1,
    many.map((each) => ({ write: 'insertMessage', message: each })),
  );
  counted.reset();
  expect(await found('4477')).toEqual(['44770', '44771', '44772'].map(personPath));
  const read = Object.values(counted.rows()).reduce((sum, each) => sum + each, 0);
  expect(read).toBeLessThan(900);
});
