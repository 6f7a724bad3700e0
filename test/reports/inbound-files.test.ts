/**
 * Files and shared posts of people, as users of comparable services met them.
 *
 * zammad/zammad #5164: several pictures at once, whose webhooks upstream repeats some seconds later, became two entries each.
 * ChatbotXIO/ChatbotX #694: the same sticker twice in one message was stored twice.
 * chatwoot/chatwoot #14793, #14813: a sticker or a shared post of a new type broke the whole batch, other people's messages too.
 * chatwoot/chatwoot #12992: a shared post comes as `share` and as `ig_post`, and the message was lost. [faults: 337]
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Envelope } from '../support/events.ts';
import { allEventsAbout, checkWebhooksAndClose, postAsUpstream, threadPost } from '../support/events.ts';
import { newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => checkWebhooksAndClose(world));

const shown = (told: Envelope[]): unknown[] =>
  told.map(({ data }) => [data['type'], data['unsupported_type'] ?? data['text'] ?? null]);

const at = 1_767_225_600_000;
/** A message of a person on a page or a photo account, as upstream posts it. */
const item = ({ upstream }: Channel, from: string, message: Record<string, unknown>) => ({
  sender: { id: from },
  recipient: { id: upstream },
  timestamp: at,
  message: { mid: `m_${from}`, ...message },
});
/** A file that upstream serves. */
async function servedFile(channel: Channel): Promise<string> {
  const { media } = await world.write(channel, { type: 'image' }, newPerson(channel.type));
  return media[0].url;
}

test('three pictures at once, each webhook repeated later, are three events with a file each', async () => {
  const channel = await ownChannel(world);
  const from = newPerson('chatapp');
  for (let count = 0; count < 3; count += 1) await world.write(channel, { type: 'image' }, from);
  await allEventsAbout(world, channel, from, 3);
  const { webhooks } = await world.simulator.control('webhooks');
  const bodies = webhooks.map(({ body }: { body: unknown }) => body);
  const own = bodies.filter((body: unknown) => JSON.stringify(body).includes(from));
  expect(own.length).toBeGreaterThanOrEqual(3);
  for (const body of own) expect(await postAsUpstream(world, body)).toBe(200);
  const told = await allEventsAbout(world, channel, from, 3);
  expect(told.map(({ data }) => [data['type'], data['error'] ?? null])).toEqual(
    Array.from({ length: 3 }, () => ['image', null]),
  );
});

test.each([
  ['pagechat', 'page', 'the same sticker twice', ['sticker', 'sticker'], ['image']],
  ['pagechat', 'page', 'a sticker that comes as a picture too', ['image', 'sticker'], ['image']],
  ['pagechat', 'page', 'the same picture twice', ['image', 'image'], ['image']],
  ['photoapp', 'instagram', 'a shared post in both forms', ['share', 'ig_post'], ['unsupported']],
] as const)(
  '%s (%s): %s is told once, and the next person of the batch too',
  async (type, object, _, types, told) => {
    const channel = await ownChannel(world, type);
    const [first, second] = [newPerson(type), newPerson(type)];
    const url = await servedFile(channel);
    const attachments = types.map((each) => ({ type: each, payload: { url } }));
    const items = [item(channel, first, { attachments }), item(channel, second, { text: 'and I?' })];
    expect(await postAsUpstream(world, threadPost(object, channel.upstream, items))).toBe(200);
    expect(shown(await allEventsAbout(world, channel, second, 1))).toEqual([['text', 'and I?']]);
    const events = await allEventsAbout(world, channel, first, 1);
    expect(events.map(({ data }) => data['type'])).toEqual(told);
  },
);

test.each(['post', 'reel', 'something_new'])(
  'a page is sent a %s: it is told by upstream’s name, with its batch',
  async (type) => {
    const channel = await ownChannel(world, 'pagechat');
    const [first, second] = [newPerson('pagechat'), newPerson('pagechat')];
    const attachments = [{ type, payload: { title: 'Rolls', url: 'https://pages.example/1' } }];
    const items = [item(channel, first, { attachments }), item(channel, second, { text: 'and I?' })];
    expect(await postAsUpstream(world, threadPost('page', channel.upstream, items))).toBe(200);
    expect(shown(await allEventsAbout(world, channel, second, 1))).toEqual([['text', 'and I?']]);
    expect(shown(await allEventsAbout(world, channel, first, 1))).toEqual([['unsupported', type]]);
  },
);
