/** [spec: message.received data, rules 2-4; data.media fields; Media download; upstream §5] Files that people send. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  allEventsAbout,
  checkWebhooksAndClose,
  quiet,
  postAsUpstream,
  eventsAbout,
} from '../support/events.ts';
import type { Envelope } from '../support/events.ts';
import { channelTypes, connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel, ChannelType } from '../support/world.ts';

let world: World;
let channels: Channels;
beforeAll(async () => {
  world = await World.open({ MEDIA_RETRY_DELAYS_MS: '30,30', MEDIA_MAX_BYTES: '3000000' });
  ({ channels } = await connectAll(world));
});
afterAll(() => checkWebhooksAndClose(world));

interface Media {
  media_id: string;
  download_url: string | null;
  mime_type: string;
  file_size: number;
  expires_at: string;
  sha256: string | null;
  duration_ms: number | null;
  error?: string;
}

function mediaOf(event: Envelope | undefined): Media {
  const media: unknown = event?.data['media'];
  if (typeof media !== 'object' || media === null)
    throw new Error(`no media: ${JSON.stringify(event?.data)}`);
  return Object.assign(
    {
      media_id: '',
      download_url: null,
      mime_type: '',
      file_size: -1,
      expires_at: '',
      sha256: null,
      duration_ms: null,
    },
    media,
  );
}

/** Makes this person send this; returns the one event that follows. */
async function received(type: ChannelType, message: Record<string, unknown>): Promise<Envelope> {
  const from = newPerson(type);
  await world.write(channels[type], message, from);
  const [event] = await allEventsAbout(world, channels[type], from, 1);
  if (event === undefined) throw new Error('not told');
  return event;
}

async function download(
  media: Media,
  key = channels.chatapp.key,
): Promise<{ response: Response; bytes: Buffer }> {
  const response = await fetch(media.download_url ?? '', { headers: { 'x-api-key': key } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** How often each file of a message was requested, in upstream's order. */
async function downloadsOf(written: { media: { id: string }[] }): Promise<number[]> {
  const { media } = await world.simulator.control('media');
  return written.media.map(({ id }) => media.find((one: { id: string }) => one.id === id)?.downloads);
}

describe('a file', () => {
  const rows: [ChannelType, string, string, string, boolean][] = [
    ['chatapp', 'image', 'image', 'image/', false],
    ['chatapp', 'video', 'video', 'video/', true],
    ['chatapp', 'audio', 'audio', 'audio/', true],
    ['chatapp', 'voice', 'audio', 'audio/', true],
    ['chatapp', 'document', 'document', 'application/', false],
    ['chatapp', 'sticker', 'sticker', 'image/webp', false],
    ['photoapp', 'image', 'image', 'image/', false],
    ['photoapp', 'video', 'video', 'video/', true],
    ['photoapp', 'audio', 'audio', 'audio/', true],
    ['photoapp', 'file', 'document', 'application/', false],
    ['pagechat', 'image', 'image', 'image/', false],
    ['pagechat', 'video', 'video', 'video/', true],
    ['pagechat', 'audio', 'audio', 'audio/', true],
    ['pagechat', 'file', 'document', 'application/', false],
    ['pagechat', 'sticker', 'image', 'image/', false],
  ];
  test.each(rows)(
    '%s %s: its event has the media fields, and it can be downloaded',
    async (type, sent, told, mime, isTimed) => {
      const event = await received(type, { type: sent });
      const media = mediaOf(event);
      expect(event.data['type']).toBe(told);
      expect(media).toEqual({
        ...(sent === 'voice' ? { voice: true } : {}),
        media_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        mime_type: expect.stringContaining(mime),
        file_size: expect.any(Number),
        filename: told === 'document' ? expect.any(String) : null,
        sha256: type === 'chatapp' ? expect.any(String) : null,
        duration_ms: isTimed ? media.duration_ms : null,
        download_url: `${world.service.env['BASE_URL']}/api/v1/media/${media.media_id}`,
        expires_at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
      const left = Date.parse(media.expires_at) - Date.now();
      expect(left > 3_500_000 && left <= 3_600_000).toBe(true);
      const { response, bytes } = await download(media);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, media.mime_type]);
      expect(bytes.length).toBe(media.file_size);
      if (media.sha256 !== null)
        expect(createHash('sha256').update(bytes).digest('base64')).toBe(media.sha256);
    },
  );

  test.each([
    ['photoapp', 'photoapp', 'video', 'video/mp4'],
    ['pagechat', 'chatapp', 'voice', 'audio/ogg'],
  ] as const)(
    'rule 3: a voice clip of %s with the bytes of a %s %s is audio, and %s',
    async (type, like, sent, mime_type) => {
      const { bytes } = await download(mediaOf(await received(like, { type: sent })));
      const event = await received(type, {
        type: 'audio',
        content_base64: bytes.toString('base64'),
        served_type: mime_type,
      });
      expect([event.data['type'], mediaOf(event).mime_type]).toEqual(['audio', mime_type]);
      expect(mediaOf(event)).not.toHaveProperty('voice');
    },
  );

  test('of 3 MB arrives unchanged', async () => {
    const media = mediaOf(await received('chatapp', { type: 'video', size_bytes: 3_000_000 }));
    const { bytes } = await download(media);
    expect(createHash('sha256').update(bytes).digest('base64')).toBe(media.sha256);
  });

  test('with any file name keeps it in the event, and is downloaded safely [faults: 74]', async () => {
    const filename = `"; x="\r\nSet-Cookie: a=b 😀${'n'.repeat(5_000)}.pdf`;
    const event = await received('chatapp', { type: 'document', filename });
    expect(event.data['media']).toMatchObject({ filename });
    const { response } = await download(mediaOf(event));
    expect([response.status, response.headers.get('set-cookie')]).toEqual([200, null]);
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="_; x=___Set-Cookie: a=b _n+\.pdf"; /,
    );
  });

  test('that is a page or program is downloaded as an attachment that no browser runs [faults: 85]', async () => {
    const content = Buffer.from('<html><script>alert(1)</script></html>').toString('base64');
    const event = await received('pagechat', {
      attachments: [
        { type: 'file', content_base64: content, mime_type: 'text/html', served_type: 'text/html' },
      ],
    });
    const { response } = await download(mediaOf(event));
    expect(response.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each([
    ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
    ['audio/mp4', 'audio/mp4'],
    ['application/octet-stream', 'image/jpeg'],
  ])('served as %s has the type %s in the event and the download', async (served_type, expected) => {
    const media = mediaOf(await received('pagechat', { attachments: [{ type: 'image', served_type }] }));
    const { response } = await download(media);
    expect([media.mime_type, response.headers.get('content-type')]).toEqual([expected, expected]);
  });
});

describe('several files of one message', () => {
  test.each(['photoapp', 'pagechat'] as const)(
    '%s: all are prepared before the first event; then come one event each, in order, the caption on the first',
    async (type) => {
      const from = newPerson(type);
      const attachments = [{ type: 'image', media_delay_ms: 300 }, { type: 'file' }, { type: 'video' }];
      await world.write(channels[type], { text: 'three', attachments }, from);
      const told = await allEventsAbout(world, channels[type], from, 3);
      const id = String(told[0]?.data['message_id']);
      expect(told.map(({ data }) => [data['message_id'], data['type'], data['caption']])).toEqual([
        [id, 'image', 'three'],
        [`${id}.2`, 'document', undefined],
        [`${id}.3`, 'video', undefined],
      ]);
      for (const event of told) expect((await download(mediaOf(event))).response.status).toBe(200);
    },
  );

  test('one that fails does not suppress the others, and each is retried on its own', async () => {
    const from = newPerson('pagechat');
    const attachments = [
      { type: 'image', media_fault: 'gone' },
      { type: 'image', media_fault: 'cut', media_times: 1 },
      { type: 'image' },
    ];
    const written = await world.write(channels.pagechat, { text: 'three', attachments }, from);
    const told = await allEventsAbout(world, channels.pagechat, from, 3);
    expect(told.map((event) => mediaOf(event).download_url !== null)).toEqual([false, true, true]);
    expect(told[0]?.data).toMatchObject({
      type: 'image',
      caption: 'three',
      media: { download_url: null, error: 'Upstream no longer has the file', file_size: 0, sha256: null },
    });
    expect(await downloadsOf(written)).toEqual([1, 2, 1]);
  });

  test('of 20,000 files the first 50 make events, and upstream is answered [faults: 94]', async () => {
    const from = newPerson('pagechat');
    const attachments = Array.from({ length: 20_000 }, (_, n) => ({
      type: 'fallback',
      payload: { url: `https://example.com/${n}` },
    }));
    const item = {
      sender: { id: from },
      recipient: { id: channels.pagechat.upstream },
      timestamp: 1_767_225_600_000,
      message: { mid: `m_many_${from}`, attachments },
    };
    const body = { object: 'page', entry: [{ id: channels.pagechat.upstream, time: 1, messaging: [item] }] };
    expect(await postAsUpstream(world, body)).toBe(200);
    expect(await allEventsAbout(world, channels.pagechat, from, 50)).toHaveLength(50);
  });
});

describe('a download that fails', () => {
  const evil = 'http://127.0.0.1:9/';
  const rows: [ChannelType, string, Record<string, unknown>, string][] = [
    ['chatapp', 'another SHA-256', { media_fault: 'wrong_sha256' }, 'SHA-256'],
    ['chatapp', '0 bytes', { media_fault: 'empty' }, 'empty'],
    ['chatapp', 'no end', { media_fault: 'endless' }, 'larger'],
    ['chatapp', 'too many bytes', { size_bytes: 3_000_001 }, 'larger'],
    ['chatapp', 'an early end', { media_fault: 'cut' }, 'before the end of the file'],
    [
      'chatapp',
      'a redirect to loopback',
      { media_fault: 'redirect', media_redirect: evil },
      'does not fetch files',
    ],
    ['chatapp', 'a circle of redirects', { media_fault: 'redirect_loop' }, 'does not fetch files'],
    ['chatapp', 'an address that has expired, each time', { media_fault: 'expired' }, 'expired'],
    ['chatapp', 'an id that is gone', { media_fault: 'gone' }, 'no longer'],
    ['chatapp', 'no id: over 100 MB', { errors: true }, 'no longer'],
    ['chatapp', '500', { media_status: 500 }, 'could not be downloaded'],
  ];
  test.each(rows)('%s: %s is reported as an error of that file', async (type, _, fault, error) => {
    const event = await received(type, { type: 'image', caption: 'look', ...fault });
    expect(event.data).toMatchObject({ type: 'image', ...('errors' in fault ? {} : { caption: 'look' }) });
    expect(mediaOf(event)).toMatchObject({
      download_url: null,
      error: expect.stringContaining(error),
      file_size: 0,
    });
  });

  test('pagechat: a link that expires between two attempts is reported as expired', async () => {
    const from = newPerson('pagechat');
    await world.write(channels.pagechat, { attachments: [{ type: 'image', media_fault: 'expired' }] }, from);
    const [event] = await allEventsAbout(world, channels.pagechat, from, 1);
    expect(mediaOf(event).error).toBe('The address of the file has expired');
  });

  test.each(['cut', 'empty', 'expired', 'stray_404', 'other_host'])(
    'chatapp: %s once is retried, with a new address',
    async (media_fault) => {
      const event = await received('chatapp', { type: 'image', media_fault, media_times: 1 });
      expect((await download(mediaOf(event))).response.status).toBe(200);
    },
  );

  test('an app that requires a proof in every call still gets its files, whose links take none', async () => {
    await world.simulator.control('settings', { require_proof: true });
    const { download_url } = mediaOf(await received('chatapp', { type: 'image' }));
    await world.simulator.control('settings', { require_proof: false });
    expect(download_url).not.toBeNull();
  });

  test('a redirect to another address of upstream is followed', async () => {
    const event = await received('chatapp', { type: 'image', media_fault: 'redirect' });
    expect(mediaOf(event).download_url).not.toBeNull();
  });
});

describe('order and repetition', () => {
  test("upstream gets its 200 before the file is fetched; a later text of that person waits, another person's does not", async () => {
    const [mia, tom] = [newPerson('chatapp'), newPerson('chatapp')];
    const { answers } = await world.write(
      channels.chatapp,
      { type: 'image', media_delay_ms: 2_000, wait: true },
      mia,
    );
    expect([answers, eventsAbout(world, channels.chatapp, mia)]).toEqual([[200], []]);
    await world.write(channels.chatapp, { text: 'and this', wait: true }, mia);
    await world.write(channels.chatapp, { text: 'hello' }, tom);
    await allEventsAbout(world, channels.chatapp, tom, 1);
    expect(eventsAbout(world, channels.chatapp, mia)).toEqual([]);
    const told = await allEventsAbout(world, channels.chatapp, mia, 2);
    expect(told.map(({ data }) => data['type'])).toEqual(['image', 'text']);
  });

  test.each(channelTypes)(
    '%s: a message that is redelivered during and after the fetch makes one event, and its file is fetched once',
    async (type) => {
      const from = newPerson(type);
      await world.simulator.control('webhooks/rules', { match: { kind: 'message' }, duplicate: 3 });
      const written = await world.write(
        channels[type],
        { type: 'image', media_delay_ms: 300, wait: true },
        from,
      );
      const [event] = await allEventsAbout(world, channels[type], from, 1);
      const { webhooks } = await world.simulator.control(`webhooks?contains=${from}`);
      expect(await postAsUpstream(world, webhooks[0].body)).toBe(200);
      await quiet(world, channels[type]);
      expect(eventsAbout(world, channels[type], from)).toEqual([event]);
      expect(await downloadsOf(written)).toEqual([1]);
    },
  );
});

describe('who may download', () => {
  async function connected(tier: 'starter' | 'pro'): Promise<{ channel: Channel; subscriptionId: string }> {
    const account = await newAccount(world.service, tier);
    const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
    const channel = await world.connect(account, 'pagechat', { upstream });
    return { channel, subscriptionId: account.subscriptionId };
  }
  const get = (channel: Pick<Channel, 'key'>, id: string) =>
    world.service.call('GET', `/api/v1/media/${id}`, { key: channel.key });

  async function fileOf(channel: Channel): Promise<Media> {
    const from = newPerson('pagechat');
    await world.write(channel, { type: 'image' }, from);
    return mediaOf((await allEventsAbout(world, channel, from, 1))[0]);
  }

  test('only its account: for another account the file does not exist', async () => {
    const { channel } = await connected('pro');
    const { media_id: id } = await fileOf(channel);
    expect((await get(channel, id)).status).toBe(200);
    const foreign = await get(channels.chatapp, id);
    expect([foreign.status, foreign.body]).toEqual([404, { detail: 'Media file not found' }]);
    expect((await fetch(`${world.service.url}/api/v1/media/${id}`)).status).toBe(401);
  });

  test('only with pro: after a downgrade 402 that names the tier', async () => {
    const { channel, subscriptionId } = await connected('pro');
    const { media_id: id } = await fileOf(channel);
    await world.service.admin('PATCH', `/subscriptions/${subscriptionId}`, { tier: 'starter' });
    const refused = await get(channel, id);
    expect([refused.status, refused.body.detail]).toEqual([402, expect.stringContaining('pro')]);
  });

  test('the files of a deactivated channel', async () => {
    const { channel } = await connected('pro');
    const { media_id: id } = await fileOf(channel);
    await world.service.call('DELETE', `/api/v1/channels/${channel.id}`, { key: channel.key });
    expect((await get(channel, id)).status).toBe(200);
  });

  test('on starter no file is fetched', async () => {
    const { channel } = await connected('starter');
    const from = newPerson('pagechat');
    const written = await world.write(
      channel,
      { text: 'look', attachments: [{ type: 'image' }, { type: 'file' }] },
      from,
    );
    const told = await allEventsAbout(world, channel, from, 2);
    expect(
      told.map(({ data }) => [data['type'], data['unsupported_type'], data['upgrade_required']]),
    ).toEqual([
      ['unsupported', 'image', 'pro'],
      ['unsupported', 'document', 'pro'],
    ]);
    expect(told.some(({ data }) => 'media' in data)).toBe(false);
    expect(await downloadsOf(written)).toEqual([0, 0]);
  });
});

test('[operator-interface §2, MEDIA_TTL_MS] an expired file is 410', async () => {
  const short = await World.open({ MEDIA_TTL_MS: '1' });
  try {
    const channel = await short.connected('pagechat');
    const from = newPerson('pagechat');
    await short.write(channel, { type: 'image' }, from);
    const [event] = await allEventsAbout(short, channel, from, 1);
    const { status, body } = await short.service.call('GET', `/api/v1/media/${mediaOf(event).media_id}`, {
      key: channel.key,
    });
    expect([status, body]).toEqual([410, { detail: 'The media file has expired' }]);
  } finally {
    await short.close();
  }
});
