import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  at,
  call,
  codesOf,
  dualPhone,
  mia,
  page,
  pageToken,
  phone,
  photo,
  Stage,
  textAt,
  wabaToken,
  type Reply,
} from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

function register(id: string, pin: string): Promise<Reply> {
  return stage.graph('POST', `/${id}/register`, {
    token: wabaToken,
    body: { messaging_product: 'whatsapp', pin },
  });
}

describe('media', () => {
  test('the link of a chatapp media id requires the token and expires after five minutes', async () => {
    const written = await stage.control('people/write', { channel: phone, from: mia.phone, type: 'image' });
    const id = textAt(written, 'media', 0, 'id');
    const node = await stage.graph('GET', `/${id}`, { token: wabaToken });
    const url = textAt(node.body, 'url');
    const bytes = Buffer.from(
      await (await fetch(url, { headers: { authorization: `Bearer ${wabaToken}` } })).arrayBuffer(),
    );
    expect(node.body).toEqual({
      messaging_product: 'whatsapp',
      id,
      url,
      mime_type: 'image/jpeg',
      file_size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const noToken = await call('GET', url);
    await stage.control('clock', { advance_ms: 301_000 });
    expect([noToken.status, (await call('GET', url, { token: wabaToken })).status]).toEqual([401, 404]);
  });

  test('the webhook of a voice note carries the MIME type and the SHA-256 in base64', async () => {
    await stage.subscribe();
    await stage.control('people/write', {
      channel: phone,
      from: mia.phone,
      type: 'voice',
      content_base64: 'AAEC',
      wait: true,
    });
    const audio = at(
      stage.inbox.received[0]?.body,
      'entry',
      0,
      'changes',
      0,
      'value',
      'messages',
      0,
      'audio',
    );
    const sha256 = createHash('sha256')
      .update(Buffer.from([0, 1, 2]))
      .digest('base64');
    expect(audio).toMatchObject({ voice: true, mime_type: 'audio/ogg; codecs=opus', sha256 });
  });

  test('a media id of another tenant is answered as unknown', async () => {
    const written = await stage.control('people/write', { channel: phone, from: mia.phone, type: 'image' });
    const reply = await stage.graph('GET', `/${textAt(written, 'media', 0, 'id')}`, {
      token: 'EAAbusiness-311200000000101',
    });
    expect(codesOf(reply)).toEqual([400, 100, 33]);
  });

  test.each([
    [page, mia.psid],
    [photo, mia.igsid],
  ])('whoever has the link can download a file of channel %s', async (channel, from) => {
    const written = await stage.control('people/write', { channel, from, type: 'video', size_bytes: 5_000 });
    const url = textAt(written, 'media', 0, 'url');
    const file = await call('GET', url);
    expect([file.status, file.headers.get('content-type'), file.text.length]).toEqual([
      200,
      'video/mp4',
      5_000,
    ]);
    expect((await call('GET', url.replace(/oe=.*/, 'oe=x'))).status).toBe(404);
  });

  async function upload(type: string, name: string): Promise<string> {
    const form = new FormData();
    form.set('messaging_product', 'whatsapp');
    form.set('type', type);
    form.set('file', new Blob([Buffer.from('bytes')], { type }), name);
    const answer = await fetch(`${stage.url}/${phone}/media`, {
      method: 'POST',
      body: form,
      headers: { authorization: `Bearer ${wabaToken}` },
    });
    return textAt(await answer.json(), 'id');
  }

  test('an upload gives an id that can be sent', async () => {
    const sent = await stage.sendChatapp('', {
      type: 'image',
      image: { id: await upload('image/png', 'a.png') },
    });
    expect(sent.status).toBe(200);
  });

  test.each([
    ['audio/opus', 'voice.opus', 'audio/opus'],
    ['audio/ogg', 'voice.mp4', 'application/octet-stream'],
    ['image/jpeg', 'a.jpg', 'image/jpeg'],
  ])('an upload of the type %s named %s fails once it is sent as audio', async (type, name, seen) => {
    await stage.subscribe();
    const audio = { id: await upload(type, name) };
    expect((await stage.sendChatapp('', { type: 'audio', audio })).status).toBe(200);
    const [, second] = await stage.inbox.first(2);
    expect(at(second?.body, 'entry', 0, 'changes', 0, 'value', 'statuses', 0, 'errors', 0)).toMatchObject({
      code: 131053,
      error_data: { details: expect.stringContaining(`Unsupported Audio mime type ${seen}. Please use one`) },
    });
  });
});

describe('numbers and people', () => {
  test('the first registration sets the PIN, later ones must match it; a dual-use number cannot be registered', async () => {
    const replies = [
      await register(phone, '493817'),
      await register(phone, '493817'),
      await register(phone, '000000'),
      await register(dualPhone, '493817'),
    ];
    expect(replies.map(codesOf)).toEqual([
      [200, undefined, undefined],
      [200, undefined, undefined],
      [400, 133005, undefined],
      [400, 100, undefined],
    ]);
  });

  test('a number shows the requested fields, among them its quality', async () => {
    await stage.control('quality', { phone_number_id: phone, rating: 'YELLOW' });
    const reply = await stage.graph('GET', `/${phone}?fields=quality_rating,is_on_biz_app,platform_type`, {
      token: wabaToken,
    });
    expect(reply.body).toEqual({
      id: phone,
      quality_rating: 'YELLOW',
      is_on_biz_app: false,
      platform_type: 'CLOUD_API',
    });
  });

  test('a pagechat profile has a first and last name, a photoapp profile a user name and a follower count', async () => {
    const pagechat = await stage.graph('GET', `/${mia.psid}?fields=first_name,last_name`, {
      token: pageToken,
    });
    const photoapp = await stage.graph('GET', `/${mia.igsid}?fields=username,follower_count`, {
      token: pageToken,
    });
    expect([pagechat.body, photoapp.body]).toEqual([
      { id: mia.psid, first_name: 'Mia', last_name: 'Vogel' },
      { id: mia.igsid, username: 'mia.v', follower_count: 210 },
    ]);
  });

  test.each([
    ['none', [400, 100, 2018218]],
    ['no_consent', [400, 230, undefined]],
    ['empty', [200, undefined, undefined]],
    ['error', [503, 2, undefined]],
  ])('the profile setting %s decides the answer', async (profile, expected) => {
    await stage.control('people', { channel: page, id: mia.psid, profile });
    expect(codesOf(await stage.graph('GET', `/${mia.psid}`, { token: pageToken }))).toEqual(expected);
  });

  test('a person of another page is answered as unknown', async () => {
    expect(codesOf(await stage.graph('GET', '/8800000000000101', { token: pageToken }))).toEqual([
      400, 100, 33,
    ]);
  });
});
