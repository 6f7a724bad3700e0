/** How tokens end, are renewed and are shown [upstream protocol 1.2, 2.1, 2.4]. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ada,
  appToken,
  at,
  codeIn,
  codesOf,
  mia,
  page,
  pageToken,
  phone,
  redirect,
  Stage,
  textAt,
  waba,
  wabaToken,
} from './support.ts';

const west = '520000000000015';
const scope = 'pages_show_list,pages_messaging,pages_manage_metadata,business_management';
const extras = JSON.stringify({ version: 'v4' });
const signup = { override_default_response_type: 'true', extras };
const dayMs = 86_400_000;

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict' });
});
afterEach(() => stage.close());

async function shown(token: string): Promise<unknown> {
  return at(
    (await stage.graph('GET', `/debug_token?input_token=${token}`, { token: appToken })).body,
    'data',
  );
}

/** The page tokens of a person's token, in the order of the pages. */
async function pageTokens(token: string): Promise<string[]> {
  const { body } = await stage.graph('GET', '/me/accounts?fields=access_token', { token });
  const data = at(body, 'data');
  return Array.isArray(data) ? data.map((_, place) => textAt(data, place, 'access_token')) : [];
}

function readSubscription(token: string, id = page): Promise<unknown[]> {
  return stage.graph('GET', `/${id}/subscribed_apps`, { token }).then(codesOf);
}

describe('one_grant', () => {
  test('a second dialog of the same person ends the tokens of the pages that were not ticked', async () => {
    const first = await stage.grant({ scope, assets: `${page},${west}` });
    const [harbour = '', other = ''] = await pageTokens(first);
    await stage.grant({ scope, assets: west });
    const dead = await stage.graph('GET', `/${page}/subscribed_apps`, { token: harbour });
    expect(codesOf(dead)).toEqual([400, 190, undefined]);
    expect(textAt(dead.body, 'error', 'message')).toMatch(
      /must be granted before impersonating a user's page\.$/,
    );
    expect(await readSubscription(other, west)).toEqual([200, undefined, undefined]);
  });

  test('the person’s earlier token shows the new grant; another person’s tokens live on', async () => {
    const first = await stage.grant({ scope, assets: page });
    const foreign = await stage.grant({ scope, assets: '520000000000105' });
    await stage.grant({ scope, assets: west });
    const pages = async (token: string): Promise<unknown> =>
      at((await stage.graph('GET', '/me/accounts?fields=id', { token })).body, 'data');
    expect([await pages(first), await pages(foreign)]).toEqual([[{ id: west }], [{ id: '520000000000105' }]]);
  });

  test('a cancelled dialog changes nothing', async () => {
    const [token = ''] = await pageTokens(await stage.grant({ scope, assets: page }));
    await stage.dialog({ scope, auto: 'deny', login: ada });
    expect(await readSubscription(token)).toEqual([200, undefined, undefined]);
  });
});

test.each([
  ['expired', 463],
  ['revoked', 460],
  ['removed', 458],
  ['checkpoint', 459],
  ['unconfirmed', 464],
  ['logged_out', 467],
  ['role_lost', 492],
  ['ungranted', undefined],
])('a page token that is %s answers 400, 190/%s; a number’s token 401', async (death, subcode) => {
  await stage.control('tokens/kill', { asset: page, death });
  await stage.control('tokens/kill', { asset: waba, death });
  expect(codesOf(await stage.sendPage(mia.psid, { text: 'Hello' }))).toEqual([400, 190, subcode]);
  expect(codesOf(await stage.sendChatapp('Hello'))).toEqual([401, 190, subcode]);
});

test('a person who removes the app ends every token: 458', async () => {
  const token = await stage.grant({ scope, assets: page });
  const [own = ''] = await pageTokens(token);
  await stage.graph('DELETE', '/me/permissions', { token });
  expect(await readSubscription(own)).toEqual([400, 190, 458]);
});

describe('a sign-up whose tokens live 60 days', () => {
  const sixty = { ...signup, config_id: 'example-signup-0060' };

  function renew(token: string): ReturnType<Stage['exchange']> {
    const renewal = { grant_type: 'fb_exchange_token', set_token_expires_in_60_days: 'true' };
    return stage.exchange({ ...renewal, fb_exchange_token: token });
  }

  test('says so in the exchange and in debug_token, and ends: 401, 190/463', async () => {
    const code = codeIn(await stage.dialog({ auto: 'allow', ...sixty }));
    const { body } = await stage.exchange({ code, redirect_uri: redirect });
    const token = textAt(body, 'access_token');
    expect(at(body, 'expires_in')).toBe(5_184_000);
    const { issued_at: start, expires_at: end } = Object(await shown(token));
    expect(end - start).toBe(5_184_000);
    await stage.control('clock', { advance_ms: 60 * dayMs });
    expect(codesOf(await stage.graph('GET', `/${phone}`, { token }))).toEqual([401, 190, 463]);
    expect(codesOf(await renew(token))).toEqual([401, 190, 463]);
  });

  test('is renewed by another token; the first lives to its own end', async () => {
    const token = await stage.grant(sixty);
    await stage.control('clock', { advance_ms: 50 * dayMs });
    const { body } = await renew(token);
    expect(body).toEqual({
      access_token: expect.not.stringMatching(`^${token}$`),
      token_type: 'bearer',
      expires_in: 5_184_000,
    });
    const fresh = textAt(body, 'access_token');
    const status = async (one: string): Promise<number> =>
      (await stage.graph('GET', `/${phone}`, { token: one })).status;
    expect([await status(token), await status(fresh)]).toEqual([200, 200]);
    await stage.control('clock', { advance_ms: 11 * dayMs });
    expect([await status(token), await status(fresh)]).toEqual([401, 200]);
  });
});

describe('debug_token', () => {
  test('open_targets: a grant of everything has no target ids, one of chosen pages has', async () => {
    const open = await shown(await stage.grant({ scope: 'pages_messaging' }));
    const chosen = await shown(await stage.grant({ scope: 'pages_messaging', assets: page }));
    expect([at(open, 'granular_scopes'), at(chosen, 'granular_scopes')]).toEqual([
      [{ scope: 'pages_messaging' }],
      [{ scope: 'pages_messaging', target_ids: [page] }],
    ]);
  });

  test('data_access_days: a person’s data ends after 90 days, a business’s never', async () => {
    const person = Object(await shown(await stage.grant({ scope, assets: page })));
    expect(person.data_access_expires_at - person.issued_at).toBe(90 * 86_400);
    expect(await shown(wabaToken)).toMatchObject({ data_access_expires_at: 0, type: 'SYSTEM_USER' });
  });

  const messaging = 'whatsapp_business_messaging';
  const management = 'whatsapp_business_management';
  const events = 'whatsapp_business_manage_events';
  const older = ['311299999999991', '311299999999992'];
  test.each([
    [
      'both',
      [management, messaging],
      [
        [management, [waba]],
        [messaging, [waba]],
      ],
    ],
    [
      'events_only',
      [events, messaging],
      [
        [events, [waba]],
        [messaging, [waba]],
      ],
    ],
    [
      'granular_only',
      ['business_management', 'public_profile'],
      [
        ['business_management', ['610000000000003']],
        [management, [waba]],
        [messaging, [waba]],
      ],
    ],
    [
      'twice',
      [management, messaging],
      [
        [management, [waba]],
        [messaging, [waba]],
        [management, [older[0]]],
      ],
    ],
    ['no_targets', [management, messaging], [[management], [messaging]]],
    [
      'older',
      [management, messaging],
      [
        [management, [older[0], waba, older[1]]],
        [messaging, [older[0], waba, older[1]]],
      ],
    ],
  ])('signup_scopes %s', async (form, scopes, granular) => {
    await stage.control('settings', { signup_scopes: form });
    const token = await stage.grant({ ...signup, config_id: 'example-signup-0001', assets: waba });
    const known = await shown(token);
    expect(at(known, 'scopes')).toEqual(scopes);
    expect(at(known, 'granular_scopes')).toEqual(
      granular.map(([name, ids]) => (ids === undefined ? { scope: name } : { scope: name, target_ids: ids })),
    );
    expect((await stage.graph('GET', `/${waba}/phone_numbers`, { token })).status).toBe(200);
  });
});

test('system_token_exchange: a system user’s token may refuse the second step', async () => {
  const token = await stage.grant({ ...signup, config_id: 'example-pages-0002' });
  const step = { grant_type: 'fb_exchange_token', fb_exchange_token: token };
  expect(at((await stage.exchange(step)).body, 'access_token')).toBe(token);
  await stage.control('settings', { system_token_exchange: false });
  expect(codesOf(await stage.exchange(step))).toEqual([400, 100, undefined]);
});

test('the fixed tokens of the simulator are no grants: a dialog leaves them alone', async () => {
  await stage.grant({ scope, assets: west });
  expect(await readSubscription(pageToken)).toEqual([200, undefined, undefined]);
});
