/** [upstream §2.4] Registering a number: once, only where it is needed, and what a refusal means. */
import { expect, test } from '@jest/globals';
import { derivePin } from '../../src/upstream/chatapp/register.ts';
import { chatappProfile } from '../support/profiles.ts';
import { appSecret, byPath, channelOf, json, token } from './support.ts';
import type { Reply } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server, upstream } = await openUpstream();

const id = '422300000000002';
const success = json({ success: true });
const refusal = (code: number, subcode?: number): Reply =>
  json({ error: { message: `(#${code}) No`, type: 'OAuthException', code, error_subcode: subcode } }, 400);
const register = (isAllowed = true) => upstream.admin.register(channelOf('chatapp'), async () => isAllowed);
const number = (members: object, answer: Reply = success): void =>
  server.script(byPath({ [`/${id}`]: json({ id, ...members }), [`/${id}/register`]: answer }));
const called = (): string[] => server.received.map(({ method, path }) => `${method} ${path}`);
const both = [`GET /${id}`, `POST /${id}/register`];

test('a number that is not connected is registered with a six-digit PIN', async () => {
  number({ status: 'PENDING', code_verification_status: 'VERIFIED' });
  expect(await register()).toEqual({ isReady: true });
  expect(called()).toEqual(both);
  expect(server.received[0]?.query['fields']).toBe(
    'status,code_verification_status,name_status,is_on_biz_app',
  );
  expect(server.received[1]?.body).toMatch(/^\{"messaging_product":"whatsapp","pin":"[0-9]{6}"\}$/);
  expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${token}`,
    `Bearer ${token}`,
  ]);
});

test.each([
  ['connected', { status: 'CONNECTED' }],
  [
    'in the phone app, although its platform lags',
    { status: 'PENDING', is_on_biz_app: true, platform_type: 'NOT_APPLICABLE' },
  ],
])('a number that is %s needs no call', async (_, members) => {
  number(members);
  expect(await register()).toEqual({ isReady: true });
  expect(called()).toEqual(both.slice(0, 1));
});

test('a number that is known as dual-use is not even read, and pages are not registered', async () => {
  number({});
  const dual = channelOf('chatapp', { profile: chatappProfile({ isDualUse: true }) });
  expect(await upstream.admin.register(dual, async () => true)).toEqual({ isReady: true });
  expect(await upstream.admin.register(channelOf('pagechat'), async () => true)).toEqual({ isReady: true });
  expect(called()).toEqual([]);
});

test.each<[string, Reply]>([
  ['wrong_pin', refusal(133_005)],
  ['not_verified', refusal(133_006)],
  ['too_many_pins', refusal(133_008)],
  ['pins_too_fast', refusal(133_009)],
  ['deleted_recently', refusal(133_015)],
  ['limited', refusal(133_016)],
  ['name_pending', refusal(100, 2_388_001)],
])('upstream refuses: %s', async (hurdle, reply) => {
  number({ status: 'PENDING' }, reply);
  expect(await register()).toEqual({ isReady: false, hurdle, words: null });
  expect(called()).toEqual(both);
});

test('a number that is not verified, or whose call is not allowed now, is not called', async () => {
  number({ status: 'PENDING', code_verification_status: 'NOT_VERIFIED' });
  expect(await register()).toEqual({ isReady: false, hurdle: 'not_verified', words: null });
  number({ status: 'PENDING' });
  expect(await register(false)).toEqual({ isReady: false, hurdle: 'limited', words: null });
  expect(called()).toEqual(both.slice(0, 1));
});

test('another refusal, or none, may pass; the call is never repeated', async () => {
  number({ status: 'PENDING' }, refusal(131_000));
  expect(await register()).toEqual({
    isReady: false,
    hurdle: 'unanswered',
    words: 'Upstream platform error: (#131000) No (code 131000)',
  });
  number({ status: 'PENDING' }, (_, response) => void response.socket?.resetAndDestroy());
  expect(await register()).toMatchObject({ isReady: false, hurdle: 'unanswered' });
  expect(called()).toEqual(both);
  server.script(refusal(2));
  expect(await register()).toMatchObject({ isReady: false, hurdle: 'unanswered' });
  expect(called()).toEqual(both.slice(0, 1));
});

test('the PIN depends on number and secret only, so a reconnected number keeps its PIN', () => {
  expect(derivePin(id, appSecret)).toBe(derivePin(id, appSecret));
  const others = [derivePin('422300000000003', appSecret), derivePin(id, 'another-secret')];
  expect(others).not.toContain(derivePin(id, appSecret));
});
