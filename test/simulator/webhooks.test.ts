import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  at,
  call,
  dualPhone,
  mia,
  page,
  pageToken,
  phone,
  photo,
  signatureOf,
  Stage,
  textAt,
  waba,
  wabaToken,
  appToken,
  appId,
  type Received,
} from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

function change(post: Received | undefined): unknown {
  return at(post?.body, 'entry', 0, 'changes', 0, 'value');
}

function messaging(post: Received | undefined): unknown {
  return at(post?.body, 'entry', 0, 'messaging', 0);
}

describe('subscriptions', () => {
  test('no webhook is emitted before a page is subscribed or after it is unsubscribed', async () => {
    const before = await stage.control('people/write', { channel: page, from: mia.psid });
    await stage.subscribe();
    const during = await stage.control('people/write', { channel: page, from: mia.psid });
    await stage.graph('DELETE', `/${page}/subscribed_apps`, { token: pageToken });
    const after = await stage.control('people/write', { channel: page, from: mia.psid });
    expect([before, during, after].map((told) => at(told, 'webhooks'))).toEqual([0, 1, 0]);
  });

  test('the subscription of a page includes its photoapp account', async () => {
    await stage.subscribe();
    expect(at(await stage.control('people/write', { channel: photo, from: mia.igsid }), 'webhooks')).toBe(1);
  });

  test('a page event is emitted only if its field is subscribed', async () => {
    await stage.graph('POST', `/${page}/subscribed_apps?subscribed_fields=messages`, { token: pageToken });
    await stage.sendPage(mia.psid, { text: 'x' });
    expect(at(await stage.control('people/read', { channel: page, from: mia.psid }), 'webhooks')).toBe(0);
  });

  test('a callback that does not return the challenge is refused with 2200', async () => {
    const form = { object: 'page', callback_url: stage.inbox.url, verify_token: 't', fields: 'messages' };
    const taken = await stage.graph('POST', `/${appId}/subscriptions`, { token: appToken, form });
    const refused = await stage.graph('POST', `/${appId}/subscriptions`, {
      token: appToken,
      form: { ...form, callback_url: `${stage.url}/nowhere` },
    });
    expect([taken.body, refused.status, at(refused.body, 'error', 'code')]).toEqual([
      { success: true },
      400,
      2200,
    ]);
  });

  test('the callback of the number precedes that of the business account, which precedes that of the app', async () => {
    await stage.graph('POST', `/${waba}/subscribed_apps`, {
      token: wabaToken,
      body: { override_callback_uri: `${stage.inbox.url}/waba`, verify_token: 't' },
    });
    await stage.control('people/write', { channel: phone, from: mia.phone, wait: true });
    const configuration = { override_callback_uri: `${stage.inbox.url}/number`, verify_token: 't' };
    await stage.graph('POST', `/${phone}`, {
      token: wabaToken,
      body: { webhook_configuration: configuration },
    });
    await stage.control('people/write', { channel: phone, from: mia.phone, wait: true });
    expect(stage.inbox.received.map(({ path }) => path)).toEqual(['/hooks/waba', '/hooks/number']);
  });
});

describe('after a send', () => {
  beforeEach(() => stage.subscribe());

  test('chatapp emits sent, delivered and, when the person reads, read, each with our correlation id', async () => {
    const id = textAt(
      (await stage.sendChatapp('x', { biz_opaque_callback_data: 'tag-1' })).body,
      'messages',
      0,
      'id',
    );
    await stage.inbox.first(2);
    await stage.control('people/read', { channel: phone, from: mia.phone, wait: true });
    const statuses = stage.inbox.received.map((post) => at(change(post), 'statuses', 0));
    expect(
      statuses.map((status) => [
        at(status, 'id'),
        at(status, 'status'),
        at(status, 'biz_opaque_callback_data'),
        at(status, 'recipient_id'),
      ]),
    ).toEqual([
      [id, 'sent', 'tag-1', mia.phone],
      [id, 'delivered', 'tag-1', mia.phone],
      [id, 'read', 'tag-1', mia.phone],
    ]);
    expect(at(change(stage.inbox.received[0]), 'metadata')).toEqual({
      display_phone_number: '15550100042',
      phone_number_id: phone,
    });
  });

  test('pagechat emits an echo with app and metadata, then delivery and read receipts with a watermark', async () => {
    const mid = textAt((await stage.sendPage(mia.psid, { text: 'x', metadata: 'tag-2' })).body, 'message_id');
    await stage.inbox.first(2);
    await stage.control('people/read', { channel: page, from: mia.psid, wait: true });
    const [echo, delivery, read] = stage.inbox.received.map(messaging);
    expect(echo).toMatchObject({
      sender: { id: page },
      recipient: { id: mia.psid },
      message: { is_echo: true, app_id: Number(appId), metadata: 'tag-2', mid, text: 'x' },
    });
    expect(at(delivery, 'delivery')).toEqual({ mids: [mid], watermark: expect.any(Number) });
    expect(at(read, 'read')).toEqual({ watermark: expect.any(Number) });
  });

  test('photoapp emits an echo without app and metadata, no delivery receipt, and a read receipt for the last message', async () => {
    await stage.sendPage(mia.igsid, { text: 'one', metadata: 'tag-3' });
    const mid = textAt((await stage.sendPage(mia.igsid, { text: 'two' })).body, 'message_id');
    await stage.inbox.first(2);
    await stage.control('people/read', { channel: photo, from: mia.igsid, wait: true });
    const [echo, , read] = stage.inbox.received;
    expect([at(echo?.body, 'object'), at(echo?.body, 'entry', 0, 'id')]).toEqual(['instagram', photo]);
    expect(at(messaging(echo), 'message')).toEqual({
      is_echo: true,
      mid: expect.stringMatching(/^aWdf/),
      text: 'one',
    });
    expect(at(messaging(read), 'read')).toEqual({ mid });
    expect(stage.inbox.received).toHaveLength(3);
  });

  test('a message to a person who has blocked the number stays at sent', async () => {
    await stage.control('people/block', { channel: phone, from: mia.phone });
    await stage.sendChatapp('x');
    await stage.inbox.first(1);
    await stage.control('people/write', { channel: phone, from: '4915900000778', wait: true });
    expect(stage.inbox.received.map((post) => at(change(post), 'statuses', 0, 'status'))).toEqual([
      'sent',
      undefined,
    ]);
  });

  test('without auto_statuses nothing follows a send by itself', async () => {
    await stage.control('settings', { auto_statuses: false });
    await stage.sendChatapp('x');
    await stage.sendPage(mia.psid, { text: 'x' });
    await stage.control('people/write', { channel: phone, from: mia.phone, text: 'hello', wait: true });
    await stage.control('people/write', { channel: page, from: mia.psid, text: 'hello', wait: true });
    const [toPhone, toPage] = stage.inbox.received;
    expect(stage.inbox.received).toHaveLength(2);
    expect(at(change(toPhone), 'messages', 0, 'text', 'body')).toBe('hello');
    expect(at(messaging(toPage), 'message', 'text')).toBe('hello');
  });

  test('a control call can emit any status for any id', async () => {
    await stage.control('statuses', {
      channel: phone,
      to: mia.phone,
      id: 'wamid.unknown',
      status: 'read',
      wait: true,
    });
    expect(at(change(stage.inbox.received[0]), 'statuses', 0)).toMatchObject({
      id: 'wamid.unknown',
      status: 'read',
      recipient_id: mia.phone,
    });
  });
});

describe('people and the business', () => {
  beforeEach(() => stage.subscribe());

  test('the webhook of a chatapp text carries the contact, the ids and a time in seconds', async () => {
    const written = await stage.control('people/write', {
      channel: phone,
      from: mia.phone,
      text: 'Grüße',
      wait: true,
    });
    expect(change(stage.inbox.received[0])).toEqual({
      messaging_product: 'whatsapp',
      metadata: { display_phone_number: '15550100042', phone_number_id: phone },
      contacts: [
        {
          profile: { name: 'Mia Vogel', username: 'mia.v' },
          wa_id: mia.phone,
          user_id: 'DE.20260000000000000042',
        },
      ],
      messages: [
        {
          from: mia.phone,
          from_user_id: 'DE.20260000000000000042',
          id: at(written, 'id'),
          timestamp: expect.stringMatching(/^\d{10}$/),
          type: 'text',
          text: { body: 'Grüße' },
        },
      ],
    });
  });

  test('a message of a person with a hidden number carries no number', async () => {
    await stage.control('people/write', {
      channel: '422300000000002',
      from: '4915900000777',
      hide_number: true,
      wait: true,
    });
    const value = at(stage.inbox.received.at(-1)?.body, 'entry', 0, 'changes', 0, 'value');
    expect(at(value, 'contacts', 0)).toEqual({
      profile: { name: 'Mia Vogel', username: 'mia.v' },
      user_id: 'DE.20260000000000000042',
    });
    expect([at(value, 'messages', 0, 'from'), at(value, 'messages', 0, 'from_user_id')]).toEqual([
      undefined,
      'DE.20260000000000000042',
    ]);
  });

  test('the signature covers the raw bytes, in which non-ASCII characters and slashes are escaped', async () => {
    await stage.control('people/write', { channel: page, from: mia.psid, text: 'Grüße 👍 a/b', wait: true });
    const [post] = stage.inbox.received;
    expect(post?.raw).toContain('Gr\\u00fc\\u00dfe \\ud83d\\udc4d a\\/b');
    expect(post?.headers['x-hub-signature-256']).toBe(signatureOf(post?.raw ?? ''));
  });

  test.each([
    ['location', 'location'],
    ['contacts', 'contacts'],
    ['reaction', 'reaction'],
    ['button', 'button'],
    ['interactive', 'interactive'],
    ['order', 'order'],
    ['system', 'system'],
    ['edit', 'edit'],
    ['revoke', 'revoke'],
    ['unsupported', 'errors'],
    ['poll', 'poll'],
  ])('chatapp %s carries the member %s', async (type, member) => {
    await stage.control('people/write', { channel: phone, from: mia.phone, type, wait: true });
    const message = at(change(stage.inbox.received[0]), 'messages', 0);
    expect([at(message, 'type'), at(message, member) === undefined]).toEqual([type, false]);
  });

  test.each([
    [photo, mia.igsid, 'story_mention'],
    [photo, mia.igsid, 'share'],
    [photo, mia.igsid, 'ig_reel'],
    [photo, mia.igsid, 'like_heart'],
    [page, mia.psid, 'sticker'],
    [page, mia.psid, 'location'],
    [page, mia.psid, 'fallback'],
    [page, mia.psid, 'template'],
  ])('%s: %s can send a %s attachment', async (channel, from, type) => {
    await stage.control('people/write', { channel, from, type, wait: true });
    expect(at(messaging(stage.inbox.received[0]), 'message', 'attachments', 0, 'type')).toBe(type);
  });

  test('several attachments arrive in one message, in order', async () => {
    const attachments = [{ type: 'image' }, { type: 'file', filename: 'a.pdf' }];
    await stage.control('people/write', {
      channel: page,
      from: mia.psid,
      text: 'two',
      attachments,
      wait: true,
    });
    const message = at(messaging(stage.inbox.received[0]), 'message');
    expect([
      at(message, 'text'),
      at(message, 'attachments', 0, 'type'),
      at(message, 'attachments', 1, 'type'),
    ]).toEqual(['two', 'image', 'file']);
  });

  test.each([
    ['pagechat', page, mia.psid, 26390203743090],
    ['photoapp', photo, mia.igsid, undefined],
  ])('a message from the %s inbox is echoed with the given app', async (_kind, channel, to, app) => {
    await stage.control('business/write', {
      channel,
      to,
      text: 'from the inbox',
      app_id: app,
      statuses: false,
      wait: true,
    });
    const message = at(messaging(stage.inbox.received[0]), 'message');
    expect([
      at(message, 'is_echo'),
      at(message, 'text'),
      at(message, 'app_id'),
      at(message, 'metadata'),
    ]).toEqual([true, 'from the inbox', app, undefined]);
  });

  test('only a dual-use number has echoes, under smb_message_echoes', async () => {
    await stage.control('business/write', {
      channel: dualPhone,
      to: mia.phone,
      text: 'We open at nine.',
      statuses: false,
      wait: true,
    });
    const [post] = stage.inbox.received;
    expect(at(post?.body, 'entry', 0, 'changes', 0, 'field')).toBe('smb_message_echoes');
    expect(at(change(post), 'message_echoes', 0)).toMatchObject({
      from: '15550100052',
      to: mia.phone,
      text: { body: 'We open at nine.' },
    });
    const refused = await call('POST', `${stage.url}/control/business/write`, {
      body: { channel: phone, to: mia.phone },
    });
    expect(refused.status).toBe(400);
  });

  test('events of a thread that another app controls are in standby, of which only its subscribers hear', async () => {
    await stage.control('people/thread', { channel: page, from: mia.psid, owner: '263902037430900' });
    const unheard = await stage.control('people/write', { channel: page, from: mia.psid, wait: true });
    expect([at(unheard, 'webhooks'), stage.inbox.received]).toEqual([0, []]);
    await stage.graph('POST', `/${page}/subscribed_apps?subscribed_fields=standby`, { token: pageToken });
    await stage.control('people/write', { channel: page, from: mia.psid, wait: true });
    expect(at(stage.inbox.received[0]?.body, 'entry', 0, 'standby', 0, 'message', 'text')).toBe('Hello');
  });
});
