/** [spec: Ordered delivery] */
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Inbox } from '../support/inbox.ts';
import type { Arrival } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld({ WEBHOOK_RETRY_DELAYS_MS: '100,100,100,100,100,100,100' });
let inbox: Inbox;
let channel: Channel;
beforeEach(async () => {
  inbox = await Inbox.open();
  const owner = await newAccount(world.service);
  const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
  channel = await world.connect(owner, 'pagechat', { upstream, webhookUrl: inbox.url });
});
afterEach(() => inbox.close());

const patch = (body: object) =>
  world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key: channel.key, body });

const told = ({ event: { data }, answered }: Arrival): string => `${String(data['text'])} ${answered}`;

test('a channel says whether it is ordered; it is not by default', async () => {
  const shown = async () =>
    (await world.service.call('GET', `/api/v1/channels/${channel.id}`, { key: channel.key })).body.ordered;
  expect(await shown()).toBe(false);
  expect((await patch({ ordered: true })).status).toBe(200);
  expect(await shown()).toBe(true);
  expect((await patch({ ordered: null })).status).toBe(422);
});

test('while an event is retried, later ones of its person wait, and another person does not', async () => {
  await patch({ ordered: true });
  inbox.answerNext(500);
  const [one, other] = [newPerson('pagechat'), newPerson('pagechat')];
  await world.write(channel, { text: 'first', wait: true }, one);
  await inbox.next(1);
  await world.write(channel, { text: 'second', wait: true }, one);
  await world.write(channel, { text: 'aside', wait: true }, other);
  const arrivals = await inbox.next(4);
  const of = (person: string) => arrivals.filter(({ event }) => event.data['from'] === person).map(told);
  expect(of(one)).toEqual(['first 500', 'first 200', 'second 200']);
  expect(of(other)).toEqual(['aside 200']);
});

test('an event that is given up frees the next one', async () => {
  await patch({ ordered: true });
  inbox.answerNext(...Array.from({ length: 8 }, () => 500));
  const from = newPerson('pagechat');
  await world.write(channel, { text: 'first', wait: true }, from);
  await world.write(channel, { text: 'second', wait: true }, from);
  expect((await inbox.next(9)).map(told)).toEqual([
    ...Array.from({ length: 8 }, () => 'first 500'),
    'second 200',
  ]);
});
