import { describe, expect, test } from '@jest/globals';
import { sampleToken } from './samples/connecting.ts';
import { channelTypes } from '../../src/rules/vocabulary.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { adapterTo, appSecret, channelOf, faultOf, json, raw, token } from './support.ts';
import type { Reply } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const redirectUri = 'https://svc.example/setup/callback';
const code = 'AQB-very-secret-code';

const { server, upstream, lines } = await openUpstream();

/** The message of the `upstream_failed` fault that the work must reject with. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const thrown = await faultOf(work);
  expect(thrown).toMatchObject({ code: 'upstream_failed', status: 502 });
  return thrown.message;
}

const refusal = (errorCode: number, members: object = {}): Reply =>
  json(
    { error: { message: `(#${errorCode}) No`, type: 'OAuthException', code: errorCode, ...members } },
    400,
  );

const readAssets = (channelType: ChannelType) =>
  upstream.admin.readAssets({ channelType, code, redirectUri });

const urlOf = (channelType: ChannelType) =>
  new URL(upstream.admin.dialogUrl({ channelType, redirectUri, state: 'session.token&x=1' }));

describe('the dialog URL', () => {
  test.each(channelTypes)('the dialog URL of %s carries app, redirect and state', (channelType) => {
    const url = urlOf(channelType);
    expect(url.origin + url.pathname).toBe('https://dialog.example/v25.0/dialog/oauth');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: '700100200300400',
      redirect_uri: redirectUri,
      state: 'session.token&x=1',
      response_type: 'code',
    });
  });

  test('the dialog URL of chatapp uses the login configuration instead of scopes', () => {
    const { searchParams } = urlOf('chatapp');
    expect(searchParams.get('config_id')).toBe('880000000000001');
    expect(searchParams.get('override_default_response_type')).toBe('true');
    // The version is in the extras; without it the sign-up is one that has ended.
    expect(searchParams.get('extras')).toBe('{"version":"v4"}');
    expect(searchParams.has('scope')).toBe(false);
  });

  test.each<[ChannelType, string]>([
    ['pagechat', 'pages_show_list,business_management'],
    ['photoapp', 'instagram_basic,pages_show_list,business_management'],
  ])('the dialog URL of %s asks for the permissions of its setting', (channelType, scope) => {
    const asked = Object.fromEntries(urlOf(channelType).searchParams);
    expect(asked).toMatchObject({ scope, auth_type: 'rerequest' });
    expect(asked).not.toHaveProperty('config_id');
  });

  test.each<ChannelType>(['pagechat', 'photoapp'])(
    'with a login configuration for pages, the dialog URL of %s names no permissions',
    async (channelType) => {
      const { upstream: configured } = adapterTo(server.url, systemClock, {
        pagesConfigId: '990000000000001',
      });
      const url = new URL(configured.admin.dialogUrl({ channelType, redirectUri, state: 's' }));
      expect(Object.fromEntries(url.searchParams)).toEqual({
        client_id: '700100200300400',
        redirect_uri: redirectUri,
        state: 's',
        response_type: 'code',
        config_id: '990000000000001',
        override_default_response_type: 'true',
      });
      await configured.close();
    },
  );

  test('only chatapp needs the configuration of its sign-up', async () => {
    const { upstream: bare } = adapterTo(server.url, systemClock, { signupConfigId: null });
    expect(channelTypes.filter((type) => bare.admin.isConfigured(type))).toEqual(['photoapp', 'pagechat']);
    expect(channelTypes.filter((type) => upstream.admin.isConfigured(type))).toEqual([...channelTypes]);
    await bare.close();
  });
});

describe('a failed exchange', () => {
  test.each<[string, Reply, string]>([
    [
      'of a used code',
      refusal(100, { error_subcode: 36009, message: 'This authorization code has been used.' }),
      'Upstream platform error: This authorization code has been used. (code 100)',
    ],
    [
      'whose refusal quotes every secret',
      refusal(190, { message: `token EAAleaked123456 code ${code} secret ${appSecret}` }),
      'code 190',
    ],
    [
      'with a text for people',
      refusal(1, { error_user_msg: 'Please try later' }),
      'Please try later (code 1)',
    ],
    ['with an HTML answer', raw('<html>'), 'no usable answer (HTTP 200)'],
    ['with an empty answer', raw('', 503), 'no usable answer (HTTP 503)'],
    ['with a token and status 503', json({ access_token: 'EAAodd' }, 503), 'no usable answer (HTTP 503)'],
    ['without a token', json({ token_type: 'bearer' }), 'it gave no access token'],
    [
      'with a token that would break a header',
      json({ access_token: 'EAA\r\nx: y' }),
      'it gave no access token',
    ],
    ['with a reset connection', (_, response) => void response.socket?.resetAndDestroy(), 'no answer ('],
  ])(
    'a failed exchange %s is reported without secrets, and the code is not used again',
    async (_, reply, why) => {
      server.script(reply);
      expect(await refusalOf(readAssets('chatapp'))).toContain(why);
      expect(server.received).toHaveLength(1);
    },
  );
});

describe('an upstream that is too slow', () => {
  test('a call is given up after ten seconds', async () => {
    const waits: number[] = [];
    const hasty: Clock = {
      ...systemClock,
      after(delayMs, fire) {
        waits.push(delayMs);
        return systemClock.after(50, fire);
      },
    };
    const impatient = adapterTo(server.url, hasty);
    server.script(() => undefined);
    const work = impatient.upstream.admin.readAssets({ channelType: 'chatapp', code, redirectUri });
    expect(await refusalOf(work)).toContain('no answer (time-out)');
    // The call, then its connection.
    expect(waits).toEqual([10_000, 5_000]);
    await impatient.upstream.close();
  });

  test('the whole flow is given up after 25 seconds, whatever the number of calls', async () => {
    let now = 0;
    const clock: Clock = { ...systemClock, monotonic: () => now };
    const patient = adapterTo(server.url, clock);
    server.script((received, response) => {
      now += 13_000;
      json(sampleToken)(received, response);
    });
    const work = patient.upstream.admin.readAssets({ channelType: 'pagechat', code, redirectUri });
    expect(await refusalOf(work)).toContain('it answers too slowly');
    expect(server.received).toHaveLength(2);
    await patient.upstream.close();
  });
});

describe('subscribing', () => {
  const success = json({ success: true });

  test('chatapp: the business account is subscribed', async () => {
    server.script(success);
    await upstream.admin.subscribe(channelOf('chatapp'));
    expect(server.received.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['POST', '/311200000000001/subscribed_apps', ''],
    ]);
    expect(server.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
  });

  test.each<ChannelType>(['pagechat', 'photoapp'])(
    '%s: the page is subscribed with the fields of both kinds',
    async (channelType) => {
      // Older answers carry the text "true". [upstream §1.1]
      server.script(json({ success: 'true' }));
      await upstream.admin.subscribe(channelOf(channelType));
      expect(server.received).toMatchObject([
        { method: 'POST', path: '/520000000000005/subscribed_apps', body: '' },
      ]);
      // One name that is no field of a page, such as messaging_seen, makes upstream refuse the whole call.
      expect(server.received[0]?.query['subscribed_fields']?.split(',')).toEqual([
        'messages',
        'message_echoes',
        'message_deliveries',
        'message_reads',
        'message_edits',
        'message_reactions',
        'messaging_postbacks',
        'messaging_referrals',
        'messaging_optins',
        'messaging_handovers',
        'standby',
      ]);
    },
  );

  test.each<[string, Reply, string]>([
    ['a refusal that may pass', refusal(2, { message: '(#2) down' }), '(#2) down (code 2)'],
    ['no success', json({ success: false }), 'the webhook subscription was not done'],
    ['an empty object', json({}), 'the webhook subscription was not done'],
  ])('%s fails the subscription', async (_, reply, why) => {
    server.script(reply);
    expect(await refusalOf(upstream.admin.subscribe(channelOf('pagechat')))).toContain(why);
  });

  test.each([
    [
      190,
      /^Upstream refused the request: it no longer accepts the access token; connect the channel again \(/,
    ],
    [
      10,
      /a permission for its events is missing; connect the channel again as somebody with full control of it/,
    ],
    [200, /allow every permission in the dialog \(\(#200\) No \(code 200\)\)$/],
    [100, /it does not let the service subscribe to the events; connect the channel again/],
  ])('a refusal for good says what to do: code %i', async (errorCode, says) => {
    server.script(refusal(errorCode));
    expect(await faultOf(upstream.admin.subscribe(channelOf('pagechat')))).toMatchObject({
      code: 'upstream_refused',
      status: 400,
      message: expect.stringMatching(says),
    });
  });

  test('a refusal of the app itself passes when the operator has mended it: nobody has to connect again', async () => {
    server.script(refusal(200, { message: 'API access blocked.' }));
    expect(await faultOf(upstream.admin.subscribe(channelOf('pagechat')))).toMatchObject({
      code: 'upstream_failed',
      message: expect.not.stringContaining('connect'),
    });
  });

  test('a channel without a token is refused without a call', async () => {
    server.script(success);
    const why = await refusalOf(upstream.admin.subscribe(channelOf('pagechat', { token: null })));
    expect(why).toContain('connect it again');
    expect(server.received).toEqual([]);
  });
});

describe('unsubscribing', () => {
  test.each<[ChannelType, string]>([
    ['chatapp', '/311200000000001/subscribed_apps'],
    ['photoapp', '/520000000000005/subscribed_apps'],
  ])('%s: the subscription of the asset is removed', async (channelType, path) => {
    server.script(json({ success: true }));
    await upstream.admin.unsubscribe(channelOf(channelType));
    expect(server.received).toMatchObject([{ method: 'DELETE', path }]);
    expect(lines).toEqual([]);
  });

  test('a refusal for good is logged without the token and otherwise ignored', async () => {
    server.script(refusal(190, { message: `Token ${token} is dead` }));
    await upstream.admin.unsubscribe(channelOf('pagechat'));
    expect(lines).toHaveLength(1);
  });

  test('without a token nothing can be ended', async () => {
    server.script();
    await upstream.admin.unsubscribe(channelOf('pagechat', { token: null }));
    expect(server.received).toEqual([]);
  });

  test.each<[string, Reply]>([
    ['HTML', raw('<html>', 502)],
    ['a reset', (_, response) => void response.socket?.resetAndDestroy()],
    ['a limit', refusal(4)],
  ])('%s is thrown, so that it is tried again', async (_, reply) => {
    server.script(reply);
    await refusalOf(upstream.admin.unsubscribe(channelOf('pagechat')));
  });
});

describe('a token that ends', () => {
  const ends = (expires: unknown) => json({ data: { is_valid: true, expires_at: expires } });

  test.each([
    [1_767_225_600, 1_767_225_600_000],
    [0, 0],
    [undefined, 0],
  ])('expires_at %p is the end %d', async (said, end) => {
    server.script(ends(said));
    expect(await upstream.admin.tokenEnd(channelOf('chatapp'))).toBe(end);
  });

  test('is exchanged for another with sixty days', async () => {
    server.script(json({ access_token: 'another-token' }), ends(1_767_225_600));
    expect(await upstream.admin.renewToken(channelOf('chatapp'))).toEqual({
      token: 'another-token',
      expiresAt: 1_767_225_600_000,
    });
    const [exchange] = server.received;
    expect(exchange?.path).toBe('/oauth/access_token');
    expect(Object.fromEntries(new URLSearchParams(exchange?.query))).toEqual({
      grant_type: 'fb_exchange_token',
      client_id: '700100200300400',
      client_secret: appSecret,
      set_token_expires_in_60_days: 'true',
      fb_exchange_token: token,
    });
  });

  test.each([
    ['a refusal', () => refusal(100)],
    ['an unknown code', () => refusal(999_999)],
    ['the same token again', () => json({ access_token: token })],
  ])('%s renews nothing', async (_, reply) => {
    server.script(reply());
    expect(await upstream.admin.renewToken(channelOf('chatapp'))).toBe('refused');
  });

  test.each([
    ['no answer', () => raw('<html>', 503)],
    ['a limit', () => refusal(4)],
    ['a breakdown', () => refusal(2, { is_transient: true })],
    ['a refusal of the app', () => refusal(200, { message: 'API access blocked.' })],
  ])('%s is no refusal', async (_, reply) => {
    server.script(reply());
    await refusalOf(upstream.admin.renewToken(channelOf('chatapp')));
  });
});
