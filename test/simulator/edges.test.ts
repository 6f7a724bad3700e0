/** [upstream §9.1] Edges beside messaging that third-party clients use, as raw calls. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  appSecret,
  at,
  call,
  codesOf,
  mia,
  page,
  pageToken,
  phone,
  photo,
  Stage,
  textAt,
  waba,
  wabaToken,
} from './support.ts';

const psid = '8800000000000002';
const strangerToken = 'EAApage-520000000000105';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

describe('messenger_profile', () => {
  const path = '/me/messenger_profile';
  const set = (body: unknown) => stage.graph('POST', path, { token: pageToken, body });
  const get = (fields: string) => stage.graph('GET', `${path}?fields=${fields}`, { token: pageToken });
  const menu = [
    { locale: 'default', call_to_actions: [{ type: 'postback', title: 'Hours', payload: 'HOURS' }] },
  ];

  test('it shows the requested members that are set, and none after their deletion', async () => {
    expect((await get('greeting')).body).toEqual({ data: [] });
    const greeting = [{ locale: 'default', text: 'Good morning' }];
    expect((await set({ greeting, get_started: { payload: 'START' } })).body).toEqual({ result: 'success' });
    expect((await set({ persistent_menu: menu })).body).toEqual({ result: 'success' });
    expect((await get('greeting,persistent_menu')).body).toEqual({
      data: [{ greeting, persistent_menu: menu }],
    });
    const body = { fields: ['greeting'] };
    expect((await stage.graph('DELETE', path, { token: pageToken, body })).body).toEqual({
      result: 'success',
    });
    expect((await get('greeting')).body).toEqual({ data: [] });
  });

  test('a menu requires the button that starts a conversation', async () => {
    expect(codesOf(await set({ persistent_menu: menu }))).toEqual([400, 100, 2018145]);
    expect((await set({ persistent_menu: menu, get_started: { payload: 'START' } })).status).toBe(200);
    const body = { fields: ['get_started'] };
    expect(codesOf(await stage.graph('DELETE', path, { token: pageToken, body }))).toEqual([
      400, 100, 2018145,
    ]);
  });

  test('the photoapp account has a profile of its own', async () => {
    const questions = [{ question: 'Are you open?', payload: 'OPEN' }];
    await set({ platform: 'instagram', ice_breakers: questions });
    expect((await get('ice_breakers')).body).toEqual({ data: [] });
    expect((await get('ice_breakers&platform=INSTAGRAM')).body).toEqual({
      data: [{ ice_breakers: questions }],
    });
  });

  test('unknown fields and other pages are refused', async () => {
    expect(codesOf(await get('nosuch'))).toEqual([400, 100, undefined]);
    expect(codesOf(await set({ nosuch: 1 }))).toEqual([400, 100, undefined]);
    const foreign = await stage.graph('GET', `/${page}/messenger_profile`, { token: strangerToken });
    expect(codesOf(foreign)).toEqual([400, 100, 33]);
  });
});

describe('personas', () => {
  const make = (name: string) =>
    stage.graph('POST', `/${page}/personas`, {
      token: pageToken,
      body: { name, profile_picture_url: 'https://bakery.example/ada.png' },
    });

  test('personas can be created, read, listed page by page and deleted', async () => {
    const ids = [textAt((await make('Ada')).body, 'id'), textAt((await make('Bo')).body, 'id')];
    const shown = await stage.graph('GET', `/${ids[0]}`, { token: pageToken });
    expect(shown.body).toEqual({
      id: ids[0],
      name: 'Ada',
      profile_picture_url: 'https://bakery.example/ada.png',
    });
    const first = await stage.graph('GET', '/me/personas?limit=1&fields=name', { token: pageToken });
    const second = await call('GET', textAt(first.body, 'paging', 'next'));
    expect([at(first.body, 'data'), at(second.body, 'data')]).toEqual([
      [{ id: ids[0], name: 'Ada' }],
      [{ id: ids[1], name: 'Bo' }],
    ]);
    const deleted = await stage.graph('DELETE', `/${ids[0]}`, { token: pageToken });
    expect(deleted.body).toEqual({ success: true });
    expect(codesOf(await stage.graph('GET', `/${ids[0]}`, { token: pageToken }))).toEqual([400, 100, 33]);
  });

  test('a persona belongs to its page and requires a name', async () => {
    const id = textAt((await make('Ada')).body, 'id');
    expect(codesOf(await stage.graph('GET', `/${id}`, { token: strangerToken }))).toEqual([400, 100, 33]);
    expect(codesOf(await stage.graph('DELETE', `/${id}`, { token: strangerToken }))).toEqual([400, 100, 33]);
    expect(codesOf(await make(''))).toEqual([400, 100, undefined]);
  });
});

describe('conversations', () => {
  const list = (query: string, token = pageToken) =>
    stage.graph('GET', `/me/conversations?${query}`, { token });

  beforeEach(async () => {
    await stage.control('people/write', { channel: page, from: mia.psid, text: 'Are you open?' });
    await stage.sendPage(mia.psid, { text: 'Until six.' });
    await stage.control('people/write', { channel: photo, from: mia.igsid, text: 'Nice cake' });
  });

  test('a page has one conversation for each person, with the messages of both sides, newest first', async () => {
    const fields = 'participants,message_count,snippet,messages{message,from}';
    expect((await list(`fields=${fields}`)).body).toMatchObject({
      data: [
        {
          id: expect.stringMatching(/^t_/),
          participants: { data: [{ id: mia.psid, name: 'Mia Vogel' }, { id: page }] },
          message_count: 2,
          snippet: 'Until six.',
          messages: {
            data: [
              { message: 'Until six.', from: { id: page } },
              { message: 'Are you open?', from: { id: mia.psid } },
            ],
          },
        },
      ],
    });
  });

  test('without a selection a conversation shows id, link and time, and a message id and time', async () => {
    expect(at((await list('')).body, 'data', 0)).toEqual({
      id: expect.any(String),
      link: expect.any(String),
      updated_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/),
    });
    expect(at((await list('fields=messages')).body, 'data', 0, 'messages', 'data', 0)).toEqual({
      id: expect.stringMatching(/^m_/),
      created_time: expect.any(String),
    });
  });

  test.each([
    ['by platform', 'me', 'platform=instagram'],
    ['by its own id', photo, ''],
  ])('the conversations of a photoapp account are selected %s', async (_how, id, query) => {
    const asked = `/${id}/conversations?${query}&fields=participants,messages{message}`;
    expect((await stage.graph('GET', asked, { token: pageToken })).body).toMatchObject({
      data: [
        {
          participants: {
            data: [{ id: mia.igsid, username: expect.any(String) }, { username: 'harbour.bakery' }],
          },
          messages: { data: [{ message: 'Nice cake' }] },
        },
      ],
    });
  });

  test('conversations can be filtered by person and read by id, and so can their messages', async () => {
    await stage.control('people/write', { channel: page, from: psid, text: 'Another' });
    expect(at((await list('')).body, 'data')).toHaveLength(2);
    const one = await list(`user_id=${mia.psid}`);
    const id = textAt(one.body, 'data', 0, 'id');
    const shown = await stage.graph('GET', `/${id}?fields=message_count`, { token: pageToken });
    expect(shown.body).toEqual({ id, message_count: 2 });
    const first = await stage.graph('GET', `/${id}/messages?limit=1&fields=message`, { token: pageToken });
    const second = await call('GET', textAt(first.body, 'paging', 'next'));
    expect([at(first.body, 'data', 0, 'message'), at(second.body, 'data', 0, 'message')]).toEqual([
      'Until six.',
      'Are you open?',
    ]);
    const messageId = textAt(second.body, 'data', 0, 'id');
    const message = await stage.graph('GET', `/${messageId}?fields=message,from,to`, { token: pageToken });
    expect(message.body).toMatchObject({
      id: messageId,
      message: 'Are you open?',
      to: { data: [{ id: page }] },
    });
  });

  test('an expanded list of messages contains a link to its next page', async () => {
    const reply = await list('limit=1&fields=messages{message}');
    const next = await call('GET', textAt(reply.body, 'data', 0, 'messages', 'paging', 'next'));
    expect(at(next.body, 'data')).toHaveLength(1);
  });

  test('unknown fields, other pages and unknown ids are refused', async () => {
    const id = textAt((await list('')).body, 'data', 0, 'id');
    expect(codesOf(await list('fields=nosuch'))).toEqual([400, 100, undefined]);
    expect(codesOf(await list('fields=messages{nosuch}'))).toEqual([400, 100, undefined]);
    expect((await list('', strangerToken)).body).toEqual({ data: [] });
    for (const path of [`/${id}/messages`, '/m_nosuch'])
      expect(codesOf(await stage.graph('GET', path, { token: strangerToken }))).toEqual([400, 100, 33]);
    expect((await stage.graph('GET', `/${id}`, { token: strangerToken })).status).toBe(404);
  });
});

describe('settings of a number', () => {
  const path = `/${phone}/settings`;

  test('each member of the settings is stored', async () => {
    const body = { calling: { status: 'ENABLED' } };
    expect((await stage.graph('POST', path, { token: wabaToken, body })).body).toEqual({ success: true });
    expect((await stage.graph('GET', path, { token: wabaToken })).body).toEqual({
      calling: { status: 'ENABLED', call_icon_visibility: 'DEFAULT', callback_permission_status: 'DISABLED' },
      storage_configuration: { status: 'DEFAULT' },
      user_identity_change: { enable_identity_key_check: false },
    });
    const one = await stage.graph('GET', `${path}?fields=storage_configuration`, { token: wabaToken });
    expect(one.body).toEqual({ storage_configuration: { status: 'DEFAULT' } });
  });

  test('unknown settings are refused', async () => {
    const posted = await stage.graph('POST', path, { token: wabaToken, body: { nosuch: {} } });
    const read = await stage.graph('GET', `${path}?fields=nosuch`, { token: wabaToken });
    expect([posted, read].map(codesOf)).toEqual([
      [400, 100, undefined],
      [400, 100, undefined],
    ]);
  });
});

describe('block_users', () => {
  const path = `/${phone}/block_users`;
  const ask = (method: string, users: readonly unknown[]) =>
    stage.graph(method, path, {
      token: wabaToken,
      body: { messaging_product: 'whatsapp', block_users: users },
    });
  const blockedIds = async () => {
    const reply = await stage.graph('GET', path, { token: wabaToken });
    return Object(at(reply.body, 'data')).map((one: unknown) => at(one, 'wa_id'));
  };

  test('people are blocked and unblocked by number or user id, and listed', async () => {
    const userId = 'DE.20260000000000000042';
    const byNumber = await ask('POST', [{ user: `+${mia.phone}` }]);
    expect(byNumber.body).toEqual({
      messaging_product: 'whatsapp',
      block_users: { added_users: [{ input: `+${mia.phone}`, wa_id: mia.phone }] },
    });
    expect(await blockedIds()).toEqual([mia.phone]);
    const removed = await ask('DELETE', [{ user_id: userId }]);
    expect(at(removed.body, 'block_users', 'removed_users', 0, 'user_id')).toBe(userId);
    expect(await blockedIds()).toEqual([]);
  });

  test('a message from a blocked person emits no webhook', async () => {
    await stage.subscribe();
    const write = () => stage.control('people/write', { channel: phone, from: mia.phone, text: 'Hello' });
    await ask('POST', [{ user: mia.phone }]);
    expect(at(await write(), 'webhooks')).toBe(0);
    await ask('DELETE', [{ user: mia.phone }]);
    expect(at(await write(), 'webhooks')).toBe(1);
  });

  test('a call that names nobody is refused', async () => {
    expect(codesOf(await ask('POST', []))).toEqual([400, 100, undefined]);
  });
});

describe('?ids=', () => {
  test('each node is answered under its id', async () => {
    const reply = await stage.graph('GET', `/?ids=${phone},${waba}&fields=id`, { token: wabaToken });
    expect(reply.body).toEqual({ [phone]: { id: phone }, [waba]: { id: waba } });
  });

  test('the call works without a slash after the version', async () => {
    const reply = await call('GET', `${stage.url}/v25.0?ids=${waba}&fields=id`, { token: wabaToken });
    expect(reply.body).toEqual({ [waba]: { id: waba } });
  });

  test('one unknown id fails the whole call, and so does a call without ids', async () => {
    const missing = await stage.graph('GET', `/?ids=${waba},424242`, { token: wabaToken });
    const none = await stage.graph('GET', '/', { token: wabaToken });
    expect([codesOf(missing), codesOf(none)]).toEqual([
      [400, 100, 33],
      [400, 100, undefined],
    ]);
  });
});

describe('batch', () => {
  const text = (body: string) => {
    const members = { recipient: { id: mia.psid }, messaging_type: 'RESPONSE', message: { text: body } };
    const form = Object.entries(members).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    return { method: 'POST', relative_url: 'me/messages', body: new URLSearchParams(form).toString() };
  };

  test.each(['form', 'JSON'])(
    'a batch sent as %s answers its parts in order, each body as text',
    async (how) => {
      const batch = [text('one'), { method: 'GET', relative_url: `${page}?fields=name` }, text('two')];
      const ask =
        how === 'form'
          ? { form: { batch: JSON.stringify(batch), access_token: pageToken } }
          : { body: { batch, access_token: pageToken } };
      const reply = await stage.graph('POST', '/', ask);
      expect(reply.body).toMatchObject([
        { code: 200, headers: expect.arrayContaining([{ name: 'facebook-api-version', value: 'v25.0' }]) },
        { code: 200, body: JSON.stringify({ name: 'Harbour Bakery', id: page }) },
        { code: 200 },
      ]);
      expect(await stage.look('sends')).toMatchObject({ sends: [{ text: 'one' }, { text: 'two' }] });
    },
  );

  test('a refused part does not affect the others, a part without an answer is null, and a part may have its own token', async () => {
    await stage.control('faults', { match: { text: 'lost' }, act: 'lost' });
    const batch = [
      { method: 'GET', relative_url: '424242' },
      text('lost'),
      { method: 'GET', relative_url: `/v24.0/${waba}?fields=id&access_token=${wabaToken}` },
    ];
    const reply = await stage.graph('POST', '/?include_headers=false', { token: pageToken, body: { batch } });
    expect(reply.body).toEqual([
      { code: 400, body: expect.stringContaining('"code":100') },
      null,
      { code: 200, body: JSON.stringify({ id: waba }) },
    ]);
  });

  test('the proof of the batch’s token is used for its parts', async () => {
    await stage.control('settings', { require_proof: true });
    const batch = [{ method: 'GET', relative_url: 'me' }];
    const proof = createHmac('sha256', appSecret).update(pageToken).digest('hex');
    const proved = await stage.graph('POST', `/?appsecret_proof=${proof}`, {
      token: pageToken,
      body: { batch },
    });
    expect(at(proved.body, 0, 'code')).toBe(200);
    expect(codesOf(await stage.graph('POST', '/', { token: pageToken, body: { batch } }))[1]).toBe(100);
  });

  test('a batch without a token, without a list or with more than fifty parts is refused', async () => {
    const parts = Array.from({ length: 51 }, () => ({ method: 'GET', relative_url: 'me' }));
    const replies = [
      await stage.graph('POST', '/', { body: { batch: [] } }),
      await stage.graph('POST', '/', { token: pageToken, body: { batch: 'me' } }),
      await stage.graph('POST', '/', { token: pageToken, body: { batch: parts } }),
    ];
    expect(replies.map(({ body }) => at(body, 'error', 'code'))).toEqual([190, 100, 100]);
  });
});
