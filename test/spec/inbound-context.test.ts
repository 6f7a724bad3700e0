/** [spec: Additions; upstream §4.1, §4.2, §4.7, §4.8] Who wrote, what it answers, where the person came from, and what a message holds. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allEventsAbout, checkWebhooksAndClose, eventsAbout, quiet } from '../support/events.ts';
import { channelTypes, connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import type { ChannelType } from '../support/world.ts';

let world: World;
let channels: Channels;
beforeAll(async () => {
  world = await World.open();
  ({ channels } = await connectAll(world));
});
afterAll(() => checkWebhooksAndClose(world));

/** The data of the event that this message becomes; of the last one, if it becomes several. */
async function told(
  type: ChannelType,
  ask: Record<string, unknown>,
  from = newPerson(type),
): Promise<Record<string, unknown>> {
  const channel = channels[type];
  const received = () =>
    eventsAbout(world, channel, from).filter(({ event }) => event === 'message.received');
  const earlier = received().length;
  await world.write(channel, ask, from);
  await until('the message', () => received().length > earlier);
  await quiet(world, channel);
  return received().at(-1)?.data ?? {};
}

describe('who it is', () => {
  test('chatapp: the business-scoped id and the username beside the number', async () => {
    const from = newPerson('chatapp');
    const userId = `DE.aB${from}`;
    await world.simulator.control('people', {
      channel: channels.chatapp.upstream,
      id: from,
      username: 'mia.v',
      user_id: userId,
    });
    expect(await told('chatapp', {}, from)).toMatchObject({
      from,
      from_user_id: userId,
      from_username: 'mia.v',
    });
  });

  test('chatapp: the answer to a send and its statuses have the id, and the number where it is another', async () => {
    const [asked, from] = ['5491155550101', '541155550101'];
    const userId = 'AR.x7Q';
    await world.simulator.control('people', {
      channel: channels.chatapp.upstream,
      id: from,
      input: asked,
      user_id: userId,
    });
    await world.write(channels.chatapp, {}, from);
    const { body } = await world.send(channels.chatapp, 'to the dialled number', asked);
    expect(body).toMatchObject({ status: 'sent', wa_id: from });
    const statuses = await allEventsAbout(world, channels.chatapp, asked, 2);
    expect(statuses.find(({ event }) => event === 'message.delivered')?.data).toEqual({
      message_id: body.message_id,
      status: 'delivered',
      recipient: asked,
      recipient_user_id: userId,
      wa_id: from,
    });
    const answered = await world.send(channels.chatapp, 'to the id', userId);
    expect(answered.body).toMatchObject({ status: 'sent', recipient_user_id: userId });
  });
});

describe('what it answers', () => {
  test.each(channelTypes)('%s: a message that we sent, by our id', async (type) => {
    const from = newPerson(type);
    await told(type, {}, from);
    const { body } = await world.send(channels[type], 'Which one?', from);
    const [sent] = await ledger(world.simulator, { recipient: from, at_least: 1, wait_ms: 5_000 });
    const answer = await told(type, { text: 'This one', reply_to: sent?.id }, from);
    expect(answer).toMatchObject({ text: 'This one', reply_to: { message_id: body.message_id } });
  });

  test.each(channelTypes)('%s: a message of the person, by the id of its event', async (type) => {
    const from = newPerson(type);
    const id = `${type}.quoted.${from}`;
    const first = await told(type, { id, text: 'A cake' }, from);
    const second = await told(type, { text: 'For Friday', reply_to: id, reply_to_own: true }, from);
    expect(second['reply_to']).toEqual({ message_id: first['message_id'] });
  });

  test.each(channelTypes)("%s: an unknown message, by upstream's id", async (type) => {
    expect(await told(type, { reply_to: 'mid.before-us' })).toMatchObject({
      reply_to: { upstream_message_id: 'mid.before-us' },
    });
  });

  test('photoapp: a story', async () => {
    expect(await told('photoapp', { type: 'story_reply' })).toMatchObject({
      type: 'text',
      reply_to: { story: { id: expect.stringMatching(/^18\d+$/), url: expect.stringMatching(/^http/) } },
    });
  });

  test('chatapp: a message with a file answers one too', async () => {
    const from = newPerson('chatapp');
    const first = await told('chatapp', { id: `wamid.of.${from}` }, from);
    const second = await told('chatapp', { type: 'image', reply_to: `wamid.of.${from}` }, from);
    expect(second).toMatchObject({ type: 'image', reply_to: { message_id: first['message_id'] } });
  });

  test('pagechat: only the first event of a message with several files has it', async () => {
    const from = newPerson('pagechat');
    const attachments = [{ type: 'image' }, { type: 'file' }];
    await world.write(channels.pagechat, { attachments, reply_to: 'm_old', referral: true }, from);
    const events = await allEventsAbout(world, channels.pagechat, from, 2);
    const having = events.filter(
      ({ data }) => data['reply_to'] !== undefined || data['referral'] !== undefined,
    );
    expect(having.map(({ data }) => data['type'])).toEqual(['image']);
  });
});

describe('where the person came from', () => {
  test('chatapp: an ad with the id of the click', async () => {
    expect((await told('chatapp', { referral: true }))['referral']).toEqual({
      source: 'ad',
      source_id: '120200000000000001',
      source_url: 'https://fb.example/ad',
      headline: 'Fresh every morning',
      body: 'Write to us',
      media_type: 'image',
      media_url: 'https://scontent.example/ad.jpg',
      ctwa_clid: 'ARclick',
    });
  });

  test('chatapp: a product of the catalogue', async () => {
    const product = { catalog_id: '1600000000000001', product_retailer_id: 'cake-1' };
    expect((await told('chatapp', { product }))['referral']).toEqual({
      source: 'product',
      product_id: 'cake-1',
      catalog_id: '1600000000000001',
    });
  });

  test.each([
    ['photoapp', 'text'],
    ['pagechat', 'text'],
    ['pagechat', 'postback'],
  ] as const)('%s %s: an ad', async (type, name) => {
    expect((await told(type, { type: name, referral: true, ref: 'spring' }))['referral']).toEqual({
      source: 'ad',
      source_id: '120200000000000001',
      headline: 'Fresh every morning',
      media_url: 'https://scontent.example/ad.jpg',
      ref: 'spring',
    });
  });
});

describe('what was pressed', () => {
  test.each([
    ['chatapp', { type: 'button' }],
    ['chatapp', { type: 'interactive', interactive: 'button_reply' }],
    ['chatapp', { type: 'interactive', interactive: 'list_reply' }],
    ['pagechat', { type: 'quick_reply' }],
    ['pagechat', { type: 'postback' }],
    ['photoapp', { type: 'postback' }],
  ] as const)('%s %p', async (type, ask) => {
    expect(await told(type, { ...ask, text: 'Rolls', payload: 'row-1' })).toMatchObject({
      text: 'Rolls',
      button: { id: 'row-1', title: 'Rolls' },
    });
  });
});

describe('what it holds', () => {
  const place = { latitude: 53.5443, longitude: 9.9666, name: 'Old harbour' };
  const post = { url: expect.stringMatching(/^http/) };
  test.each([
    ['chatapp', { type: 'location' }, { ...place, address: 'Quay 1' }],
    ['pagechat', { type: 'location' }, place],
    [
      'chatapp',
      { type: 'contacts', origin: 'contact_request' },
      {
        contacts: [
          {
            name: 'Lena Ott',
            phones: [{ phone: '+49 1590 0000779', wa_id: '4915900000779', type: 'CELL' }],
            origin: 'contact_request',
          },
        ],
      },
    ],
    [
      'chatapp',
      { type: 'order', text: 'Please' },
      {
        catalog_id: '1600000000000001',
        text: 'Please',
        items: [{ product_id: 'cake-1', quantity: 1, price: 12.5, currency: 'EUR' }],
      },
    ],
    [
      'chatapp',
      { type: 'interactive', interactive: 'nfm_reply', text: 'Sent', response: { day: 'Friday' } },
      { name: 'flow', body: 'Sent', response: { flow_token: 'unused', id: 'yes', day: 'Friday' } },
    ],
    ['pagechat', { type: 'fallback' }, { url: 'https://news.example/today', title: 'News' }],
    ['photoapp', { type: 'ig_post' }, expect.objectContaining(post)],
    ['photoapp', { type: 'ig_reel' }, expect.objectContaining(post)],
    ['photoapp', { type: 'story_mention' }, expect.objectContaining(post)],
  ] as const)('%s %p', async (type, ask, content) => {
    expect((await told(type, ask))['content']).toEqual(content);
  });

  test.each([
    [{ unsupported: 'poll_creation' }, 'poll_creation'],
    [{}, '131051'],
    [{ code: 131060 }, '131060'],
  ])('chatapp: why it is not shown: %p', async (ask, reason) => {
    expect(await told('chatapp', { type: 'unsupported', ...ask })).toMatchObject({
      unsupported_type: 'unsupported',
      unsupported_reason: reason,
    });
  });
});
