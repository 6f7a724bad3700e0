/** [upstream §7] The call for a person's profile, and the meaning of each answer. */
import { describe, expect, test } from '@jest/globals';
import { channelOf, json, proof, raw, token } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server: scripted, upstream } = await openUpstream();
const { profiles } = upstream;

const page = channelOf('pagechat');
const photo = channelOf('photoapp');
const refusal = (code: number, subcode?: number, message = 'No') => ({
  error: { message, type: 'OAuthException', code, error_subcode: subcode, fbtrace_id: 'A1' },
});

test.each([
  [page, 'first_name,last_name,profile_pic'],
  [photo, 'username,name,profile_pic,follower_count,is_verified_user'],
] as const)('the person’s node is read with the token of the channel', async (channel, fields) => {
  scripted.script(json({ id: '88', name: 'Mia', first_name: 'Mia' }));
  await profiles.readProfile(channel, '88');
  expect(scripted.received).toEqual([
    expect.objectContaining({ method: 'GET', path: '/88', query: { fields, appsecret_proof: proof } }),
  ]);
  expect(scripted.received[0]?.headers.authorization).toBe(`Bearer ${token}`);
});

describe('a profile', () => {
  test('it contains the requested members as upstream returns them, also null, and no others', async () => {
    const answer = { username: 'mia.v', name: null, follower_count: 210, is_verified_user: false };
    scripted.script(json({ ...answer, id: '99', is_user_follow_business: true, biography: 'secret' }));
    expect(await profiles.readProfile(photo, '99')).toEqual(answer);
  });

  test('it omits members that are objects or too long', async () => {
    scripted.script(json({ first_name: { a: 1 }, last_name: 'x'.repeat(5_000), profile_pic: null }));
    expect(await profiles.readProfile(page, '88')).toEqual({ profile_pic: null });
  });
});

test.each<[string, unknown]>([
  ['only the id', { id: '88' }],
  ['nothing', {}],
  ['no profile available', refusal(100, 2018218)],
  ['no permission for a field', refusal(100, 2018247)],
  ['an unknown person', refusal(100, 33)],
  ['no matching user', refusal(100, 2018001)],
  ['no consent', refusal(230)],
  ['no consent, by its message', refusal(100, undefined, 'User consent is required to access user profile')],
  ['an object that does not exist', refusal(803)],
  ['no such user of a photo account, or the review bot', refusal(9010)],
  ['a bare 100', refusal(100)],
  ['not allowed for the app', refusal(10)],
  ['not allowed for the page', refusal(200)],
])('the profile is null: %s', async (_, answer) => {
  scripted.script(json(answer, 'error' in Object(answer) ? 400 : 200));
  expect(await profiles.readProfile(photo, '99')).toBeNull();
});

test.each<[string, unknown, number]>([
  ['an expired token', refusal(190, 463), 401],
  ['a limit', refusal(613), 400],
  ['a refusal of the app', refusal(100, undefined, 'Invalid appsecret_proof provided'), 400],
  ['a breakdown', refusal(2), 503],
])('%s is answered 502', async (_, answer, status) => {
  scripted.script(json(answer, status));
  await expect(profiles.readProfile(page, '88')).rejects.toMatchObject({ code: 'upstream_failed' });
});

test.each<[string, string, number]>([
  ['HTML', '<html>busy</html>', 200],
  ['an empty answer', '', 500],
  ['a list', '[]', 200],
])('%s is answered 502', async (_, body, status) => {
  scripted.script(raw(body, status));
  await expect(profiles.readProfile(page, '88')).rejects.toMatchObject({ status: 502 });
});
