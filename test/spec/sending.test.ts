/** [spec: Sending messages, Send responses, Errors; operator-interface §4] */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { channelTypes, connectAll, faultFor, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { connectOwnAsset, ownChannel } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Account } from '../support/world.ts';
import { uuid } from '../support/shapes.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
});

const post = (body: unknown, headers: Record<string, string> = {}, key = account.key): Promise<Answer> =>
  world.service.call('POST', '/api/v1/messages/send', { key, body, headers });

const sentTo = (recipient: string) => ledger(world.simulator, { recipient, outcome: 'all' });

describe('a text is sent through a channel of each type', () => {
  test.each(channelTypes)('%s: 200, success, a UUID, status sent; upstream has one copy', async (type) => {
    const recipient = newPerson(type);
    const answer = await world.send(channels[type], `hello from ${type}`, recipient);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      message_id: expect.stringMatching(uuid),
      error: null,
      status: 'sent',
    });
    const copies = await sentTo(recipient);
    expect(copies).toEqual([
      expect.objectContaining({
        channel: channels[type].upstream,
        recipient,
        text: `hello from ${type}`,
        outcome: 'accepted',
      }),
    ]);
  });

  test.each(['chatapp', 'pagechat'] as const)('%s: upstream gets our message id', async (type) => {
    const recipient = newPerson(type);
    const { body } = await world.send(channels[type], 'tagged', recipient);
    expect((await sentTo(recipient)).map(({ tag }) => tag)).toEqual([body.message_id]);
  });

  test('the text arrives unchanged: emoji, right-to-left, line breaks, quotes', async () => {
    const text = 'Grüße 👩‍👩‍👧‍👦 ‮עברית\n"quoted" \\ <b>& \t end';
    const recipient = newPerson('chatapp');
    await world.send(channels.chatapp, text, recipient);
    expect((await sentTo(recipient)).map((copy) => copy.text)).toEqual([text]);
  });
});

describe('a chatapp recipient is a phone number', () => {
  const forms: [string, (digits: string) => string][] = [
    ['a leading +', (digits) => `+${digits}`],
    ['spaces', (digits) => `${digits.slice(0, 2)} ${digits.slice(2, 6)} ${digits.slice(6)}`],
    ['dashes', (digits) => `${digits.slice(0, 4)}-${digits.slice(4)}`],
    ['dots and brackets', (digits) => `(${digits.slice(0, 2)}) ${digits.slice(2, 4)}.${digits.slice(4)}`],
    [
      'no-break blanks',
      (digits) => `+${digits.slice(0, 2)}\u00a0${digits.slice(2, 4)}\u202f${digits.slice(4)}`,
    ],
    [
      'no-break hyphens',
      (digits) => `${digits.slice(0, 2)}\u2011${digits.slice(2, 4)}\u2013${digits.slice(4)}`,
    ],
    ['all of them', (digits) => `+${digits.slice(0, 2)} ${digits.slice(2, 6)}-${digits.slice(6)}`],
  ];
  test.each(forms)('%s is accepted and normalised to digits', async (_name, written) => {
    const recipient = newPerson('chatapp');
    const answer = await world.send(channels.chatapp, 'hi', written(recipient));
    expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
    expect(await sentTo(recipient)).toHaveLength(1);
    const event = await world.inbox.event('message.sent', answer.body.message_id);
    expect(event.event.data['recipient']).toBe(recipient);
  });

  test("the channel's own number is recipient_equals_sender, in any notation", async () => {
    for (const recipient of ['15550100042', '+1 555-010-0042']) {
      const answer = await world.send(channels.chatapp, 'to myself', recipient);
      expect([answer.status, answer.body]).toEqual([
        400,
        { detail: { code: 'recipient_equals_sender', message: "recipient is the channel's own number" } },
      ]);
    }
    expect(await sentTo('15550100042')).toEqual([]);
  });
});

describe('text length: chatapp 4096, pagechat 2000, photoapp 1000', () => {
  const limits = [
    ['chatapp', 4096],
    ['pagechat', 2000],
    ['photoapp', 1000],
  ] as const;

  test.each(limits)('%s accepts %i characters, also as emoji', async (type, limit) => {
    for (const text of ['a'.repeat(limit), '😀'.repeat(limit)]) {
      const recipient = newPerson(type);
      const answer = await world.send(channels[type], text, recipient);
      expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
      expect((await sentTo(recipient)).map((copy) => copy.text)).toEqual([text]);
    }
  });

  test.each(limits)('%s: one more is 400 text_too_long, before upstream is called', async (type, limit) => {
    const recipient = newPerson(type);
    for (const text of ['a'.repeat(limit + 1), `${'😀'.repeat(limit)}a`]) {
      const answer = await world.send(channels[type], text, recipient);
      expect([answer.status, answer.body]).toEqual([
        400,
        {
          detail: {
            code: 'text_too_long',
            message: `text has ${limit + 1} characters; ${type} allows ${limit}`,
            limit,
            length: limit + 1,
            channel_type: type,
          },
        },
      ]);
    }
    expect(await sentTo(recipient)).toEqual([]);
  });
});

describe('channels that cannot send', () => {
  test('a channel of another account is 404, the same as one that does not exist', async () => {
    const channel = await ownChannel(world, 'pagechat');
    const recipient = newPerson('pagechat');
    const body = { recipient, text: 'mine?' };
    const foreign = await post({ ...body, channel_id: channel.id });
    const absent = await post({ ...body, channel_id: '00000000-0000-4000-8000-000000000000' });
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'Channel not found' }]);
    expect([absent.status, absent.body]).toEqual([foreign.status, foreign.body]);
    expect(await sentTo(recipient)).toEqual([]);
  });

  test('an inactive channel is 400', async () => {
    const { account: owner, channel } = await connectOwnAsset(world, 'pagechat');
    const deleted = await world.service.call('DELETE', `/api/v1/channels/${channel.id}`, { key: owner.key });
    expect(deleted.status).toBe(200);
    const recipient = newPerson('pagechat');
    const answer = await world.send(channel, 'hi', recipient);
    expect([answer.status, answer.body]).toEqual([
      400,
      { detail: 'The channel is inactive; connect it again to use it' },
    ]);
    expect(await sentTo(recipient)).toEqual([]);
  });

  test.each(['expired', 'canceled'])(
    'a licence that is %s: 402, and again 200 once active',
    async (status) => {
      const { account: owner, channel } = await connectOwnAsset(world, 'pagechat');
      const change = (to: string) =>
        world.service.admin('PATCH', `/subscriptions/${owner.subscriptionId}`, { status: to });
      expect((await change(status)).status).toBe(200);
      const recipient = newPerson('pagechat');
      const answer = await world.send(channel, 'hi', recipient);
      expect([answer.status, answer.body]).toEqual([
        402,
        { detail: `The channel's licence is not active (status: ${status})` },
      ]);
      expect(await sentTo(recipient)).toEqual([]);
      await change('active');
      expect((await world.send(channel, 'hi', recipient)).body.status).toBe('sent');
    },
  );

  test('no licence bound: 402', async () => {
    const channel = await ownChannel(world, 'pagechat');
    await world.service.admin('PATCH', `/channels/${channel.id}`, { subscription_id: null });
    const answer = await world.send(channel, 'hi', newPerson('pagechat'));
    expect([answer.status, answer.body]).toEqual([
      402,
      { detail: "The channel's licence is not active (status: none)" },
    ]);
  });

  test('a trial that has ended expires by itself: 402', async () => {
    const { account: owner, channel } = await connectOwnAsset(world, 'pagechat');
    await world.service.admin('PATCH', `/subscriptions/${owner.subscriptionId}`, {
      expires_at: new Date(Date.now() - 1_000).toISOString(),
    });
    const answer = await world.send(channel, 'hi', newPerson('pagechat'));
    expect([answer.status, answer.body.detail]).toEqual([
      402,
      "The channel's licence is not active (status: expired)",
    ]);
  });
});

describe('an invalid SendMessageRequest is 422', () => {
  const complete = { channel_id: '00000000-0000-4000-8000-000000000000', recipient: '1', text: 'hi' };
  test.each(['channel_id', 'recipient', 'text'])('%s is required', async (name) => {
    const answer = await post({ ...complete, [name]: undefined });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [{ loc: ['body', name], msg: expect.any(String), type: 'missing' }],
    ]);
  });

  test.each(['channel_id', 'recipient', 'text'])('%s is a string', async (name) => {
    const answer = await post({ ...complete, [name]: 4915900000777 });
    expect([answer.status, answer.body.detail]).toEqual([
      422,
      [{ loc: ['body', name], msg: expect.any(String), type: 'string_type' }],
    ]);
  });
});

describe('Idempotency-Key', () => {
  let keys = 0;
  const newKey = (): Record<string, string> => {
    keys += 1;
    return { 'idempotency-key': `order-${keys}` };
  };

  test.each(channelTypes)(
    '%s: the same key and body returns the first answer, and sends once',
    async (type) => {
      const recipient = newPerson(type);
      const body = { channel_id: channels[type].id, recipient, text: 'once' };
      const header = newKey();
      const first = await post(body, header);
      const second = await post(body, header);
      expect(first.body.status).toBe('sent');
      expect([second.status, second.body]).toEqual([200, first.body]);
      expect(await sentTo(recipient)).toHaveLength(1);
    },
  );

  test('a failed send is an answer too: the same key does not retry it', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131026 });
    const body = { channel_id: channels.chatapp.id, recipient, text: 'once' };
    const header = newKey();
    const first = await post(body, header);
    expect(first.body).toEqual({
      success: false,
      message_id: expect.stringMatching(uuid),
      error: expect.stringContaining('not reachable'),
      error_code: 131026,
      status: 'failed',
    });
    expect((await post(body, header)).body).toEqual(first.body);
    expect(await sentTo(recipient)).toHaveLength(1);
  });

  test('another body or path under the same key is 409, and is not sent', async () => {
    const recipient = newPerson('chatapp');
    const header = newKey();
    const body = { channel_id: channels.chatapp.id, recipient, text: 'one' };
    await post(body, header);
    const file = { ...body, text: undefined, media_type: 'image', media_url: 'https://files.example/a.jpg' };
    for (const answer of [
      await post({ ...body, text: 'two' }, header),
      await world.service.call('POST', '/api/v1/messages/send-media', {
        key: account.key,
        body: file,
        headers: header,
      }),
    ]) {
      expect([answer.status, answer.body]).toEqual([
        409,
        { detail: 'This Idempotency-Key was already used with another path or request body' },
      ]);
    }
    expect((await sentTo(recipient)).map(({ text }) => text)).toEqual(['one']);
  });

  test('a refused request frees the key, because nothing was sent', async () => {
    const recipient = newPerson('chatapp');
    const header = newKey();
    const refused = await post({ channel_id: channels.chatapp.id, recipient: 'nobody', text: 'hi' }, header);
    expect(refused.status).toBe(400);
    const answer = await post({ channel_id: channels.chatapp.id, recipient, text: 'hi' }, header);
    expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
    expect(await sentTo(recipient)).toHaveLength(1);
  });

  test('the same key of different accounts is independent', async () => {
    const { account: other, channel } = await connectOwnAsset(world, 'pagechat');
    const header = newKey();
    const mine = await post(
      { channel_id: channels.pagechat.id, recipient: newPerson('pagechat'), text: 'a' },
      header,
    );
    const theirs = await post(
      { channel_id: channel.id, recipient: newPerson('pagechat'), text: 'b' },
      header,
      other.key,
    );
    expect([mine.body.status, theirs.body.status]).toEqual(['sent', 'sent']);
    expect(theirs.body.message_id).not.toBe(mine.body.message_id);
  });

  test('20 concurrent requests with one key send one message and get one answer', async () => {
    const recipient = newPerson('chatapp');
    const body = { channel_id: channels.chatapp.id, recipient, text: 'racing' };
    const header = newKey();
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(body, header)));
    const [first] = answers;
    expect(first?.body.status).toBe('sent');
    expect(answers.map(({ status, body: each }) => [status, each])).toEqual(
      answers.map(() => [200, first?.body]),
    );
    expect(await sentTo(recipient)).toHaveLength(1);
  });
});
