/** [upstream §2.2, §2.4] Upstream's answers about a channel's token, subscription and quality. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { HealthUpstream } from '../../src/use-cases/ports/health.ts';
import { pageFields } from '../../src/adapters/upstream/webhook-fields.ts';
import { chatappProfile } from '../support/profiles.ts';
import { adapterTo, channelOf, json, raw, startScripted, token } from './support.ts';
import type { Scripted } from './support.ts';

let scripted: Scripted;
let health: HealthUpstream;
let close: () => Promise<void>;
beforeAll(async () => {
  scripted = await startScripted();
  const { upstream } = adapterTo(scripted.url);
  ({ health } = upstream);
  close = () => upstream.close();
});
afterAll(async () => {
  await close();
  await scripted.close();
});

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
    });
    expect(scripted.received.map(({ path }) => path)).toEqual([
      '/311200000000001/subscribed_apps',
      '/422300000000002',
    ]);
  },
);

test.each([
  [{ is_on_biz_app: false, platform_type: 'CLOUD_API' }, false],
  [{ is_on_biz_app: true, platform_type: 'NOT_APPLICABLE' }, false],
  [{ is_on_biz_app: 'yes' }, true],
  [{}, true],
])('members that upstream omits keep their known values: %j', async (number, isDualUse) => {
  const known = chatappProfile({ qualityRating: 'GREEN', isDualUse: true });
  scripted.script(json(ofAccount(ours)), json({ id: '422300000000002', ...number }));
  const { profile, state } = await health.probe(channelOf('chatapp', { profile: known }));
  expect(profile).toEqual({ ...known, isDualUse });
  expect(state.qualityRating).toBe('GREEN');
});

test.each([0, 190])('code %i means that the token is refused', async (code) => {
  scripted.script(json(refusal(code), 401));
  expect(await health.probe(channelOf('pagechat'))).toEqual({
    state: { token: 'refused', isSubscribed: null, qualityRating: null },
    profile: null,
  });
});

test('another refusal or an unusable answer fails the probe', async () => {
  for (const reply of [json(refusal(10), 403), json(refusal(2), 503), raw('<html>')]) {
    scripted.script(reply);
    await expect(health.probe(channelOf('pagechat'))).rejects.toMatchObject({ code: 'upstream_failed' });
  }
});
