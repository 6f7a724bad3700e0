import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  appId,
  appSecret,
  appToken,
  at,
  call,
  page,
  pageToken,
  photo,
  Stage,
  textAt,
  waba,
  type Reply,
} from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

const redirectUri = 'https://svc.example/oauth/callback';
const scopes =
  'pages_show_list,pages_messaging,pages_manage_metadata,instagram_basic,instagram_manage_messages';

function dialogUrl(more: Record<string, string>): string {
  const asked = { client_id: appId, redirect_uri: redirectUri, state: 's1', response_type: 'code', ...more };
  return `${stage.url}/v25.0/dialog/oauth?${new URLSearchParams(asked).toString()}`;
}

function proofOf(message: string): string {
  return createHmac('sha256', appSecret).update(message).digest('hex');
}

function redirectOf(reply: Reply): URL {
  return new URL(reply.headers.get('location') ?? 'nowhere:');
}

async function codeFrom(more: Record<string, string>): Promise<string> {
  const reply = await call('GET', dialogUrl({ auto: 'allow', ...more }));
  return redirectOf(reply).searchParams.get('code') ?? '';
}

function exchange(code: string, more: Record<string, string> = {}): Promise<Reply> {
  const asked = { client_id: appId, client_secret: appSecret, redirect_uri: redirectUri, code, ...more };
  return stage.graph('GET', `/oauth/access_token?${new URLSearchParams(asked).toString()}`);
}

async function longToken(code: string): Promise<string> {
  const short = textAt((await exchange(code)).body, 'access_token');
  const asked = {
    grant_type: 'fb_exchange_token',
    client_id: appId,
    client_secret: appSecret,
    fb_exchange_token: short,
  };
  const long = await stage.graph('GET', `/oauth/access_token?${new URLSearchParams(asked).toString()}`);
  expect(long.body).toEqual({
    access_token: expect.stringMatching(/^EAA/),
    token_type: 'bearer',
    expires_in: 5_184_000,
  });
  return textAt(long.body, 'access_token');
}

describe('the dialog', () => {
  test('a reset invalidates earlier codes', async () => {
    const code = await codeFrom({ scope: scopes });
    await stage.control('reset');
    expect((await exchange(code)).body).toMatchObject({
      error: { code: 100, message: 'Invalid verification code format.' },
    });
  });

  test('it shows a labelled checkbox for each page and permission, and loads nothing from other hosts', async () => {
    const reply = await call('GET', dialogUrl({ scope: scopes }));
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.text.match(/<label><input type="checkbox" name="asset"/g)).toHaveLength(2);
    expect(reply.text.match(/<label><input type="checkbox" name="grant"/g)).toHaveLength(5);
    expect(reply.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
  });

  test('accepting with chosen pages redirects with a code and the state', async () => {
    const form = { login: '1010000000000008', asset: page, grant: 'pages_messaging', decision: 'allow' };
    const reply = await call('POST', dialogUrl({ scope: scopes }), { form });
    const target = redirectOf(reply);
    expect(reply.status).toBe(302);
    expect([target.origin + target.pathname, target.searchParams.get('state'), target.hash]).toEqual([
      redirectUri,
      's1',
      '#_=_',
    ]);
    expect(target.searchParams.get('code')).toMatch(/^AQB/);
  });

  test('accepting without any page shows the dialog again with a message', async () => {
    const reply = await call('POST', dialogUrl({ scope: scopes }), {
      form: { login: '1010000000000008', decision: 'allow' },
    });
    expect([reply.status, reply.text.includes('role="alert"')]).toEqual([400, true]);
  });

  test.each([
    ['by the button', { decision: 'deny' }, {}],
    ['by the address', undefined, { auto: 'deny' }],
  ])('declining %s redirects with access_denied', async (_how, form, more) => {
    const reply = await call(
      form ? 'POST' : 'GET',
      dialogUrl({ scope: scopes, ...more }),
      form ? { form } : {},
    );
    expect(Object.fromEntries(redirectOf(reply).searchParams)).toEqual({
      error_reason: 'user_denied',
      error: 'access_denied',
      error_description: 'Permissions error',
      state: 's1',
    });
  });

  test('an unregistered redirect URI gets an error page instead of a redirect', async () => {
    await stage.control('settings', { redirect_uris: ['https://svc.example/other'] });
    const reply = await call('GET', dialogUrl({ scope: scopes, auto: 'allow' }));
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
  });

  test('an answer scripted by the control API is used once', async () => {
    await stage.control('dialog', { auto: 'deny' });
    const scripted = await call('GET', dialogUrl({ scope: scopes }));
    const shown = await call('GET', dialogUrl({ scope: scopes }));
    expect([redirectOf(scripted).searchParams.get('error'), shown.status]).toEqual(['access_denied', 200]);
  });
});

describe('the exchange', () => {
  test('a code is exchanged for a short-lived token, and that for a long-lived one that lists pages with their tokens and photoapp accounts', async () => {
    const token = await longToken(await codeFrom({ scope: scopes, assets: page }));
    const fields = 'id,name,access_token,tasks,instagram_business_account{id,username}';
    const accounts = await stage.graph('GET', `/me/accounts?fields=${encodeURIComponent(fields)}`, { token });
    expect(at(accounts.body, 'data')).toEqual([
      {
        id: page,
        name: 'Harbour Bakery',
        access_token: expect.stringMatching(/^EAA/),
        tasks: expect.arrayContaining(['MESSAGING', 'MODERATE']),
        instagram_business_account: { id: photo, username: 'harbour.bakery' },
      },
    ]);
  });

  test('a page token from the list can send', async () => {
    const token = await longToken(await codeFrom({ scope: scopes, assets: page }));
    const accounts = await stage.graph('GET', '/me/accounts', { token });
    const body = { recipient: { id: '8800000000000001' }, message: { text: 'hi' } };
    const sent = await stage.graph('POST', '/me/messages', {
      token: textAt(accounts.body, 'data', 0, 'access_token'),
      body,
    });
    expect(sent.body).toEqual({ recipient_id: '8800000000000001', message_id: expect.stringMatching(/^m_/) });
  });

  test.each([
    ['used', 36009, {}],
    ['sent with another redirect', 36008, { redirect_uri: 'https://svc.example/oauth/callbacK' }],
  ])('a code %s is refused', async (how, subcode, more) => {
    const code = await codeFrom({ scope: scopes });
    if (how === 'used') await exchange(code);
    const reply = await exchange(code, more);
    expect([reply.status, at(reply.body, 'error', 'code'), at(reply.body, 'error', 'error_subcode')]).toEqual(
      [400, 100, subcode],
    );
  });

  test('a code older than ten minutes has expired', async () => {
    const code = await codeFrom({ scope: scopes });
    await stage.control('clock', { advance_ms: 601_000 });
    expect(at((await exchange(code)).body, 'error', 'error_subcode')).toBe(36007);
  });

  test('a declined permission is listed as declined, and no pages are listed without pages_show_list', async () => {
    const token = textAt(
      (await exchange(await codeFrom({ scope: scopes, decline: 'pages_show_list' }))).body,
      'access_token',
    );
    const permissions = await stage.graph('GET', '/me/permissions', { token });
    const accounts = await stage.graph('GET', '/me/accounts', { token });
    expect(at(permissions.body, 'data')).toContainEqual({
      permission: 'pages_show_list',
      status: 'declined',
    });
    expect(accounts.body).toEqual({ data: [] });
  });

  test('a chatapp token by config_id never expires and names the business account in granular_scopes', async () => {
    const code = await codeFrom({
      config_id: '77',
      override_default_response_type: 'true',
      extras: '{"setup":{}}',
      assets: '422300000000012',
    });
    const token = textAt((await exchange(code)).body, 'access_token');
    const debug = await stage.graph('GET', `/debug_token?input_token=${token}`, { token: appToken });
    expect(debug.body).toMatchObject({
      data: {
        app_id: appId,
        type: 'SYSTEM_USER',
        is_valid: true,
        expires_at: 0,
        granular_scopes: [
          { scope: 'whatsapp_business_management', target_ids: [waba] },
          { scope: 'whatsapp_business_messaging', target_ids: [waba] },
        ],
      },
    });
    const numbers = await stage.graph('GET', `/${waba}/phone_numbers?fields=id,is_on_biz_app`, { token });
    expect(at(numbers.body, 'data')).toEqual([
      { id: '422300000000002', is_on_biz_app: false },
      { id: '422300000000012', is_on_biz_app: true },
    ]);
  });
});

describe('tokens', () => {
  test.each([
    ['expire', 463],
    ['revoke', 460],
  ])(
    'after %s a page token is refused with 190/%i, and debug_token shows the subcode',
    async (how, subcode) => {
      await stage.control(`tokens/${how}`, { asset: page });
      const refused = await stage.graph('GET', `/${page}/subscribed_apps`, { token: pageToken });
      const debug = await stage.graph('GET', `/debug_token?input_token=${pageToken}`, { token: appToken });
      expect([
        refused.status,
        at(refused.body, 'error', 'code'),
        at(refused.body, 'error', 'error_subcode'),
      ]).toEqual([401, 190, subcode]);
      expect(refused.headers.get('www-authenticate')).toContain('invalid_token');
      expect([at(debug.body, 'data', 'is_valid'), at(debug.body, 'data', 'error', 'subcode')]).toEqual([
        false,
        subcode,
      ]);
    },
  );

  test('a long-lived user token expires after its lifetime', async () => {
    const token = await longToken(await codeFrom({ scope: scopes }));
    await stage.control('clock', { advance_ms: 5_184_000_001 });
    expect(at((await stage.graph('GET', '/me/accounts', { token })).body, 'error', 'error_subcode')).toBe(
      463,
    );
  });

  test('a token works as a parameter without a version and as a bearer token under another version', async () => {
    const replies = await Promise.all([
      call('GET', `${stage.url}/${page}?access_token=${pageToken}`),
      call('GET', `${stage.url}/v19.0/${page}`, { token: pageToken }),
    ]);
    expect(replies.map(({ body }) => body)).toEqual([
      { name: 'Harbour Bakery', id: page },
      { name: 'Harbour Bakery', id: page },
    ]);
  });

  const now = Math.floor(Date.now() / 1000);
  test.each([
    ['a right classic proof', `appsecret_proof=${proofOf(pageToken)}`, 200],
    [
      'a right time-stamped proof',
      `appsecret_proof=${proofOf(`${pageToken}|${now}`)}&appsecret_time=${now}`,
      200,
    ],
    ['a wrong proof', `appsecret_proof=${proofOf('another')}`, 400],
    [
      'a proof stamped ten minutes ago',
      `appsecret_proof=${proofOf(`${pageToken}|${now - 600}`)}&appsecret_time=${now - 600}`,
      400,
    ],
    ['no proof', '', 200],
  ])('%s is checked as upstream checks it', async (_what, proof, status) => {
    const reply = await stage.graph('GET', `/${page}?${proof}`, { token: pageToken });
    expect(reply.status).toBe(status);
  });

  test('a call without a proof is refused if require_proof is on', async () => {
    await stage.control('settings', { require_proof: true });
    const reply = await stage.graph('GET', `/${page}`, { token: pageToken });
    expect([reply.status, at(reply.body, 'error', 'code')]).toEqual([400, 100]);
  });

  test('the token of one tenant cannot read the other tenant’s objects', async () => {
    const replies = await Promise.all([
      stage.graph('GET', '/520000000000105', { token: pageToken }),
      stage.graph('GET', '/422300000000102', { token: `EAAbusiness-${waba}` }),
    ]);
    expect(
      replies.map(({ body }) => [at(body, 'error', 'code'), at(body, 'error', 'error_subcode')]),
    ).toEqual([
      [100, 33],
      [100, 33],
    ]);
  });
});
