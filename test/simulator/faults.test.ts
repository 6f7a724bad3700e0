import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '../support/until.ts';
import { at, call, mia, page, pageToken, phone, Stage, waba, wabaToken, type Reply } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
  await stage.subscribe();
});
afterEach(() => stage.close());

/** Status and code of the reply, or `['broken']` for a broken connection. */
async function outcome(send: Promise<Reply>): Promise<unknown[]> {
  return send.then(
    ({ status, body }) => [status, at(body, 'error', 'code')],
    () => ['broken'],
  );
}

async function accepted(): Promise<unknown> {
  return at(await stage.look('sends/summary'), 'accepted');
}

describe('a fault of a send', () => {
  test.each([
    ['refuse', { code: 131056 }, [429, 131056], 0],
    ['refuse', { code: 10, subcode: 2018300, status: 403 }, [403, 10], 0],
    ['refuse', { code: 999999 }, [400, 999999], 0],
    ['lost', {}, ['broken'], 1],
    ['reset', {}, ['broken'], 0],
    ['error_after_accept', {}, [500, 1], 1],
    ['truncated', {}, ['broken'], 1],
    ['html', {}, [200, undefined], 1],
    ['html', { status: 502, accept: false }, [502, undefined], 0],
    ['empty', {}, [200, undefined], 1],
    ['ok', { delay_ms: 5 }, [200, undefined], 1],
  ])('%s %j leaves the caller with %j and %i accepted', async (act, more, expected, count) => {
    await stage.control('faults', { act, ...more });
    expect([await outcome(stage.sendChatapp('x')), await accepted()]).toEqual([expected, count]);
  });

  test('a fault is used up after its times and counts how often it fired', async () => {
    await stage.control('faults', { act: 'refuse', code: 131056, times: 2 });
    const outcomes = [];
    for (let n = 0; n < 3; n += 1) outcomes.push((await outcome(stage.sendChatapp('x')))[0]);
    expect([outcomes, at(await stage.look('faults'), 'faults', 0, 'fired')]).toEqual([[429, 429, 200], 2]);
  });

  test.each(['release', 'removal'])('a held send is accepted at the %s', async (end) => {
    await stage.control('faults', { act: 'ok', held: true });
    const held = outcome(stage.sendChatapp('held'));
    await until('the call', async () => at(await stage.look('faults'), 'faults', 0, 'fired') === 1);
    await stage.sendChatapp('not held');
    expect(await accepted()).toBe(1);
    if (end === 'removal') await call('DELETE', `${stage.url}/control/faults`);
    else await stage.control('faults/release', {});
    expect([await held, await accepted()]).toEqual([[200, undefined], 2]);
  });

  test('a fault acts only on sends that match all its members', async () => {
    await stage.control('faults', {
      match: { recipient: mia.psid, kind: 'pagechat', tag: 'a' },
      act: 'refuse',
      code: 551,
      times: 0,
    });
    const outcomes = [
      await outcome(stage.sendPage(mia.psid, { text: 'x', metadata: 'b' })),
      await outcome(stage.sendChatapp('x', { biz_opaque_callback_data: 'a' })),
      await outcome(stage.sendPage(mia.psid, { text: 'x', metadata: 'a' })),
    ];
    expect(outcomes).toEqual([
      [200, undefined],
      [200, undefined],
      [400, 551],
    ]);
  });

  test('big answers with the requested number of bytes', async () => {
    await stage.control('faults', { act: 'big', size_bytes: 300_000 });
    expect((await stage.sendChatapp('x')).text.length).toBeGreaterThan(300_000);
  });

  test('hang accepts and never answers', async () => {
    await stage.control('faults', { act: 'hang' });
    const gone = new AbortController();
    const sending = fetch(`${stage.url}/${phone}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${wabaToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messaging_product: 'whatsapp', to: mia.phone, text: { body: 'x' } }),
      signal: gone.signal,
    });
    await stage.inbox.first(2);
    gone.abort();
    await expect(sending).rejects.toThrow();
    expect(await accepted()).toBe(1);
  });

  test('a send stays accepted when the caller disconnects during the delay', async () => {
    await stage.control('faults', { act: 'ok', delay_ms: 50 });
    const url = `${stage.url}/${phone}/messages?access_token=${wabaToken}`;
    const body = JSON.stringify({ messaging_product: 'whatsapp', to: mia.phone, text: { body: 'x' } });
    await expect(fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(10) })).rejects.toThrow();
    expect(at(await stage.look('sends?wait_ms=5000'), 'sends', 0, 'text')).toBe('x');
  });

  test('fail_later answers 200, then emits sent and failed with its code', async () => {
    await stage.control('faults', { act: 'fail_later', code: 131026 });
    const sent = await outcome(stage.sendChatapp('x'));
    const posts = await stage.inbox.first(2);
    const statuses = posts.map(({ body }) => at(body, 'entry', 0, 'changes', 0, 'value', 'statuses', 0));
    expect([
      sent,
      ...statuses.map((status) => [at(status, 'status'), at(status, 'errors', 0, 'code')]),
    ]).toEqual([
      [200, undefined],
      ['sent', undefined],
      ['failed', 131026],
    ]);
  });

  test('with early, statuses and echo are answered before the send is', async () => {
    await stage.control('faults', { act: 'ok', early: true, times: 2 });
    await stage.sendChatapp('x');
    const afterChatapp = stage.inbox.received.length;
    await stage.sendPage(mia.psid, { text: 'x' });
    expect([afterChatapp, stage.inbox.received.length]).toEqual([2, 4]);
  });

  test('with silent, an accepted send emits no webhook', async () => {
    await stage.control('faults', { act: 'lost', silent: true });
    await outcome(stage.sendChatapp('x'));
    await stage.control('people/write', { channel: phone, from: mia.phone, wait: true });
    expect([await accepted(), stage.inbox.received.length]).toEqual([1, 1]);
  });

  test('leak_token puts the access token into the error text', async () => {
    await stage.control('faults', { act: 'leak_token' });
    expect(at((await stage.sendChatapp('x')).body, 'error', 'message')).toContain(wabaToken);
  });
});

test('a fault with a path acts on other calls of the given method', async () => {
  await stage.control('faults', {
    match: { path: 'message_templates', method: 'POST' },
    act: 'refuse',
    code: 80008,
  });
  const read = await stage.graph('GET', `/${waba}/message_templates`, { token: wabaToken });
  const write = await stage.graph('POST', `/${waba}/message_templates`, { token: wabaToken, body: {} });
  expect([read.status, write.status, write.headers.has('x-business-use-case-usage')]).toEqual([
    200,
    429,
    true,
  ]);
});

test('copies of one correlation id are counted', async () => {
  for (let n = 0; n < 2; n += 1) await stage.sendPage(mia.psid, { text: 'x', metadata: 'same' });
  await stage.sendPage(mia.psid, { text: 'x', metadata: 'other' });
  const sends = await stage.look('sends?tag=same');
  expect([at(sends, 'sends', 0, 'copies'), at(sends, 'sends', 1, 'copies')]).toEqual([2, 2]);
  expect(await stage.look('sends/summary')).toMatchObject({ accepted: 3, distinct_tags: 2, most_copies: 2 });
});

test('the ledger lists refused sends with their code on request', async () => {
  await stage.control('faults', { act: 'refuse', code: 131056 });
  await stage.sendChatapp('x');
  expect(await stage.look('sends?outcome=refused')).toMatchObject({
    sends: [{ outcome: 'refused', code: 131056, id: null }],
  });
  expect(at(await stage.look('sends'), 'sends')).toEqual([]);
});

test('a reset restores the initial state: ledger, settings, subscriptions and businesses', async () => {
  await stage.control('settings', { windows: true });
  await stage.control('businesses', { count: 2 });
  await stage.sendPage(mia.psid, { text: 'x' });
  await stage.control('reset');
  expect(await stage.look('sends')).toEqual({ total: 0, sends: [] });
  expect(at(await stage.look('settings'), 'windows')).toBe(false);
  expect(at(await stage.look('world'), 'businesses')).toHaveLength(2);
  expect((await stage.graph('GET', `/${page}/subscribed_apps`, { token: pageToken })).body).toEqual({
    data: [],
  });
});

test('more businesses can be created, with subscriptions and valid tokens', async () => {
  const made = await stage.control('businesses', { count: 3, phone_numbers: 1, pages: 1, subscribed: true });
  const [id, token] = [
    String(at(made, 'businesses', 2, 'phone_numbers', 0, 'id')),
    String(at(made, 'businesses', 2, 'waba_token')),
  ];
  const body = { messaging_product: 'whatsapp', to: mia.phone, text: { body: 'x' } };
  const reply = await stage.graph('POST', `/${id}/messages`, { token, body });
  const [post] = await stage.inbox.first(1);
  expect([reply.status, at(post?.body, 'entry', 0, 'id')]).toEqual([
    200,
    at(made, 'businesses', 2, 'waba_id'),
  ]);
});

test.each([
  ['settings', { colour: 'red' }],
  ['settings', { windows: 'yes' }],
  ['faults', { act: 'explode' }],
  ['faults', { match: { colour: 'red' } }],
  ['faults', { status: 999 }],
  ['faults', { status: 429.5 }],
  ['faults', { headers: { 'retry-after': 'a\r\nb' } }],
  ['faults', { headers: { 'no name': 'x' } }],
  ['people/write', { channel: '1', from: '2' }],
  ['people/write', { channel: phone, from: mia.phone, type: 'image', mime_type: 'image/\n' }],
  ['people/write', { channel: phone, from: mia.phone, type: 'image', served_type: '\u4e00' }],
  ['people/write', { channel: phone, from: mia.phone, type: 'image', media_redirect: 'http://x/\n' }],
  ['people/write', { channel: phone, from: mia.phone, type: 'image', media_status: 99 }],
  ['webhooks/raw', { body: {}, signature: 'crooked' }],
])('an invalid control call %s %j is answered 400 with a reason', async (path, body) => {
  const reply = await call('POST', `${stage.url}/control/${path}`, { body });
  expect([reply.status, at(reply.body, 'error')]).toEqual([400, expect.any(String)]);
});

test('a call can wait until the ledger contains a status', async () => {
  const waiting = stage.look('sends?status=delivered&tag=waited&wait_ms=5000');
  await stage.sendChatapp('x', { biz_opaque_callback_data: 'waited' });
  expect(at(await waiting, 'sends', 0, 'status')).toBe('delivered');
});
