/** [spec: message.echo data, rules 1-8] Copies of what the business sent outside the service. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { allEventsAbout, checkWebhooksAndClose, postAsUpstream } from '../support/events.ts';
import { channelTypes, newPerson } from '../support/sends.ts';
import { newBusiness, ownChannel } from '../support/setup.ts';
import { eventsOf, newAccount, World } from '../support/world.ts';
import type { Channel, ChannelType } from '../support/world.ts';
import { uuid } from '../support/shapes.ts';

let world: World;
let plain: Record<ChannelType, Channel>;
let tracked: Record<ChannelType, Channel>;
beforeAll(async () => {
  world = await World.open();
  plain = await connectDualUse();
  tracked = await connectDualUse();
  for (const { id, key } of Object.values(tracked)) {
    const body = { echo_statuses: true };
    const answer = await world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body });
    if (answer.status !== 200) throw new Error(answer.text);
  }
});
afterAll(() => checkWebhooksAndClose(world));

let businesses = 0;
/** A channel of each type; the phone number is dual-use: cloud API and the business's own phone app. */
async function connectDualUse(): Promise<Record<ChannelType, Channel>> {
  businesses += 1;
  const account = await newAccount(world.service);
  const phone = `42230000000070${businesses}`;
  await world.simulator.control('businesses', {
    waba_id: `31120000000070${businesses}`,
    phone_numbers: [{ id: phone, display: `+1 555-010-070${businesses}`, dual_use: true }],
    pages: [],
  });
  const [page] = (await newBusiness(world.simulator)).pages;
  return {
    chatapp: await world.connect(account, 'chatapp', { upstream: phone }),
    photoapp: await world.connect(account, 'photoapp', { upstream: page?.photoapp_account_id ?? '' }),
    pagechat: await world.connect(account, 'pagechat', { upstream: page?.id ?? '' }),
  };
}

const at = 1_767_225_600_000;

/** The business writes from its own phone or inbox. */
const writes = (channel: Channel, to: string, message: Record<string, unknown>) =>
  world.simulator.control('business/write', { channel: channel.upstream, to, wait: true, ...message });

const names = (told: { event: string }[]): string[] => told.map(({ event }) => event);

describe('a text written outside the service', () => {
  test.each(channelTypes)('%s: the complete event, exactly once', async (type) => {
    const to = newPerson(type);
    await writes(plain[type], to, { text: 'We open at nine.', at });
    await world.read(plain[type], to);
    const told = await allEventsAbout(world, plain[type], to, 1);
    expect(told).toEqual([
      {
        event: 'message.echo',
        channel_id: plain[type].id,
        channel_type: type,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        // Rule 1: the identity of the actual sender is not exposed.
        data: {
          message_id: expect.stringMatching(uuid),
          recipient: to,
          status: 'sent',
          type: 'text',
          text: 'We open at nine.',
        },
      },
    ]);
  });

  test.each(channelTypes)('%s: a redelivered echo carries the same UUID', async (type) => {
    const to = newPerson(type);
    const { id } = await writes(plain[type], to, { text: 'once' });
    const [first] = await allEventsAbout(world, plain[type], to, 1);
    const { webhooks } = await world.simulator.control(`webhooks?contains=${encodeURIComponent(id)}`);
    expect(await postAsUpstream(world, webhooks[0].body)).toBe(200);
    expect(await allEventsAbout(world, plain[type], to, 1)).toEqual([first]);
  });

  test('pagechat: a message of another app', async () => {
    const to = newPerson('pagechat');
    await writes(plain.pagechat, to, { text: 'from a suite', app_id: 26_390_203_743_090 });
    expect(names(await allEventsAbout(world, plain.pagechat, to, 1))).toEqual(['message.echo']);
  });
});

describe('rule 1: messages sent through the service never arrive as echoes', () => {
  test.each(channelTypes)('%s', async (type) => {
    const to = newPerson(type);
    const { body } = await world.send(tracked[type], 'through the service', to);
    const count = type === 'chatapp' ? 2 : 1;
    const told = await allEventsAbout(world, tracked[type], to, count);
    expect(names(told)).not.toContain('message.echo');
    expect(told.map(({ data }) => data['message_id'])).toEqual(Array(count).fill(body.message_id));
  });

  test('photoapp: 30 concurrent sends to 10 people, whose echoes arrive before the answers', async () => {
    const people = Array.from({ length: 10 }, () => newPerson('photoapp'));
    const sends = people.flatMap((to) => ['a', 'b', 'c'].map((text) => ({ to, text })));
    await world.simulator.control('faults', {
      match: { channel: tracked.photoapp.upstream },
      act: 'ok',
      early: true,
      times: sends.length,
    });
    const answers = await Promise.all(sends.map(({ to, text }) => world.send(tracked.photoapp, text, to)));
    expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(['sent']));
    for (const to of people)
      expect(names(await allEventsAbout(world, tracked.photoapp, to, 3))).toEqual(
        Array(3).fill('message.delivered'),
      );
  });

  test('photoapp: also if upstream writes its times in seconds, before the answer and instead of it', async () => {
    await world.simulator.control('settings', { seconds: true });
    const [early, lost] = [newPerson('photoapp'), newPerson('photoapp')];
    await world.simulator.control('faults', { match: { recipient: early }, act: 'ok', early: true });
    await world.simulator.control('faults', { match: { recipient: lost }, act: 'lost' });
    for (const to of [early, lost]) await world.send(tracked.photoapp, `to ${to}`, to);
    for (const to of [early, lost])
      expect(names(await allEventsAbout(world, tracked.photoapp, to, 1))).toEqual(['message.delivered']);
    await world.simulator.control('settings', { seconds: false });
  });

  test('photoapp: a message of the business itself during a send still makes an echo event', async () => {
    const to = newPerson('photoapp');
    await world.simulator.control('faults', { match: { recipient: to }, act: 'ok', delay_ms: 300 });
    const sending = world.send(plain.photoapp, 'through the service', to);
    await writes(plain.photoapp, to, { text: 'from the phone' });
    expect((await sending).body.status).toBe('sent');
    const told = await allEventsAbout(world, plain.photoapp, to, 2);
    const echoes = told.filter(({ event }) => event === 'message.echo');
    expect(echoes.map(({ data }) => data['text'])).toEqual(['from the phone']);
  });
});

describe('rules 2 to 5: statuses of echoes', () => {
  test.each(['chatapp', 'pagechat'] as const)(
    '%s with echo_statuses: delivered and read with the message_id of the echo; no message.sent',
    async (type) => {
      const to = newPerson(type);
      await writes(tracked[type], to, { text: 'tracked' });
      await allEventsAbout(world, tracked[type], to, 2);
      await world.read(tracked[type], to);
      const told = await allEventsAbout(world, tracked[type], to, 3);
      expect(names(told).toSorted((a, b) => a.localeCompare(b))).toEqual([
        'message.delivered',
        'message.echo',
        'message.read',
      ]);
      expect(new Set(told.map(({ data }) => data['message_id'])).size).toBe(1);
    },
  );

  test('photoapp with echo_statuses: no delivered; one message.read per echoed unread message', async () => {
    const to = newPerson('photoapp');
    for (const text of ['one', 'two']) await writes(tracked.photoapp, to, { text });
    await allEventsAbout(world, tracked.photoapp, to, 2);
    await world.read(tracked.photoapp, to);
    const told = await allEventsAbout(world, tracked.photoapp, to, 4);
    expect(names(told)).toEqual(['message.echo', 'message.echo', 'message.read', 'message.read']);
    const ids = told.map(({ data }) => data['message_id']);
    expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  });

  test('chatapp with echo_statuses: message.failed', async () => {
    const to = newPerson('chatapp');
    const { id } = await writes(tracked.chatapp, to, { text: 'unlucky', statuses: false });
    const failed = { channel: tracked.chatapp.upstream, to, id, status: 'failed', code: 131_026, wait: true };
    await world.simulator.control('statuses', failed);
    const told = await allEventsAbout(world, tracked.chatapp, to, 2);
    expect(names(told)).toEqual(['message.echo', 'message.failed']);
    expect(told[1]?.data).toEqual({
      message_id: told[0]?.data['message_id'],
      status: 'failed',
      recipient: to,
      error: expect.any(String),
      errors: [{ code: 131_026, title: expect.any(String) }],
    });
  });

  test('filtered by webhook_events', async () => {
    const { id, key } = tracked.pagechat;
    const patch = (events: readonly string[]) =>
      world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body: { webhook_events: events } });
    await patch(['message.read']);
    const to = newPerson('pagechat');
    await writes(tracked.pagechat, to, { text: 'only the read is wanted' });
    await world.read(tracked.pagechat, to);
    expect(names(await allEventsAbout(world, tracked.pagechat, to, 1))).toEqual(['message.read']);
    await patch(eventsOf.pagechat);
  });

  test('a status that arrives before its echo makes an event once the echo has arrived, with its id', async () => {
    const to = newPerson('chatapp');
    await world.simulator.control('webhooks/hold', {});
    const id = 'wamid.status-first';
    // Not awaited: it is answered only once the held webhooks are released.
    const told = writes(tracked.chatapp, to, { text: 'late', id, statuses: false });
    await world.simulator.control('statuses', {
      channel: tracked.chatapp.upstream,
      to,
      id,
      status: 'delivered',
    });
    await world.simulator.control('webhooks/flush', { order: 'reverse', batch: 1 });
    await told;
    const events = await allEventsAbout(world, tracked.chatapp, to, 2);
    expect(new Set(names(events))).toEqual(new Set(['message.echo', 'message.delivered']));
    expect(new Set(events.map(({ data }) => data['message_id'])).size).toBe(1);
  });

  test.each(['photoapp', 'pagechat'] as const)(
    '%s: a read of the conversation that arrives before its echoes makes an event for each of them',
    async (type) => {
      const to = newPerson(type);
      const id = `late-${type}`;
      // The read covers what is written until this time.
      const readAt = Date.now() + 60_000;
      await world.simulator.control('statuses', {
        channel: tracked[type].upstream,
        to,
        id,
        status: 'read',
        at: readAt,
        watermark: readAt,
        wait: true,
      });
      await writes(tracked[type], to, { text: 'first', id: `${id}-1`, statuses: false });
      await writes(tracked[type], to, { text: 'last', id, statuses: false });
      const told = await allEventsAbout(world, tracked[type], to, 4);
      const idsOf = (name: string): unknown[] =>
        told.flatMap(({ event, data }) => (event === name ? [data['message_id']] : []));
      expect(idsOf('message.echo')).toHaveLength(2);
      expect(idsOf('message.read')).toEqual(idsOf('message.echo'));
    },
  );
});

describe('rule 8: a number used only through the cloud API', () => {
  const echoPost = (channel: Channel, to: string) => {
    const metadata = { display_phone_number: '15550100800', phone_number_id: channel.upstream };
    const echo = { id: `wamid.${to}`, from: '15550100800', to, timestamp: '1767225600', type: 'text' };
    const value = {
      messaging_product: 'whatsapp',
      metadata,
      message_echoes: [{ ...echo, text: { body: 'hi' } }],
    };
    const change = { field: 'smb_message_echoes', value };
    return { object: 'whatsapp_business_account', entry: [{ id: '311200000000800', changes: [change] }] };
  };
  test('emits no echoes, whatever a POST says', async () => {
    const channel = await ownChannel(world);
    const to = newPerson('chatapp');
    expect(await postAsUpstream(world, echoPost(channel, to))).toBe(200);
    expect(await allEventsAbout(world, channel, to, 0)).toEqual([]);
  });

  test('emits echoes from the first one on once it is used in the phone app too: the service asks upstream again', async () => {
    const channel = await ownChannel(world);
    const to = newPerson('chatapp');
    await world.simulator.control('numbers', { phone_number_id: channel.upstream, dual_use: true });
    await writes(channel, to, { text: 'from the phone' });
    expect(names(await allEventsAbout(world, channel, to, 1))).toEqual(['message.echo']);
  });
});

describe('the data of an echo', () => {
  const kinds = [
    ['chatapp', 'image', 'image'],
    ['chatapp', 'voice', 'audio'],
    ['chatapp', 'document', 'document'],
    ['chatapp', 'sticker', 'sticker'],
    ['photoapp', 'image', 'image'],
    ['photoapp', 'video', 'video'],
    ['pagechat', 'file', 'document'],
    ['pagechat', 'audio', 'audio'],
  ] as const;
  test.each(kinds)('%s %s: no file is delivered', async (type, name, kind) => {
    const to = newPerson(type);
    await writes(plain[type], to, { type: name });
    const [echo] = await allEventsAbout(world, plain[type], to, 1);
    const { message_id: _, ...rest } = echo?.data ?? {};
    expect(rest).toEqual({
      recipient: to,
      status: 'sent',
      type: kind,
      media: { media_id: null, download_url: null, unavailable: 'echo_media_not_supported', kind },
    });
  });

  test.each([
    ['chatapp', 'location'],
    ['photoapp', 'share'],
    ['pagechat', 'template'],
  ] as const)('%s %s: unsupported, under upstream’s name', async (type, name) => {
    const to = newPerson(type);
    await writes(plain[type], to, { type: name });
    const [echo] = await allEventsAbout(world, plain[type], to, 1);
    expect(echo?.data).toMatchObject({ type: 'unsupported', unsupported_type: name });
  });

  test.each(['photoapp', 'pagechat'] as const)(
    'rule 6: %s attachments become separate echoes, each with its own message_id',
    async (type) => {
      const to = newPerson(type);
      await writes(plain[type], to, { text: 'two', attachments: [{ type: 'image' }, { type: 'file' }] });
      const told = await allEventsAbout(world, plain[type], to, 2);
      const byType = Object.fromEntries(told.map(({ data }) => [data['type'], data]));
      expect(Object.keys(byType).toSorted((a, b) => a.localeCompare(b))).toEqual(['document', 'image']);
      expect([byType['image']?.['caption'], byType['document']?.['caption']]).toEqual(['two', undefined]);
      const ids = told.map(({ data }) => data['message_id']);
      expect(new Set(ids).size).toBe(2);
      for (const id of ids) expect(id).toMatch(uuid);
    },
  );

  test('rule 7: reactions, edits and deletions are not delivered as echoes', async () => {
    const [phone, photo] = [newPerson('chatapp'), newPerson('photoapp')];
    for (const type of ['reaction', 'edit', 'revoke'])
      await writes(plain.chatapp, phone, { type, message_id: 'wamid.x' });
    await writes(plain.chatapp, phone, { text: 'after', statuses: false });
    await writes(plain.photoapp, photo, { type: 'delete', message_id: 'm_x' });
    await writes(plain.photoapp, photo, { text: 'after' });
    for (const [channel, to] of [
      [plain.chatapp, phone],
      [plain.photoapp, photo],
    ] as const)
      expect((await allEventsAbout(world, channel, to, 1)).map(({ data }) => data['text'])).toEqual([
        'after',
      ]);
  });
});
