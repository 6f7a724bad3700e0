/** [upstream §2.4] The numbers that a person shared in the sign-up. */
import { expect, test } from '@jest/globals';
import type { PickedAssets } from '../../src/upstream/connecting-calls.ts';
import { chatappProfile } from '../support/profiles.ts';
import { sampleInspection, sampleNumbers, sampleToken } from './samples/connecting.ts';
import { appSecret, byPath, faultOf, json } from './support.ts';
import type { Reply } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server, upstream, lines } = await openUpstream();

const redirectUri = 'https://svc.example/setup/callback';
const read = (): Promise<PickedAssets> =>
  upstream.admin.readAssets({ channelType: 'chatapp', code: 'AQB-very-secret-code', redirectUri });
const numberItem = (id: string, members: object = {}) => ({ id, display_phone_number: id, ...members });
const refusal = (code: number, subcode?: number, status = 400): Reply =>
  json({ error: { message: `(#${code}) No`, type: 'OAuthException', code, error_subcode: subcode } }, status);
const inspection = (members: object) => json({ data: { ...sampleInspection.data, ...members } });
const numbersOf = (...ids: string[]) => json({ data: ids.map((id) => numberItem(id)) });

/** A sign-up that ends with this token, and what each business account answers. */
function signUp(members: object, accounts: Record<string, Reply | Reply[]>): void {
  const numbers = Object.entries(accounts).map(([id, reply]) => [`/${id}/phone_numbers`, reply] as const);
  server.script(
    byPath({
      '/oauth/access_token': json(sampleToken),
      '/debug_token': inspection(members),
      ...Object.fromEntries(numbers),
    }),
  );
}
const scope = (name: string, ...targets: string[]) => ({ scope: name, target_ids: targets });
const found = ({ assets }: PickedAssets): string[] => assets.map(({ identity }) => identity);

test('the assets are the numbers of the business accounts of the token', async () => {
  server.script(json(sampleToken), json(sampleInspection), json(sampleNumbers));
  expect(await read()).toEqual({
    assets: [
      {
        channelType: 'chatapp',
        identity: '422300000000002',
        name: 'Harbour Bakery',
        token: 'EAAbusinessTokenInvented',
        tokenExpiresAt: null,
        profile: chatappProfile({ qualityRating: 'GREEN' }),
      },
    ],
    unusable: [],
  });
  expect(
    server.received.map(({ path, query, headers }) => [path, query['input_token'], headers.authorization]),
  ).toEqual([
    ['/oauth/access_token', undefined, undefined],
    ['/debug_token', 'EAAbusinessTokenInvented', `Bearer 700100200300400|${appSecret}`],
    ['/311200000000001/phone_numbers', undefined, 'Bearer EAAbusinessTokenInvented'],
  ]);
});

test('the numbers of all accounts and all pages are read, with their dual-use flag', async () => {
  const granular_scopes = [
    scope('whatsapp_business_management', '31'),
    scope('whatsapp_business_messaging', '32', '31'),
  ];
  signUp(
    { granular_scopes },
    {
      31: [
        json({ data: [numberItem('1')], paging: { cursors: { after: 'c1' }, next: 'x' } }),
        json({ data: [numberItem('2', { is_on_biz_app: true, platform_type: 'CLOUD_API' })] }),
      ],
      32: json({ data: [numberItem('3', { is_on_biz_app: true, platform_type: 'NOT_APPLICABLE' })] }),
    },
  );
  const { assets } = await read();
  expect(assets.map(({ identity, profile }) => ({ identity, profile }))).toMatchObject([
    { identity: '1', profile: { businessAccountId: '31', isDualUse: false } },
    { identity: '2', profile: { businessAccountId: '31', isDualUse: true } },
    { identity: '3', profile: { businessAccountId: '32', isDualUse: true } },
  ]);
});

test.each<[string, object]>([
  [
    'without whatsapp_business_management by name',
    {
      scopes: ['whatsapp_business_manage_events', 'whatsapp_business_messaging'],
      granular_scopes: [scope('whatsapp_business_manage_events', '31', '32')],
    },
  ],
  [
    'with scopes in granular_scopes only',
    {
      scopes: ['business_management'],
      granular_scopes: [scope('business_management', '99'), scope('whatsapp_business_messaging', '31', '32')],
    },
  ],
  [
    'with the same scope twice',
    {
      granular_scopes: [
        scope('whatsapp_business_management', '31'),
        scope('whatsapp_business_management', '32'),
      ],
    },
  ],
])('a token %s shows every account that was shared', async (_, members) => {
  signUp(members, { 31: numbersOf('1'), 32: numbersOf('2'), 99: numbersOf('9') });
  expect(found(await read())).toEqual(['1', '2']);
});

const shared = { granular_scopes: [scope('whatsapp_business_messaging', '31', '32')] };

test.each([
  [100, 33],
  [10, undefined],
  [200, undefined],
  [803, undefined],
])(
  'an account that upstream hides (code %i) is left out and named; the others are offered',
  async (code, subcode) => {
    signUp(shared, { 31: refusal(code, subcode), 32: numbersOf('2') });
    const picked = await read();
    expect([found(picked), picked.unusable]).toEqual([
      ['2'],
      [{ identity: '31', name: null, why: 'unreadable' }],
    ]);
    expect(lines.join('')).toContain('"business_account":"31"');
  },
);

test('accounts without a number, or hidden, are what remains if nothing can be connected', async () => {
  signUp(shared, { 31: refusal(100, 33), 32: numbersOf() });
  expect(await read()).toEqual({
    assets: [],
    unusable: [
      { identity: '31', name: null, why: 'unreadable' },
      { identity: '32', name: null, why: 'no_number' },
    ],
  });
});

test('an account that cannot be read now costs the others nothing, but alone it fails the flow', async () => {
  signUp(shared, { 31: refusal(2, undefined, 503), 32: numbersOf('2') });
  expect(await read()).toMatchObject({ assets: [{ identity: '2' }], unusable: [] });
  signUp(shared, { 31: refusal(2, undefined, 503), 32: numbersOf() });
  expect(await faultOf(read())).toMatchObject({
    code: 'upstream_failed',
    message: expect.stringContaining('(#2)'),
  });
});

test('no account is hidden because upstream blocked the app', async () => {
  const error = { message: 'API access blocked.', type: 'OAuthException', code: 200 };
  signUp(shared, { 31: json({ error }, 400), 32: numbersOf() });
  expect(await faultOf(read())).toMatchObject({
    code: 'upstream_failed',
    message: expect.stringContaining('API access blocked.'),
  });
});

test('a call that upstream finds wrong (code 100 alone) is a failure, and no hidden account', async () => {
  signUp(shared, { 31: refusal(100), 32: numbersOf() });
  expect((await faultOf(read())).message).toContain('(#100) No');
});

test('a token that shares no account has nothing to connect; the log has what it shows', async () => {
  const granular_scopes = [
    scope('business_management', '99'),
    { scope: 'whatsapp_business_messaging' },
    { scope: 'whatsapp_business_management', target_ids: [] },
  ];
  signUp({ scopes: ['public_profile'], granular_scopes }, { 99: numbersOf('9') });
  expect(await read()).toEqual({ assets: [], unusable: [] });
  const line = lines.find((each) => each.includes('"upstream.no-account-shared"')) ?? '{}';
  expect(JSON.parse(line)).toMatchObject({
    scopes: [
      { name: 'public_profile', targets: 0 },
      { name: 'business_management', targets: 1 },
      { name: 'whatsapp_business_messaging', targets: 0 },
      { name: 'whatsapp_business_management', targets: 0 },
    ],
  });
});

test('the end of a token that ends is kept', async () => {
  signUp({ expires_at: 1_800_000_000 }, { 311200000000001: numbersOf('1') });
  expect(await read()).toMatchObject({ assets: [{ tokenExpiresAt: 1_800_000_000_000 }] });
});

test('an invalid token is refused', async () => {
  signUp({ is_valid: false }, {});
  expect((await faultOf(read())).message).toContain('not valid');
});
