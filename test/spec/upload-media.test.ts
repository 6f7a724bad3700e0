/** [contract: Additions, Sending messages] A file without a public URL passes through to upstream; a send then names it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { allEventsAbout } from '../support/events.ts';
import { fileForm } from '../support/file-form.ts';
import { channelTypes, connectAll, ledger, newPerson, taken } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld();
let channels: Channels;
beforeAll(async () => {
  ({ channels } = await connectAll(world));
});

const bytes = Buffer.from('not really a picture, which only the platform would see');

interface Uploaded {
  media_type?: string;
  mime_type?: string;
  file?: File | string | null;
}

/** As a client of any language posts a form: the fields, then the file. */
async function upload(channel: Channel, given: Uploaded = {}, key = channel.key): Promise<Answer> {
  const { file = new File([bytes], 'cake.jpg', { type: 'image/jpeg' }), ...fields } = given;
  return post(fileForm({ channel_id: channel.id, media_type: 'image', ...fields }, file), key);
}

const post = (body: FormData, key: string): Promise<Answer> =>
  world.service.call('POST', '/api/v1/media', { key, body });

function sendMedia(channel: Channel, media: object, recipient = newPerson(channel.type)): Promise<Answer> {
  const body = { channel_id: channel.id, recipient, media_type: 'image', ...media };
  return world.service.call('POST', '/api/v1/messages/send-media', { key: channel.key, body });
}

const sentTo = (recipient: string) => ledger(world.simulator, { recipient, outcome: 'all' });

async function keptUpstream(size: number) {
  const { media } = await world.simulator.control('media');
  return media.filter((file: { size: number }) => file.size === size);
}

describe('a file is uploaded and sent on the three channel types', () => {
  const files = {
    image: ['cake.jpg', 'image/jpeg'],
    audio: ['song.m4a', 'audio/mp4'],
    video: ['clip.mp4', 'video/mp4'],
    document: ['invoice.pdf', 'application/pdf'],
  } as const;
  const each = channelTypes.flatMap((type) =>
    Object.entries(files).map(([mediaType, [name, mime]]) => [type, mediaType, name, mime] as const),
  );
  test.each(each)('%s %s', async (type, media_type, name, mime) => {
    const channel = channels[type];
    const { status, body } = await upload(channel, {
      media_type,
      file: new File([bytes], name, { type: mime }),
    });
    expect([status, body]).toEqual([
      201,
      {
        media_id: expect.any(String),
        channel_id: channel.id,
        media_type,
        mime_type: mime,
        file_size: bytes.length,
        filename: name,
        expires_at: expect.any(String),
      },
    ]);
    const recipient = newPerson(type);
    const sent = await sendMedia(channel, { media_type, media_id: body.media_id }, recipient);
    expect([sent.status, sent.body.status]).toEqual([200, 'sent']);
    const upstreamType = type !== 'chatapp' && media_type === 'document' ? 'file' : media_type;
    const [copy] = await sentTo(recipient);
    expect(copy).toMatchObject({ type: upstreamType, outcome: 'accepted' });
  });

  test('upstream gets the bytes, the name and the type', async () => {
    const file = new File([Buffer.alloc(200_000, 7)], 'Bücher "1".pdf', { type: 'application/pdf' });
    await upload(channels.pagechat, { media_type: 'document', file });
    expect(await keptUpstream(200_000)).toEqual([
      expect.objectContaining({ filename: 'Bücher %221%22.pdf', mime_type: 'application/pdf' }),
    ]);
  });

  test('it is sent as often as one likes, and a document has its name', async () => {
    const file = new File([bytes], 'invoice-77.pdf', { type: 'application/pdf' });
    const { body } = await upload(channels.chatapp, { media_type: 'document', file });
    const answers = [];
    for (let copies = 0; copies < 2; copies += 1)
      answers.push(await sendMedia(channels.chatapp, { media_type: 'document', media_id: body.media_id }));
    expect(answers.map((answer) => answer.body.status)).toEqual(['sent', 'sent']);
  });

  test('it can be a voice message', async () => {
    const file = new File([bytes], 'voice.ogg', { type: 'audio/ogg' });
    const { body } = await upload(channels.chatapp, { media_type: 'audio', file });
    const recipient = newPerson('chatapp');
    await sendMedia(
      channels.chatapp,
      { media_type: 'audio', media_id: body.media_id, voice: true },
      recipient,
    );
    const [copy] = await sentTo(recipient);
    expect(copy?.more).toEqual({ id: expect.any(String), voice: true });
  });

  test.each([
    ['named as phones export it', 'PTT-20260904.opus', 'audio/opus'],
    ['named as what it was recorded in', 'voice-note.mp4', 'audio/ogg'],
    ['without an ending', 'blob', 'audio/ogg'],
  ])('a voice message %s is delivered', async (_, name, type) => {
    const { body } = await upload(channels.chatapp, {
      media_type: 'audio',
      file: new File([bytes], name, { type }),
    });
    expect(body).toMatchObject({ mime_type: type, filename: name });
    const recipient = newPerson('chatapp');
    const media = { media_type: 'audio', media_id: body.media_id, voice: true };
    await sendMedia(channels.chatapp, media, recipient);
    const told = await allEventsAbout(world, channels.chatapp, recipient, 2);
    expect(new Set(told.map(({ event }) => event))).toEqual(new Set(['message.sent', 'message.delivered']));
  });

  test('a large file passes through whole', async () => {
    const size = 20 * 1024 * 1024;
    const file = new File([Buffer.alloc(size, 1)], 'large.pdf', { type: 'application/pdf' });
    const { status, body } = await upload(channels.chatapp, { media_type: 'document', file });
    expect([status, body.file_size]).toEqual([201, size]);
    expect(await keptUpstream(size)).toHaveLength(1);
  });
});

describe('is refused', () => {
  const problem = ({ status, body }: Answer) => [status, body.detail];

  test('a form without the file, the channel or the media type', async () => {
    const form = new FormData();
    form.append('file', new File([bytes], 'cake.jpg', { type: 'image/jpeg' }));
    const missing = (name: string, msg: string) => ({ loc: ['body', name], msg, type: 'missing' });
    const before = 'Field required, before the file';
    expect(problem(await post(form, channels.chatapp.key))).toEqual([
      422,
      [missing('channel_id', before), missing('media_type', before)],
    ]);
    const noFile = await upload(channels.chatapp, { file: null });
    expect(problem(noFile)).toEqual([422, [missing('file', 'Field required')]]);
  });

  test('fields that a program has sorted by name, behind the file [faults: 552]', async () => {
    const form = new FormData();
    form.append('channel_id', channels.chatapp.id);
    form.append('file', new File([bytes], 'cake.jpg', { type: 'image/jpeg' }));
    form.append('media_type', 'image');
    const { status, body } = await post(form, channels.chatapp.key);
    expect([status, body.detail]).toEqual([
      422,
      [{ loc: ['body', 'media_type'], msg: 'Field required, before the file', type: 'missing' }],
    ]);
  });

  test('fields behind the file', async () => {
    const form = new FormData();
    form.append('channel_id', channels.chatapp.id);
    form.append('media_type', 'image');
    form.append('file', new File([bytes], 'cake.jpg', { type: 'image/jpeg' }));
    form.append('mime_type', 'image/jpeg');
    const { status, body } = await post(form, channels.chatapp.key);
    expect([status, body.detail[0].msg]).toEqual([
      422,
      'The file must be the last part of the form, and its only file',
    ]);
  });

  test('a text where the file was meant', async () => {
    expect(problem(await upload(channels.chatapp, { file: '/tmp/x.pdf' }))).toEqual([
      422,
      [{ loc: ['body', 'file'], msg: 'Must be a file part, with a filename', type: 'value_error' }],
    ]);
  });

  test('an empty file, and one whose type nobody states', async () => {
    const empty = await upload(channels.chatapp, { file: new File([], 'a.jpg', { type: 'image/jpeg' }) });
    expect([empty.status, empty.body.detail[0].msg]).toEqual([422, 'The file is empty']);
    const { id, key } = channels.chatapp;
    const part = (head: string, content: string) =>
      `--x7\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${content}\r\n`;
    const untyped = await fetch(`${world.service.url}/api/v1/media`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'multipart/form-data; boundary=x7' },
      body: `${part('channel_id', id)}${part('media_type', 'image')}${part('file; filename=a.jpg', 'x')}--x7--`,
    });
    const { detail } = await untyped.json();
    expect([untyped.status, detail[0].loc]).toEqual([422, ['body', 'mime_type']]);
  });

  test('JSON', async () => {
    const { status } = await world.service.call('POST', '/api/v1/media', {
      key: channels.chatapp.key,
      body: { channel_id: channels.chatapp.id },
    });
    expect(status).toBe(415);
  });

  test.each([
    ['chatapp', 'image', 'image/jpeg', 5],
    ['photoapp', 'image', 'image/jpeg', 8],
    ['pagechat', 'video', 'video/mp4', 25],
  ] as const)(
    'a file that is too large for a %s %s, before it arrives',
    async (type, media_type, mime, mib) => {
      const size = mib * 1024 * 1024 + 100;
      const file = new File([Buffer.alloc(size)], 'large', { type: mime });
      const { status, body } = await taken(() => upload(channels[type], { media_type, file }));
      expect([status, body.detail]).toMatchObject([
        400,
        { code: 'content_too_long', field: 'file', limit: mib * 1024 * 1024, channel_type: type },
      ]);
      expect(await keptUpstream(size)).toEqual([]);
    },
  );

  test('what upstream refuses, with its words', async () => {
    const file = new File([bytes], 'song.flac', { type: 'audio/flac' });
    const { status, body } = await upload(channels.chatapp, { file, media_type: 'audio' });
    expect([status, body.detail]).toEqual([
      400,
      expect.stringContaining("Received file of type 'audio/flac'"),
    ]);
  });

  test.each(channelTypes)('%s: a PDF as image, by its type or by its first bytes', async (type) => {
    const as = (mime: string) => new File(['%PDF-1.7 and so on'], 'a.pdf', { type: mime });
    const answers = [
      await upload(channels[type], { file: as('application/pdf') }),
      await upload(channels[type], { file: as('image/jpeg') }),
    ];
    expect(answers.map(({ status, body }) => [status, body.detail.code, body.detail.what, body.detail.reason])).toEqual([
      [400, 'unsupported_content', 'application/pdf as image', 'wrong_type'],
      [400, 'unsupported_content', 'A PDF as image', 'wrong_bytes'],
    ]); // oxfmt-ignore
    const document = await upload(channels[type], { media_type: 'document', file: as('application/pdf') });
    expect(document.status).toBe(201);
  });

  test('a file for the channel of another account', async () => {
    const stranger = await newAccount(world.service);
    const { status } = await upload(channels.chatapp, {}, stranger.key);
    expect(status).toBe(404);
  });

  test('a failure of upstream is 502, and nothing is kept', async () => {
    await world.simulator.control('faults', { match: { path: '/media', method: 'POST' }, act: 'reset' });
    expect((await upload(channels.chatapp)).status).toBe(502);
  });
});

describe('a send', () => {
  test.each(channelTypes)('%s: of a file of another channel is 404', async (type) => {
    const { body } = await upload(channels[type]);
    const other = channels[type === 'chatapp' ? 'pagechat' : 'chatapp'];
    const { status, body: refused } = await sendMedia(other, { media_id: body.media_id });
    expect([status, refused.detail]).toEqual([404, 'Media file not found']);
  });

  test('names a URL or an upload, not both and not neither', async () => {
    const { body } = await upload(channels.chatapp);
    const both = await sendMedia(channels.chatapp, {
      media_id: body.media_id,
      media_url: 'https://files.example/cake.jpg',
    });
    expect([both.status, both.body.detail[0].loc]).toEqual([422, ['body', 'media_id']]);
    const neither = await sendMedia(channels.chatapp, {});
    expect([neither.status, neither.body.detail]).toEqual([
      422,
      [{ loc: ['body', 'media_url'], msg: 'Field required', type: 'missing' }],
    ]);
    const none = await sendMedia(channels.chatapp, { media_url: null, media_id: null });
    expect([none.status, none.body.detail[0].loc]).toEqual([422, ['body', 'media_url']]);
  });

  test('must have the media type of the upload', async () => {
    const { body } = await upload(channels.chatapp);
    const { status, body: refused } = await sendMedia(channels.chatapp, {
      media_type: 'document',
      media_id: body.media_id,
    });
    expect([status, refused.detail[0]]).toMatchObject([
      422,
      { loc: ['body', 'media_type'], msg: 'media_id was uploaded as image' },
    ]);
  });
});
