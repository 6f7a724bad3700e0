/** [upstream §1.5, §3.8, §4.2, §9.1] Details of upstream's shape that third-party clients rely on. */
import { get } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appId, appSecret, appToken, at, mia, phone, Stage, textAt, wabaToken } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

test.each([
  'pages_show_list pages_messaging',
  'pages_show_list, pages_messaging',
  'pages_show_list,pages_messaging',
])('scopes can be separated by spaces or commas: %s', async (scope) => {
  const redirect = 'http://127.0.0.1:9/back';
  const asked = new URLSearchParams({
    client_id: appId,
    redirect_uri: redirect,
    response_type: 'code',
    scope,
  });
  const dialog = await stage.graph('GET', `/dialog/oauth?${asked.toString()}&auto=allow`);
  const code = new URL(dialog.headers.get('location') ?? '').searchParams.get('code') ?? '';
  const credentials = `client_id=${appId}&client_secret=${appSecret}&redirect_uri=${redirect}`;
  const answer = await stage.graph('GET', `/oauth/access_token?${credentials}&code=${code}`);
  const token = textAt(answer.body, 'access_token');
  expect((await stage.graph('GET', '/me/permissions', { token })).body).toEqual({
    data: ['pages_show_list', 'pages_messaging'].map((permission) => ({ permission, status: 'granted' })),
  });
});

describe('a person presses a button', () => {
  async function pressed(ask: Record<string, unknown>): Promise<unknown> {
    await stage.subscribe();
    const press = { channel: phone, from: mia.phone, wait: true, ...ask };
    const { id } = Object(await stage.control('people/write', press));
    const values = stage.inbox.received.map(({ body }) =>
      at(body, 'entry', 0, 'changes', 0, 'value', 'messages', 0),
    );
    return values.find((message) => at(message, 'id') === id);
  }

  test.each(['interactive', 'button'])(
    '%s: the context names the last message of the business',
    async (type) => {
      await stage.sendChatapp('first');
      const sent = await stage.sendChatapp('second');
      expect(at(await pressed({ type }), 'context')).toEqual({
        from: '15550100042',
        id: textAt(sent.body, 'messages', 0, 'id'),
      });
    },
  );

  test('the control call can name an older message, and without any message the context names an invented one', async () => {
    expect(at(await pressed({ type: 'button', reply_to: 'wamid.old' }), 'context', 'id')).toBe('wamid.old');
    expect(at(await pressed({ type: 'interactive' }), 'context', 'id')).toEqual(
      expect.stringMatching(/^wamid\./),
    );
  });

  test('a text has no context', async () => {
    await stage.sendChatapp('first');
    expect(at(await pressed({ text: 'Hello' }), 'context')).toBeUndefined();
  });

  test('a filled form carries the flow token of its message', async () => {
    const answered = { flow_token: 'order-7', response: { size: 'large' } };
    const message = await pressed({ type: 'interactive', interactive: 'nfm_reply', ...answered });
    const response: unknown = JSON.parse(textAt(message, 'interactive', 'nfm_reply', 'response_json'));
    expect(response).toMatchObject({ flow_token: 'order-7', size: 'large' });
  });
});

describe('header names are written as upstream writes them', () => {
  test('a webhook has upstream’s header names', async () => {
    await stage.subscribe();
    await stage.control('people/write', { channel: phone, from: mia.phone, wait: true });
    const names = stage.inbox.received[0]?.rawHeaders.filter((_, place) => place % 2 === 0);
    expect(names).toEqual(
      expect.arrayContaining(['Content-Type', 'User-Agent', 'X-Hub-Signature-256', 'X-Hub-Signature']),
    );
  });

  test('answers and refusals have upstream’s header names', async () => {
    const named = (path: string): Promise<string[]> =>
      new Promise((resolve, reject) => {
        get(`${stage.url}${path}`, (answer) => {
          answer.resume();
          resolve(answer.rawHeaders.filter((_, place) => place % 2 === 0));
        }).on('error', reject);
      });
    const always = [
      'Content-Type',
      'Content-Length',
      'facebook-api-version',
      'x-fb-trace-id',
      'x-fb-request-id',
    ];
    expect(await named(`/v25.0/${phone}?access_token=${wabaToken}`)).toEqual(expect.arrayContaining(always));
    expect(await named(`/v25.0/${phone}?access_token=none`)).toEqual(
      expect.arrayContaining([...always, 'WWW-Authenticate']),
    );
  });
});

describe('the settings say where webhooks go', () => {
  async function subscribe(object: string, callback: string): Promise<void> {
    const form = { object, callback_url: callback, verify_token: 'v', fields: 'messages' };
    const reply = await stage.graph('POST', `/${appId}/subscriptions`, { token: appToken, form });
    expect(reply.body).toEqual({ success: true });
  }
  const callbackUrl = async (): Promise<unknown> => at(await stage.look('settings'), 'callback_url');

  test('the callback is null while the objects have different ones, and the new one once all have it', async () => {
    const moved = `${stage.inbox.url}/moved`;
    expect(await callbackUrl()).toBe(stage.inbox.url);
    await subscribe('page', moved);
    expect(await callbackUrl()).toBeNull();
    await subscribe('instagram', moved);
    await subscribe('whatsapp_business_account', moved);
    expect(await callbackUrl()).toBe(moved);
  });

  test('the callback is null when no object is subscribed', async () => {
    await stage.graph('DELETE', `/${appId}/subscriptions`, { token: appToken });
    expect(await callbackUrl()).toBeNull();
    expect(at(await stage.control('settings', { auto_read: true }), 'callback_url')).toBeNull();
  });

  test('a reset restores the initial callback', async () => {
    await subscribe('page', `${stage.inbox.url}/moved`);
    await stage.control('reset');
    expect(await callbackUrl()).toBe(stage.inbox.url);
  });
});
