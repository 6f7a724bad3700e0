/**
 * What a business wrote outside the service, as users of comparable services reported it.
 *
 * megaapp977/stack #115 and #408, OCA/social #1912: what is written in the phone's app does not appear. chatwoot/chatwoot #7078: what the
 * business wrote came back as messages of the customer. [operator-interface §4: echoes; faults: 271, 273]
 */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import {
  allEventsAbout,
  checkWebhooksAndClose,
  phonePost,
  phoneText,
  postAsUpstream,
  threadPost,
} from '../support/events.ts';
import { newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterEach(() => call('DELETE', `${world.simulator.url}/control/faults`));
afterAll(() => checkWebhooksAndClose(world));

const writes = (channel: Channel, to: string, text: string) =>
  world.simulator.control('business/write', { channel: channel.upstream, to, text, wait: true });
const names = (told: { event: string }[]): string[] => told.map(({ event }) => event);
const moves = (channel: Channel, dualUse: boolean) =>
  world.simulator.control('numbers', { phone_number_id: channel.upstream, dual_use: dualUse });

test('a number joins the phone’s app after it was connected, and upstream does not answer at once: its first message is told', async () => {
  const channel = await ownChannel(world);
  const to = newPerson('chatapp');
  await moves(channel, true);
  const match = { path: `/${channel.upstream}`, method: 'GET' };
  await world.simulator.control('faults', { match, act: 'refuse', code: 2, status: 503, times: 1 });
  await writes(channel, to, 'from the phone');
  expect(names(await allEventsAbout(world, channel, to, 1))).toEqual(['message.echo']);
  expect((await world.simulator.control('faults')).faults).toMatchObject([{ fired: 1 }]);
});

test('a number joins the phone’s app just after upstream was asked about it: its first message is told', async () => {
  const channel = await ownChannel(world);
  const { key, id } = channel;
  expect((await world.service.call('GET', `/api/v1/channels/${id}/health`, { key })).status).toBe(200);
  await moves(channel, true);
  const to = newPerson('chatapp');
  await writes(channel, to, 'from the phone');
  expect(names(await allEventsAbout(world, channel, to, 1))).toEqual(['message.echo']);
});

/** A message of the channel itself, to `to`, or to nobody. */
function ownMessage({ type, upstream: own }: Channel, id: string, to: string | null): unknown {
  if (type === 'chatapp') {
    const message = phoneText(id, 'our own', '15550100042');
    return phonePost(own, { messages: [to === null ? message : { ...message, to }] });
  }
  const item = { sender: { id: own }, recipient: { id: to ?? own }, timestamp: 1_767_225_600_000 };
  const object = type === 'pagechat' ? 'page' : 'instagram';
  return threadPost(object, own, [{ ...item, message: { mid: id, text: 'our own' } }]);
}

test.each(['chatapp', 'photoapp', 'pagechat'] as const)(
  '%s: what the channel itself wrote, without the mark of an echo, is an echo if its reader is named, and never message.received',
  async (type) => {
    const channel = await ownChannel(world, type);
    if (type === 'chatapp') await moves(channel, true);
    const to = newPerson(type);
    const arrivals = world.inbox.arrivals.length;
    for (const post of [ownMessage(channel, `own-1-${to}`, null), ownMessage(channel, `own-2-${to}`, to)])
      expect(await postAsUpstream(world, post)).toBe(200);
    const told = await allEventsAbout(world, channel, to, 1);
    expect(told.map(({ event, data }) => [event, data['text']])).toEqual([['message.echo', 'our own']]);
    expect(world.inbox.arrivals).toHaveLength(arrivals + 1);
  },
);
