/** [upstream §2.2, §2.4] Upstream's answers about a channel's token, subscription and quality. */
import { describe, expect, test } from '@jest/globals';
import { pageFields } from '../../src/upstream/webhook-fields.ts';
import { chatappProfile } from '../support/profiles.ts';
import { channelOf, faultOf, json, raw, token } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server: scripted, upstream } = await openUpstream();
const { health } = upstream;

const ours = '700100200300400';
const ofPage = (id: string, fields?: unknown) => ({ data: [{ id, name: 'App', subscribed_fields: fields }] });
const ofAccount = (id: string) => ({ data: [{ whatsapp_business_api_data: { id, name: 'App' } }] });
const refusal = (code: number) => ({ error: { message: 'No', type: 'OAuthException', code } });

test.each<[string, unknown, boolean]>([
  ['our app with every field', ofPage(ours, [...pageFields, 'feed']), true],
  ['our app without one of the fields', ofPage(ours, pageFields.slice(0, -1)), false],
  ['our app without a list of fields', ofPage(ours), true],
  ['our app without messages', ofPage(ours, ['message_reads']), false],
  ['another app', ofPage('1', ['messages']), false],
  ['nobody', { data: [] }, false],
  ['nothing', {}, false],
  ['an object in place of a list', { data: { id: ours } }, false],
])('the subscription of a page is read: %s', async (_, answer, isSubscribed) => {
  scripted.script(json(answer));
  expect(await health.probe(channelOf('pagechat'))).toEqual({
    state: { token: 'valid', isSubscribed, qualityRating: null },
    profile: null,
    saysEchoes: true,
    problems: [],
    lookedFor: ['access_removed'],
  });
  expect(scripted.received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /520000000000005/subscribed_apps',
  ]);
  expect(scripted.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
});

test('a photoapp account is subscribed through its page', async () => {
  scripted.script(json(ofPage(ours, pageFields)));
  expect((await health.probe(channelOf('photoapp'))).state.isSubscribed).toBe(true);
  expect(scripted.received[0]?.path).toBe('/520000000000005/subscribed_apps');
});

test.each([
  [ours, true],
  ['1', false],
])(
  'the subscription of a number is that of its business account, and its profile is read again (app %s)',
  async (app, isSubscribed) => {
    const number = { quality_rating: 'YELLOW', is_on_biz_app: true, platform_type: 'CLOUD_API' };
    scripted.script(json(ofAccount(app)), json({ ...number, id: '422300000000002' }));
    expect(await health.probe(channelOf('chatapp'))).toEqual({
      state: { token: 'valid', isSubscribed, qualityRating: 'YELLOW' },
      profile: chatappProfile({ qualityRating: 'YELLOW', isDualUse: true }),
      saysEchoes: true,
      problems: [],
      lookedFor: ['access_removed'],
    });
    expect(scripted.received.map(({ path }) => path)).toEqual([
      '/311200000000001/subscribed_apps',
      '/422300000000002',
      '/422300000000002',
    ]);
  },
);

test.each([
  [{ is_on_biz_app: false, platform_type: 'CLOUD_API' }, false, true],
  [{ is_on_biz_app: true, platform_type: 'NOT_APPLICABLE' }, true, true],
  [{ is_on_biz_app: 'yes' }, true, false],
  [{}, true, false],
])('members that upstream omits keep their known values: %j', async (number, isDualUse, saysEchoes) => {
  const known = chatappProfile({ qualityRating: 'GREEN', isDualUse: true });
  scripted.script(json(ofAccount(ours)), json({ id: '422300000000002', ...number }));
  const probed = await health.probe(channelOf('chatapp', { profile: known }));
  const { profile, state } = probed;
  expect([profile, probed.saysEchoes]).toEqual([{ ...known, isDualUse }, saysEchoes]);
  expect(state.qualityRating).toBe('GREEN');
});

test.each([0, 102, 190])('code %i means that the token is refused', async (code) => {
  scripted.script(json(refusal(code), 401));
  expect(await health.probe(channelOf('pagechat'))).toEqual({
    state: { token: 'refused', isSubscribed: null, qualityRating: null },
    profile: null,
    saysEchoes: false,
    problems: [],
    lookedFor: [],
  });
});

test.each([
  [100, 33],
  [10, undefined],
  [200, undefined],
  [803, undefined],
])('code %i with subcode %p means that the access was removed', async (code, subcode) => {
  scripted.script(json({ error: { ...refusal(code).error, error_subcode: subcode } }, 400));
  expect(await health.probe(channelOf('chatapp'))).toEqual({
    state: { token: 'valid', isSubscribed: null, qualityRating: null },
    profile: null,
    saysEchoes: false,
    problems: [{ code: 'access_removed' }],
    lookedFor: [],
  });
});

test('an app that upstream blocked (code 200 in every call) is no lost access of a channel', async () => {
  const error = { message: 'API access blocked.', type: 'OAuthException', code: 200 };
  scripted.script(json({ error }, 400));
  expect(await faultOf(health.probe(channelOf('chatapp')))).toMatchObject({ code: 'upstream_failed' });
});

describe('what stands in the way of a number', () => {
  const probe = async (shown: unknown, status = 200) => {
    scripted.script(json(ofAccount(ours)), json({ id: '422300000000002' }), json(shown, status));
    const { problems, lookedFor } = await health.probe(channelOf('chatapp'));
    return { problems, lookedFor };
  };
  const entity = (word: string, errors: unknown[] = []) => ({
    entity_type: 'WABA',
    id: '1',
    can_send_message: word,
    errors,
  });

  test('what blocks its sends is told with what upstream advises', async () => {
    const entities = [
      entity('BLOCKED', [
        { error_code: 141006, error_description: 'No payment method.', possible_solution: 'Add one.' },
      ]),
      entity('LIMITED', [{ error_description: 'Not verified.' }]),
      entity('AVAILABLE'),
    ];
    expect(await probe({ health_status: { can_send_message: 'BLOCKED', entities } })).toEqual({
      problems: [
        {
          code: 'sends_blocked',
          detail: 'Upstream blocks sending through the channel: No payment method. Add one',
        },
      ],
      lookedFor: ['access_removed', 'sends_blocked'],
    });
  });

  test('a number that is able ends its pause and what is known of its account; one that is limited does not', async () => {
    expect(await probe({ health_status: { can_send_message: 'AVAILABLE' } })).toEqual({
      problems: [],
      lookedFor: [
        'access_removed',
        'sends_blocked',
        'account_disabled',
        'account_restricted',
        'sends_paused',
      ],
    });
    expect(await probe({ health_status: { can_send_message: 'LIMITED' } })).toEqual({
      problems: [],
      lookedFor: ['access_removed', 'sends_blocked'],
    });
  });

  const application = 'https://anywhere.example/';
  test.each([
    [{ phone_number: 'https://other.example/hook', application }, 'other.example'],
    [{ whatsapp_business_account: 'https://other.example:8443/hook', application }, 'other.example:8443'],
    [{ phone_number: 'no url' }, 'an unreadable address'],
  ])('a foreign callback %j is told with its host', async (callbacks, host) => {
    expect(await probe({ webhook_configuration: callbacks })).toEqual({
      problems: [{ code: 'webhook_elsewhere', detail: expect.stringContaining(`(${host})`) }],
      lookedFor: ['access_removed', 'webhook_elsewhere'],
    });
  });

  test("our own callback and the app's are no override", async () => {
    const ourCallback = 'https://svc.example/upstream/webhooks';
    expect(await probe({ webhook_configuration: { phone_number: ourCallback, application } })).toEqual({
      problems: [],
      lookedFor: ['access_removed', 'webhook_elsewhere'],
    });
  });

  test.each([
    ['refuses the fields', refusal(100), 400],
    ['fails', refusal(2), 503],
    ['answers something else', { health_status: 'fine', webhook_configuration: [] }, 200],
  ])('an upstream that %s is asked about nothing', async (_, answer, status) => {
    expect(await probe(answer, status)).toEqual({ problems: [], lookedFor: ['access_removed'] });
  });
});

test('another refusal or an unusable answer fails the probe', async () => {
  for (const reply of [json(refusal(100), 400), json(refusal(2), 503), raw('<html>')]) {
    scripted.script(reply);
    await expect(health.probe(channelOf('pagechat'))).rejects.toMatchObject({ code: 'upstream_failed' });
  }
});
