/** Versions, signatures, odd events and late repeats [upstream protocol 1.1, 1.5, 1.6, 4.7]. */
import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  appId,
  appSecret,
  appToken,
  at,
  call,
  codesOf,
  mia,
  page,
  pageToken,
  phone,
  photo,
  Stage,
} from './support.ts';

const hourMs = 3_600_000;

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict' });
  await stage.register();
  await stage.subscribe();
  await stage.publish();
});
afterEach(() => stage.close());

function signedWith(place: number, secret: string): boolean {
  const received = stage.inbox.received[place];
  const raw = Buffer.from(received?.raw ?? '', 'latin1');
  const right = createHmac('sha256', secret).update(raw).digest('hex');
  return received?.headers['x-hub-signature-256'] === `sha256=${right}`;
}

test('instagram_secret: events of photo accounts are signed with the second secret, others with the app’s', async () => {
  await stage.control('settings', { instagram_secret: 'example-instagram-secret' });
  await stage.control('people/write', { channel: photo, from: mia.igsid, wait: true });
  await stage.control('people/write', { channel: page, from: mia.psid, wait: true });
  expect([signedWith(0, 'example-instagram-secret'), signedWith(1, appSecret)]).toEqual([true, true]);
});

describe('versions', () => {
  const header = 'facebook-api-version';

  test.each([
    ['v19.0', 'v21.0'],
    ['v21.0', 'v21.0'],
    ['v25.0', 'v25.0'],
  ])('%s is answered as %s', async (asked, served) => {
    const reply = await call('GET', `${stage.url}/${asked}/${page}`, { token: pageToken });
    expect([reply.status, reply.headers.get(header)]).toEqual([200, served]);
  });

  test('one that does not exist is 400, 2635, for sends too', async () => {
    const read = await call('GET', `${stage.url}/v28.0/${page}`, { token: pageToken });
    const send = await call('POST', `${stage.url}/v28.0/${page}/messages`, { token: pageToken, body: {} });
    expect([codesOf(read), codesOf(send)]).toEqual([
      [400, 2635, undefined],
      [400, 2635, undefined],
    ]);
  });
});

test('hide_subscribed_fields: the page’s subscription may be shown without its fields', async () => {
  await stage.control('settings', { hide_subscribed_fields: true });
  const { body } = await stage.graph('GET', `/${page}/subscribed_apps`, { token: pageToken });
  expect(Object.keys(Object(at(body, 'data', 0)))).toEqual(['category', 'link', 'name', 'id']);
});

describe('odd events', () => {
  async function told(path: string, ask: Record<string, unknown>): Promise<unknown> {
    await stage.control(path, { ...ask, wait: true });
    return at(stage.inbox.received[0]?.body, 'entry', 0);
  }

  test('a postback of somebody without an id, its time as text, without a mid', async () => {
    const entry = await told('people/write', {
      channel: page,
      from: mia.psid,
      type: 'postback',
      user_ref: 'ref-1',
      time_as_text: true,
      without_mid: true,
    });
    expect(at(entry, 'messaging', 0)).toEqual({
      sender: { user_ref: 'ref-1' },
      recipient: { id: page },
      timestamp: expect.stringMatching(/^\d{13}$/),
      postback: { title: 'Hello', payload: 'START' },
    });
  });

  test('a notice about policy has no sender', async () => {
    await stage.control('app/webhooks', { object: 'page', fields: 'messages,messaging_policy_enforcement' });
    const entry = await told('people/event', {
      channel: page,
      from: mia.psid,
      field: 'messaging_policy_enforcement',
      without_sender: true,
      member: { policy_enforcement: { action: 'warning', reason: 'spam' } },
    });
    expect(Object.keys(Object(at(entry, 'messaging', 0)))).toEqual([
      'recipient',
      'timestamp',
      'policy_enforcement',
    ]);
  });

  test.each([
    ['page', 'messaging', ['messaging', 0, 'message', 'mid']],
    ['page', 'changes', ['changes', 0, 'value', 'message', 'mid']],
    ['instagram', 'changes', ['changes', 0, 'value', 'message', 'mid']],
  ])('the dashboard’s test push of %s in %s has the entry id 0', async (object, section, path) => {
    const entry = await told('app/test-push', { object, section });
    expect([at(entry, 'id'), at(entry, ...path)]).toEqual(['0', 'random_mid']);
  });

  test('1,500 updates come in two POSTs: one holds at most 1,000', async () => {
    await stage.control('people/write', { channel: phone, from: mia.phone, count: 1_500, wait: true });
    const sizes = stage.inbox.received.map(({ body }) => Object(at(body, 'entry')).length);
    expect(sizes.toSorted((one, other) => other - one)).toEqual([1_000, 500]);
  });
});

describe('repeats', () => {
  test('follow the clock, for a week', async () => {
    stage.inbox.answers.push(...Array.from({ length: 12 }, () => 500));
    await stage.control('people/write', { channel: phone, from: mia.phone });
    for (let n = 1; n <= 12; n += 1) {
      await stage.inbox.first(n);
      const path = 'webhooks?limit=1&wait_ms=5000&at_least=1';
      // The answer is noted a moment after the inbox gave it.
      while (Object(at(await stage.look(path), 'webhooks', 0, 'answers')).length < n);
      await stage.control('clock', { advance_ms: 25 * hourMs });
    }
    await stage.inbox.first(13);
    const bodies = stage.inbox.received.map(({ raw }) => raw);
    expect(new Set(bodies).size).toBe(1);
  });
});

test('the app registers itself with its own token', async () => {
  const body = {
    object: 'page',
    fields: 'messages',
    callback_url: stage.inbox.url,
    verify_token: 'my-verify-token',
  };
  const path = `/${appId}/subscriptions`;
  expect((await stage.graph('POST', path, { token: appToken, body })).body).toEqual({ success: true });
  const { body: list } = await stage.graph('GET', path, { token: appToken });
  expect(at(list, 'data')).toContainEqual({
    object: 'page',
    callback_url: stage.inbox.url,
    active: true,
    fields: [{ name: 'messages', version: 'v25.0' }],
  });
});
