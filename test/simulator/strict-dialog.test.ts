/** What upstream's dialog refuses or leaves out, and the codes that it gives [upstream protocol 2.1, 2.4]. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ada,
  appToken,
  at,
  codeIn,
  codesOf,
  page,
  phone,
  redirect,
  Stage,
  textAt,
  waba,
  type Reply,
} from './support.ts';

const scope = 'pages_show_list,pages_messaging';
const v4 = JSON.stringify({ version: 'v4', sessionInfoVersion: '3' });
const signup = { config_id: 'example-signup-0001', override_default_response_type: 'true', extras: v4 };

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict' });
});
afterEach(() => stage.close());

function open(more: Record<string, string>): Promise<Reply> {
  return stage.dialog({ auto: 'allow', ...more });
}

/** The sentence of an error page; undefined: it is a redirect. */
function problemOf({ text }: Reply): string | undefined {
  return /<p role="alert">([^<]*)</.exec(text)?.[1];
}

describe('app_permissions', () => {
  test('a permission that the app does not have is an error page for people with a role', async () => {
    const reply = await open({ scope: `${scope},leads_retrieval,pages_mesaging` });
    expect([reply.status, reply.headers.get('location')]).toEqual([400, null]);
    expect(problemOf(reply)).toMatch(/^Invalid Scopes: leads_retrieval, pages_mesaging\./);
  });

  test('for others it is left out without a word', async () => {
    await stage.control('settings', { app_published: true, redirect_uris: [redirect] });
    await stage.control('app/roles', { id: ada, role: false });
    const token = await stage.grant({ scope: `${scope},leads_retrieval`, login: ada });
    const { body } = await stage.graph('GET', '/me/permissions', { token });
    expect(at(body, 'data')).toEqual(
      scope.split(',').map((permission) => ({ permission, status: 'granted' })),
    );
  });
});

test('app_published: an unpublished app is closed to people without a role', async () => {
  await stage.control('app/roles', { id: ada, role: false });
  expect(problemOf(await open({ scope, login: ada }))).toMatch(/^App not active/);
});

describe('login_configurations', () => {
  test('an unknown configuration is an error page', async () => {
    expect(problemOf(await open({ ...signup, config_id: '1' }))).toMatch(/^Feature Unavailable/);
  });

  test('the configuration of pages decides on the permissions, scope beside it is ignored', async () => {
    const token = await stage.grant({
      ...signup,
      config_id: 'example-pages-0001',
      scope: 'leads_retrieval',
      assets: page,
      decline: 'pages_messaging',
    });
    const { body } = await stage.graph('GET', `/debug_token?input_token=${token}`, { token: appToken });
    expect([at(body, 'data', 'type'), at(body, 'data', 'scopes')]).toEqual([
      'USER',
      [
        'business_management',
        'instagram_basic',
        'instagram_manage_messages',
        'pages_manage_metadata',
        'pages_messaging',
        'pages_read_engagement',
        'pages_show_list',
      ],
    ]);
  });

  test('a configuration with a system user’s token gives one without end', async () => {
    const code = codeIn(await open({ ...signup, config_id: 'example-pages-0002', assets: page }));
    const { body } = await stage.exchange({ code, redirect_uri: redirect });
    expect(body).toEqual({ access_token: expect.stringMatching(/^EAA/), token_type: 'bearer' });
    const token = textAt(body, 'access_token');
    const known = await stage.graph('GET', `/debug_token?input_token=${token}`, { token: appToken });
    expect(at(known.body, 'data')).toMatchObject({ type: 'SYSTEM_USER', expires_at: 0 });
    const accounts = await stage.graph('GET', '/me/accounts?fields=id', { token });
    expect(at(accounts.body, 'data')).toEqual([{ id: page }]);
  });
});

test('login_for_business: without a configuration the app is not available', async () => {
  await stage.control('settings', { login_for_business: true });
  expect(problemOf(await open({ scope }))).toMatch(/^Feature Unavailable/);
  expect((await open(signup)).status).toBe(302);
});

describe('redirects', () => {
  test.each([
    ['https://svc.example/other', 400],
    ['https://svc.example/setup/callback', 302],
    ['http://svc.example/setup/callback', 400],
    ['http://127.0.0.1:3000/setup/callback', 302],
    ['http://localhost/anything', 302],
  ])('an unpublished app that registered two addresses returns to %s: %i', async (uri, status) => {
    const registered = ['https://svc.example/setup/callback', 'http://svc.example/setup/callback'];
    await stage.control('settings', { redirect_uris: registered });
    expect((await open({ scope, redirect_uri: uri })).status).toBe(status);
  });

  test('a published app returns to registered addresses only', async () => {
    await stage.control('settings', { app_published: true });
    expect(problemOf(await open({ scope }))).toMatch(/^URL Blocked/);
    await stage.control('settings', { redirect_uris: [redirect] });
    expect((await open({ scope })).status).toBe(302);
  });
});

describe('the sign-up', () => {
  test.each([
    ['{}', 400],
    ['{"setup":{},"featureType":"","sessionInfoVersion":"3"}', 400],
    ['{"version":"v3"}', 400],
    [v4, 302],
  ])('signup_version: extras %s are answered %i', async (extras, status) => {
    expect((await open({ ...signup, extras })).status).toBe(status);
  });

  test('response_types: without the flag the token is in the fragment, and there is no code', async () => {
    const reply = await open({ config_id: 'example-signup-0001', extras: v4, assets: phone });
    const target = new URL(reply.headers.get('location') ?? '');
    const fragment = new URLSearchParams(target.hash.slice(1));
    expect([target.search, [...fragment.keys()]]).toEqual(['', ['access_token', 'expires_in', 'state']]);
    const token = fragment.get('access_token') ?? '';
    expect((await stage.graph('GET', `/${waba}/phone_numbers`, { token })).status).toBe(200);
  });

  test('number_hint: the redirect has a code and the state, nothing else', async () => {
    const reply = await open({ ...signup, assets: phone });
    const target = new URL(reply.headers.get('location') ?? '');
    expect([...target.searchParams.keys()]).toEqual(['code', 'state']);
  });

  test('its code lives 30 s, needs the redirect URI, and is used once', async () => {
    const late = codeIn(await open(signup));
    await stage.control('clock', { advance_ms: 30_001 });
    expect(codesOf(await stage.exchange({ code: late, redirect_uri: redirect }))).toEqual([400, 100, 36007]);
    const code = codeIn(await open(signup));
    expect(codesOf(await stage.exchange({ code }))).toEqual([400, 100, 36008]);
    expect((await stage.exchange({ code, redirect_uri: redirect })).status).toBe(200);
    expect(codesOf(await stage.exchange({ code, redirect_uri: redirect }))).toEqual([400, 100, 36009]);
  });
});
