/** [upstream §4.10; operator-interface §4] A number whose conversations upstream's agent answers, and what is no conversation with one person. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  allEventsAbout,
  checkWebhooksAndClose,
  phonePost,
  phoneText,
  postAsUpstream,
} from '../support/events.ts';
import { newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

let world: World;
let channel: Channel;
beforeAll(async () => {
  world = await World.open();
  channel = await ownChannel(world);
});
afterAll(() => checkWebhooksAndClose(world));

const standbyPost = (standby: Record<string, unknown>) => {
  const metadata = { display_phone_number: '15550100042', phone_number_id: channel.upstream };
  const change = { field: 'standby', value: { messaging_product: 'whatsapp', metadata, standby } };
  return { object: 'whatsapp_business_account', entry: [{ id: '311200000000001', changes: [change] }] };
};

const counted = async (name: string): Promise<number> => {
  const { text } = await world.service.call('GET', '/metrics');
  return Number(new RegExp(`^trunkline_${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
};

/** A customer asks, and the agent answers; each POST comes twice. */
async function talk(to: string): Promise<void> {
  const asked = standbyPost({ messages: [phoneText(`wamid.A${to}`, 'Are you open?', to)] });
  const message = { messaging_product: 'whatsapp', to, type: 'text', text: { body: 'Until nine.' } };
  const answered = standbyPost({
    message_echoes: [{ id: `wamid.B${to}`, timestamp: '1767225601', message }],
  });
  for (const post of [asked, answered, asked, answered]) expect(await postAsUpstream(world, post)).toBe(200);
}

test('what a customer wrote while the agent answered is message.received; a number used only through the cloud API has no message.echo', async () => {
  const to = newPerson('chatapp');
  await talk(to);
  const told = await allEventsAbout(world, channel, to, 1);
  expect(told.map(({ event, data }) => [event, data['text']])).toEqual([
    ['message.received', 'Are you open?'],
  ]);
});

test('the agent’s answer is message.echo of a dual-use number', async () => {
  const to = newPerson('chatapp');
  await world.simulator.control('numbers', { phone_number_id: channel.upstream, dual_use: true });
  await talk(to);
  const told = await allEventsAbout(world, channel, to, 2);
  expect(told.map(({ event, data }) => [event, data['text']])).toEqual([
    ['message.received', 'Are you open?'],
    ['message.echo', 'Until nine.'],
  ]);
});

test('a status in standby is one of our message', async () => {
  const to = newPerson('chatapp');
  const { body } = await world.send(channel, 'through the service', to);
  const { sends } = await world.simulator.control(`sends?recipient=${to}`);
  const id = sends[0].id;
  const status = { id, status: 'delivered', timestamp: '1767225603', recipient_id: to };
  expect(await postAsUpstream(world, standbyPost({ statuses: [status] }))).toBe(200);
  const told = await allEventsAbout(world, channel, to, 2);
  expect(told.map(({ event, data }) => [event, data['message_id']])).toEqual([
    ['message.sent', body.message_id],
    ['message.delivered', body.message_id],
  ]);
});

test('a message in a group and a hand-over are counted and make no event', async () => {
  const to = newPerson('chatapp');
  const before = await counted('upstream_items_ignored_total');
  const inGroup = { ...phoneText(`wamid.G${to}`, 'to all', to), group_id: 'Y2FwaV9ncm91cDox' };
  const value = { recipient: { phone_number_id: channel.upstream }, type: 'control_passed' };
  const changes = [{ field: 'messaging_handovers', value }];
  const handover = { object: 'whatsapp_business_account', entry: [{ id: '311200000000001', changes }] };
  for (const post of [phonePost(channel.upstream, { messages: [inGroup] }), handover])
    expect(await postAsUpstream(world, post)).toBe(200);
  expect(await counted('upstream_items_ignored_total')).toBe(before + 2);
  expect(await allEventsAbout(world, channel, to, 0)).toEqual([]);
});
