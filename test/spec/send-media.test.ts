/** [spec: Sending messages, SendMediaRequest; Limits; Send error codes; operator-interface §4] */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { channelTypes, connectAll, faultFor, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
});

const file = (name: string): string => `${world.simulator.url}/files/${name}`;

interface Media {
  media_type?: unknown;
  media_url?: unknown;
  caption?: unknown;
  filename?: unknown;
}

function sendMedia(
  channel: Channel,
  media: Media,
  recipient = newPerson(channel.type),
  headers: Record<string, string> = {},
): Promise<Answer> {
  const body = {
    channel_id: channel.id,
    recipient,
    media_type: 'image',
    media_url: file('cake.jpg'),
    ...media,
  };
  return world.service.call('POST', '/api/v1/messages/send-media', { key: channel.key, body, headers });
}

const sentTo = (recipient: string) => ledger(world.simulator, { recipient, outcome: 'all' });

describe('a file that upstream fetches is sent on the three channel types', () => {
  const files = { image: 'cake.jpg', audio: 'song.m4a', video: 'clip.mp4', document: 'invoice.pdf' };
  const sent = channelTypes.flatMap((type) =>
    Object.entries(files).map(([mediaType, name]) => [type, mediaType, name] as const),
  );
  test.each(sent)('%s %s: 200, sent, one copy', async (type, media_type, name) => {
    const recipient = newPerson(type);
    const { status, body } = await sendMedia(
      channels[type],
      { media_type, media_url: file(name) },
      recipient,
    );
    expect([status, body]).toEqual([
      200,
      { success: true, message_id: expect.any(String), error: null, status: 'sent' },
    ]);
    const upstreamType = type !== 'chatapp' && media_type === 'document' ? 'file' : media_type;
    expect(await sentTo(recipient)).toEqual([
      expect.objectContaining({ type: upstreamType, outcome: 'accepted' }),
    ]);
  });

  test('its statuses have the same message id', async () => {
    const { body } = await sendMedia(channels.chatapp, {});
    await world.inbox.event('message.sent', body.message_id);
    await world.inbox.event('message.delivered', body.message_id);
  });
});

describe('caption and filename', () => {
  test.each([
    ['chatapp', 'image', 'Today'],
    ['chatapp', 'audio', null],
    ['photoapp', 'image', null],
    ['pagechat', 'image', null],
  ] as const)('a caption on %s %s arrives as %j and is never an error', async (type, media_type, text) => {
    const recipient = newPerson(type);
    const media_url = file(media_type === 'audio' ? 'voice.ogg' : 'cake.jpg');
    const media = { media_type, media_url, caption: 'Today', filename: 'cake.jpg' };
    const { body } = await sendMedia(channels[type], media, recipient);
    expect(body.status).toBe('sent');
    expect((await sentTo(recipient)).map((copy) => copy.text)).toEqual([text]);
  });

  test.each([null, ''])('%j means no caption', async (none) => {
    const { body } = await sendMedia(channels.chatapp, { caption: none, filename: none });
    expect(body.status).toBe('sent');
  });
});

describe('lengths are Unicode code points: media_url 2048, caption 1024, filename 255', () => {
  const long = { caption: 1_024, filename: 255 };
  test.each(Object.entries(long))('%s of %i is accepted, one more is 422', async (name, most) => {
    for (const letter of ['a', '😀']) {
      const { status } = await sendMedia(channels.photoapp, { [name]: letter.repeat(most) });
      expect(status).toBe(200);
      const refused = await sendMedia(channels.photoapp, { [name]: letter.repeat(most + 1) });
      expect([refused.status, refused.body]).toEqual([
        422,
        {
          detail: [
            {
              loc: ['body', name],
              msg: `String should have at most ${most} characters`,
              type: 'string_too_long',
            },
          ],
        },
      ]);
    }
  });

  test('a media_url of 2048 is sent, one of 2049 is not', async () => {
    const url = (length: number): string => file('cake.jpg?').padEnd(length, 'x');
    expect((await sendMedia(channels.pagechat, { media_url: url(2_048) })).body.status).toBe('sent');
    const refused = await sendMedia(channels.pagechat, { media_url: url(2_049) });
    expect([refused.status, refused.body.detail[0].type]).toEqual([422, 'string_too_long']);
  });
});

describe('refused before upstream is called', () => {
  test.each([
    ['missing', { media_url: undefined }, 'missing'],
    ['a number', { media_url: 7 }, 'string_type'],
    ['null', { media_url: null }, 'string_type'],
    ['no URL', { media_url: 'cake.jpg' }, 'value_error'],
    ['another scheme', { media_url: 'ftp://files.example/cake.jpg' }, 'value_error'],
    ['with a password', { media_url: 'https://mia:pw@files.example/cake.jpg' }, 'value_error'],
    ['with NUL', { media_url: 'https://files.example/\u0000' }, 'value_error'],
    ['half a surrogate pair', { media_url: 'https://files.example/\ud83d' }, 'value_error'],
  ] as const)('media_url %s is a 422', async (_name, media, type) => {
    const { status, body } = await sendMedia(channels.chatapp, media);
    expect([status, body.detail.map((error: { type: string }) => error.type)]).toEqual([422, [type]]);
    expect(body.detail[0].loc).toEqual(['body', 'media_url']);
  });

  test('a download_url of this service is a 422 that says what to do', async () => {
    const media_url = `${world.service.url}/api/v1/media/${crypto.randomUUID()}`;
    const { status, body } = await sendMedia(channels.chatapp, { media_url });
    expect([status, body.detail[0].msg]).toEqual([
      422,
      'Value error, must not be a download_url of this service, which needs your API key: put the file behind a public or signed URL',
    ]);
  });

  test.each(['sticker', 'IMAGE', '', 'constructor', '__proto__'])('media_type %j is a 422', async (type) => {
    const { status, body } = await sendMedia(channels.chatapp, { media_type: type });
    expect([status, body.detail]).toEqual([
      422,
      [
        {
          loc: ['body', 'media_type'],
          msg: "Input should be 'image', 'audio', 'video' or 'document'",
          type: 'enum',
        },
      ],
    ]);
  });

  test.each([['caption'], ['filename']])('%s that is not a string is a 422', async (name) => {
    for (const wrong of [7, ['x'], {}, 'a\u0000b']) {
      expect((await sendMedia(channels.chatapp, { [name]: wrong })).status).toBe(422);
    }
  });

  test('an invalid recipient is 400, as for texts', async () => {
    const { status, body } = await sendMedia(channels.pagechat, {}, 'mia');
    expect([status, body.detail.code]).toEqual([400, 'invalid_recipient']);
  });

  test('a channel of another account does not exist', async () => {
    const stranger = await newAccount(world.service);
    const { status } = await sendMedia({ ...channels.chatapp, key: stranger.key }, {});
    expect(status).toBe(404);
  });
});

describe('files need pro', () => {
  const tier = (to: string): Promise<Answer> =>
    world.service.admin('PATCH', `/subscriptions/${account.subscriptionId}`, { tier: to });

  test('402 names the tier; a text is still sent', async () => {
    await tier('starter');
    const { status, body } = await sendMedia(channels.photoapp, {});
    expect([status, body]).toEqual([
      402,
      { detail: "This operation needs the pro tier; the channel's licence is starter" },
    ]);
    expect((await world.send(channels.photoapp, 'hi', newPerson('photoapp'))).status).toBe(200);
    await tier('pro');
    expect((await sendMedia(channels.photoapp, {})).status).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  test('the same file again gets the first answer, another file is 409', async () => {
    const recipient = newPerson('pagechat');
    const key = { 'idempotency-key': `media-${recipient}` };
    const first = await sendMedia(channels.pagechat, {}, recipient, key);
    const again = await sendMedia(channels.pagechat, {}, recipient, key);
    const other = await sendMedia(channels.pagechat, { media_url: file('cake.png') }, recipient, key);
    expect([first.status, again.body, other.status]).toEqual([200, first.body, 409]);
    expect(await sentTo(recipient)).toHaveLength(1);
  });
});

describe('upstream cannot use the file', () => {
  const bad = [
    ['not there', 'image', 'missing.jpg', 100],
    ['of another type', 'image', 'invoice.pdf', 100],
  ] as const;
  test.each(['photoapp', 'pagechat'] as const)(
    '%s reports it at once: failed, with the likely cause',
    async (type) => {
      for (const [, media_type, name, code] of bad) {
        const { status, body } = await sendMedia(channels[type], { media_type, media_url: file(name) });
        expect([status, body]).toEqual([
          200,
          {
            success: false,
            message_id: expect.any(String),
            error: expect.stringMatching(/media_url/),
            error_code: code,
            status: 'failed',
          },
        ]);
      }
    },
  );

  test('chatapp reports it later: sent, then message.failed with 131053 and the likely cause', async () => {
    const { body } = await sendMedia(channels.chatapp, { media_url: file('missing.jpg') });
    expect(body.status).toBe('sent');
    const { event } = await world.inbox.event('message.failed', body.message_id);
    expect(event.data).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/media_url/),
      errors: [{ code: 131053 }],
    });
  });

  test('chatapp reports it at once (131052): failed', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131052 });
    const { body } = await sendMedia(channels.chatapp, {}, recipient);
    expect(body).toMatchObject({
      success: false,
      status: 'failed',
      error_code: 131052,
      error: expect.stringMatching(/media_url/),
    });
  });

  test('an immediate 131053 is retried: queued, then sent', async () => {
    const recipient = newPerson('chatapp');
    await faultFor(world.simulator, recipient, { act: 'refuse', code: 131053, times: 1 });
    const { body } = await sendMedia(channels.chatapp, {}, recipient);
    expect(body).toMatchObject({ success: true, status: 'queued' });
    await world.inbox.event('message.sent', body.message_id);
    expect((await sentTo(recipient)).map(({ outcome }) => outcome)).toEqual(['refused', 'accepted']);
  });
});
