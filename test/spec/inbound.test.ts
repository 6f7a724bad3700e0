/** [spec: message.received data; upstream §4.2, §4.7, §4.8] Messages of people become events. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  allEventsAbout,
  checkWebhooksAndClose,
  phonePost,
  phoneText,
  postAsUpstream,
  eventsAbout,
} from '../support/events.ts';
import { withoutAdditions } from '../support/additions.ts';
import { typesWithoutEvent, inboundRows } from '../support/inbound-rows.ts';
import { channelTypes, connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { assetOf, newBusiness } from '../support/setup.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { uuid } from '../support/shapes.ts';

let world: World;
let channels: Channels;
beforeAll(async () => {
  world = await World.open();
  ({ channels } = await connectAll(world));
});
afterAll(() => checkWebhooksAndClose(world));

const at = 1_767_225_600_000;

describe('a text', () => {
  test.each(channelTypes)('%s: the complete envelope', async (type) => {
    const from = newPerson(type);
    await world.write(channels[type], { text: 'Grüße 👋', name: 'Mia', at }, from);
    const events = await allEventsAbout(world, channels[type], from, 1);
    expect(events.map((one) => ({ ...one, data: withoutAdditions(one.data) }))).toEqual([
      {
        event: 'message.received',
        channel_id: channels[type].id,
        channel_type: type,
        timestamp: '2026-01-01T00:00:00.000Z',
        data: {
          message_id: expect.stringMatching(uuid),
          from,
          // [spec: from_name] null on photoapp and pagechat
          from_name: type === 'chatapp' ? 'Mia' : null,
          type: 'text',
          text: 'Grüße 👋',
        },
      },
    ]);
  });

  test('chatapp: an event also if its body is empty', async () => {
    const from = newPerson('chatapp');
    const messages = [phoneText('wamid.nothing', '', from)];
    expect(await postAsUpstream(world, phonePost(channels.chatapp.upstream, { messages }))).toBe(200);
    const [received] = await allEventsAbout(world, channels.chatapp, from, 1);
    expect(received?.data).toMatchObject({ from, type: 'text', text: '' });
  });

  test.each(channelTypes)('%s: data.from is usable as recipient of the reply', async (type) => {
    const from = newPerson(type);
    await world.write(channels[type], { text: 'anybody there?' }, from);
    const [received] = await allEventsAbout(world, channels[type], from, 1);
    const reply = await world.send(channels[type], 'yes', String(received?.data['from']));
    expect(reply.body.status).toBe('sent');
  });
});

test('chatapp: a person who hides the phone number is answered through the id in data.from', async () => {
  const hidden = 'DE.20260000000000000042';
  await world.write(channels.chatapp, { text: 'who am I?', hide_number: true });
  const [received] = await allEventsAbout(world, channels.chatapp, hidden, 1);
  expect(received?.data).toMatchObject({ from: hidden, text: 'who am I?' });
  const { body } = await world.send(channels.chatapp, 'Mia!', hidden);
  expect(body.status).toBe('sent');
  const told = await allEventsAbout(world, channels.chatapp, hidden, 3);
  const ofReply = told.filter(({ data }) => data['message_id'] === body.message_id).map(({ event }) => event);
  expect(new Set(ofReply)).toEqual(new Set(['message.sent', 'message.delivered']));
  // Some messages name their sender only in the contact beside them.
  await world.write(channels.chatapp, { text: 'it is me', hide_number: true, sender_in_contact: true });
  const later = await allEventsAbout(world, channels.chatapp, hidden, 4);
  expect(later.map(({ data }) => data['text'])).toContain('it is me');
});

describe('every other type', () => {
  const rows = channelTypes.flatMap((type) =>
    inboundRows[type].map(([name, data]) => [type, name, data] as const),
  );
  test.each(rows)('%s %s', async (type, name, data) => {
    const from = newPerson(type);
    await world.write(channels[type], { type: name }, from);
    const [received] = await allEventsAbout(world, channels[type], from, 1);
    const { message_id: id, from: sender, from_name: _, ...rest } = withoutAdditions(received?.data ?? {});
    expect([id, sender]).toEqual([expect.stringMatching(uuid), from]);
    expect(rest).toEqual(data);
  });

  test.each(channelTypes)('%s: reactions, edits and the like are never delivered', async (type) => {
    const from = newPerson(type);
    await world.write(channels[type], { text: 'before' }, from);
    for (const name of typesWithoutEvent[type]) {
      // The app is not subscribed to all of them.
      const { answers = [] } = await world.write(
        channels[type],
        { type: name, message_id: 'wamid.before', wait: true },
        from,
      );
      expect(answers.filter((answer: number) => answer !== 200)).toEqual([]);
    }
    await world.write(channels[type], { text: 'after' }, from);
    const told = await allEventsAbout(world, channels[type], from, 2);
    expect(told.map(({ data }) => data['text'])).toEqual(['before', 'after']);
  });
});

describe('media', () => {
  test('chatapp: the media event has the caption, file names of documents and the voice flag of voice clips', async () => {
    const from = newPerson('chatapp');
    await world.write(channels.chatapp, { type: 'image', caption: 'this one' }, from);
    await world.write(channels.chatapp, { type: 'document', filename: 'plan.pdf' }, from);
    await world.write(channels.chatapp, { type: 'voice' }, from);
    const told = await allEventsAbout(world, channels.chatapp, from, 3);
    const ofType = (type: string) => told.find(({ data }) => data['type'] === type)?.data;
    expect(ofType('image')).toMatchObject({ caption: 'this one', media: { filename: null } });
    expect(ofType('document')).toMatchObject({ media: { filename: 'plan.pdf' } });
    expect(ofType('audio')).toMatchObject({ media: { voice: true } });
    expect(ofType('image')?.['media']).not.toHaveProperty('voice');
  });

  test.each(['photoapp', 'pagechat'] as const)(
    '%s: each attachment is its own event, with ids .2 and .3; only the first has the caption',
    async (type) => {
      const from = newPerson(type);
      const attachments = [{ type: 'image' }, { type: 'file', filename: 'a.pdf' }, { type: 'video' }];
      await world.write(channels[type], { text: 'three', attachments }, from);
      const told = await allEventsAbout(world, channels[type], from, 3);
      const byId = told.toSorted((a, b) =>
        String(a.data['message_id']).localeCompare(String(b.data['message_id'])),
      );
      const id = String(byId[0]?.data['message_id']);
      expect(id).toMatch(uuid);
      expect(byId.map(({ data }) => [data['message_id'], data['type'], data['caption']])).toEqual([
        [id, 'image', 'three'],
        [`${id}.2`, 'document', undefined],
        [`${id}.3`, 'video', undefined],
      ]);
    },
  );
});

async function starter(type: 'chatapp' | 'pagechat'): Promise<Channel> {
  const upstream = assetOf(await newBusiness(world.simulator), type);
  return world.connect(await newAccount(world.service, 'starter'), type, { upstream });
}

describe('on a starter licence', () => {
  test.each([
    ['chatapp', 'image', 'image'],
    ['chatapp', 'voice', 'audio'],
    ['chatapp', 'sticker', 'sticker'],
    ['pagechat', 'file', 'document'],
  ] as const)('%s %s arrives as unsupported with upgrade_required pro', async (type, name, withheld) => {
    const channel = await starter(type);
    const from = newPerson(type);
    await world.write(channel, { type: name }, from);
    const [received] = await allEventsAbout(world, channel, from, 1);
    const { message_id: _, from: __, from_name: ___, ...rest } = withoutAdditions(received?.data ?? {});
    expect(rest).toEqual({ type: 'unsupported', unsupported_type: withheld, upgrade_required: 'pro' });
  });

  test('texts arrive, and a message without a file has no upgrade_required', async () => {
    const channel = await starter('chatapp');
    const from = newPerson('chatapp');
    await world.write(channel, { text: 'hello' }, from);
    await world.write(channel, { type: 'location' }, from);
    const told = await allEventsAbout(world, channel, from, 2);
    expect(told.map(({ data }) => [data['type'], data['upgrade_required']])).toEqual([
      ['text', undefined],
      ['unsupported', undefined],
    ]);
  });

  test('the tier at the arrival of the message decides', async () => {
    const account = await newAccount(world.service, 'starter');
    const upstream = assetOf(await newBusiness(world.simulator), 'pagechat');
    const channel = await world.connect(account, 'pagechat', { upstream });
    await world.service.admin('PATCH', `/subscriptions/${account.subscriptionId}`, { tier: 'pro' });
    const from = newPerson('pagechat');
    await world.write(channel, { type: 'image' }, from);
    const [received] = await allEventsAbout(world, channel, from, 1);
    expect(received?.data['type']).toBe('image');
  });
});

describe('upstream delivers at least once, unordered, in batches', () => {
  test.each(channelTypes)('%s: a redelivered message is delivered once, with one id', async (type) => {
    const from = newPerson(type);
    await world.simulator.control('webhooks/rules', { match: { kind: 'message' }, duplicate: 3 });
    await world.write(channels[type], { text: 'once', wait: true }, from);
    const [first] = await allEventsAbout(world, channels[type], from, 1);
    const { webhooks } = await world.simulator.control(`webhooks?contains=${from}`);
    expect(webhooks.length).toBeGreaterThanOrEqual(4);
    expect(await postAsUpstream(world, webhooks[0].body)).toBe(200);
    expect(await allEventsAbout(world, channels[type], from, 1)).toEqual([first]);
  });

  test.each(channelTypes)('%s: many messages in one POST are many events', async (type) => {
    const from = newPerson(type);
    await world.simulator.control('webhooks/hold', {});
    for (let n = 0; n < 25; n += 1) await world.write(channels[type], { text: `n ${n}` }, from);
    await world.simulator.control('webhooks/flush', { order: 'shuffle', batch: 25, duplicate: 1 });
    const told = await allEventsAbout(world, channels[type], from, 25);
    expect(new Set(told.map(({ data }) => data['text']))).toEqual(
      new Set(Array.from({ length: 25 }, (_, n) => `n ${n}`)),
    );
    expect(told).toHaveLength(25);
  });

  test('a POST may hold messages of channels of different accounts: each gets its own', async () => {
    const upstream = assetOf(await newBusiness(world.simulator), 'pagechat');
    const other = await world.connect(await newAccount(world.service), 'pagechat', { upstream });
    const [mine, theirs] = [newPerson('pagechat'), newPerson('pagechat')];
    await world.simulator.control('webhooks/hold', {});
    await world.write(channels.pagechat, { text: 'for one' }, mine);
    await world.write(other, { text: 'for the other' }, theirs);
    await world.simulator.control('webhooks/flush', { batch: 10 });
    expect((await allEventsAbout(world, channels.pagechat, mine, 1)).map(({ data }) => data['text'])).toEqual(
      ['for one'],
    );
    expect((await allEventsAbout(world, other, theirs, 1)).map(({ data }) => data['text'])).toEqual([
      'for the other',
    ]);
  });

  test('of 1,000 items with one malformed, 999 are delivered and upstream is answered 200', async () => {
    const from = newPerson('chatapp');
    const items: unknown[] = Array.from({ length: 1_000 }, (_, n) =>
      phoneText(`wamid.batch${n}`, `n ${n}`, from),
    );
    items[500] = { id: 'wamid.batch500', from, type: 7 };
    const answer = await postAsUpstream(world, phonePost(channels.chatapp.upstream, { messages: items }));
    expect(answer).toBe(200);
    const told = await allEventsAbout(world, channels.chatapp, from, 999);
    expect(new Set(told.map(({ data }) => data['text'])).size).toBe(999);
    // On a busy machine the receiver answers some too late, and gets them again.
    expect(new Set(told.map(({ data }) => data['message_id'])).size).toBe(999);
  });
});

describe('events of unknown or unusable channels are dropped and answered 200', () => {
  test('an identity that nobody connected', async () => {
    const before = world.inbox.arrivals.length;
    const messages = [phoneText('wamid.stranger', 'hello?', newPerson('chatapp'))];
    expect(await postAsUpstream(world, phonePost('999999999999999', { messages }))).toBe(200);
    await allEventsAbout(world, channels.chatapp, 'nobody', 0);
    expect(world.inbox.arrivals.length).toBe(before);
  });

  test('a deactivated channel, and one whose licence has ended', async () => {
    const account = await newAccount(world.service);
    const upstream = assetOf(await newBusiness(world.simulator), 'chatapp');
    const channel = await world.connect(account, 'chatapp', { upstream });
    const tell = (text: string): Promise<number> =>
      postAsUpstream(world, phonePost(upstream, { messages: [phoneText(`wamid.${text}`, text)] }));
    await world.service.admin('PATCH', `/subscriptions/${account.subscriptionId}`, { status: 'expired' });
    expect(await tell('expired')).toBe(200);
    await world.service.admin('PATCH', `/subscriptions/${account.subscriptionId}`, { status: 'active' });
    await world.service.call('DELETE', `/api/v1/channels/${channel.id}`, { key: account.key });
    expect(await tell('inactive')).toBe(200);
    await allEventsAbout(world, channel, 'nobody', 0);
    expect(eventsAbout(world, channel, '4915900000777')).toEqual([]);
  });
});
