/** [upstream §1.7] The app's own subscriptions: what is read, what is asked for, and what a refusal of one name leads to. */
import { expect, test } from '@jest/globals';
import type { AppWebhooks } from '../../src/upstream/app-calls.ts';
import { appFields, pageFields } from '../../src/upstream/webhook-fields.ts';
import { faultOf, json } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server: scripted, upstream } = await openUpstream();
const { app } = upstream;

const { required = [], optional = [] } = appFields['instagram'] ?? {};
const nothing: AppWebhooks = {
  channelType: 'photoapp',
  object: 'instagram',
  callbackUrl: null,
  isActive: true,
  fields: [],
  versions: [],
  missing: { required, optional },
};

const refusal = (message: string) => json({ error: { message, type: 'OAuthException', code: 100 } }, 400);
const fieldsAsked = (): string[][] =>
  scripted.received.map(({ body }) => String(JSON.parse(body).fields).split(','));

test('every field of a page that is subscribed at the page is one of the app too', () => {
  const { required: needed = [], optional: more = [] } = appFields['page'] ?? {};
  expect(pageFields.filter((name) => ![...needed, ...more].includes(name))).toEqual([]);
});

test('reads each kind, also one that is not there, and fields in either form', async () => {
  const page = { object: 'page', callback_url: 'https://svc.example/upstream/webhooks', active: true };
  const fields = [{ name: 'messages', version: 'v25.0' }, 'standby', { name: 7 }];
  scripted.script(json({ data: [{ ...page, fields }, 'nonsense', { object: 'user' }] }));
  const [chatapp, photoapp, pagechat] = await app.webhooks();
  expect([chatapp?.callbackUrl, photoapp]).toEqual([null, nothing]);
  expect(pagechat).toMatchObject({
    callbackUrl: page.callback_url,
    isActive: true,
    fields: ['messages', 'standby'],
    versions: ['v25.0'],
  });
  expect(pagechat?.missing.required).not.toContain('messages');
  expect(scripted.received[0]?.path).toBe('/700100200300400/subscriptions');
});

test('asks with our callback and verify token, for what there was and what is missing', async () => {
  scripted.script(json({ success: true }));
  const had = { ...nothing, fields: ['comments'] };
  expect(await app.subscribe(had)).toEqual({ leftOut: [] });
  expect(JSON.parse(scripted.received[0]?.body ?? '')).toEqual({
    object: 'instagram',
    callback_url: 'https://svc.example/upstream/webhooks',
    verify_token: 'verify-me',
    fields: ['comments', ...required, ...optional].join(','),
    include_values: 'true',
  });
});

test('a name that upstream does not list is left out, and said', async () => {
  const listed = [...required, 'comments'].map((name) => name.toUpperCase()).join(', ');
  scripted.script(
    refusal(`(#100) Param fields[6] must be one of {${listed}} - got "x".`),
    json({ success: true }),
  );
  expect(await app.subscribe({ ...nothing, fields: ['comments'] })).toEqual({ leftOut: optional });
  expect(fieldsAsked()[1]).toEqual(['comments', ...required]);
});

test('without a list it is tried once without what may be missing', async () => {
  scripted.script(refusal('(#100) Invalid parameter'), json({ success: true }));
  expect(await app.subscribe(nothing)).toEqual({ leftOut: optional });
  scripted.script(refusal('(#100) Invalid parameter'));
  expect((await faultOf(app.subscribe(nothing))).code).toBe('upstream_failed');
  expect(fieldsAsked()).toEqual([[...required, ...optional], required]);
});

test('a refused proof is not repeated', async () => {
  scripted.script(refusal('Invalid appsecret_proof provided in the API argument'));
  await faultOf(app.subscribe(nothing));
  expect(scripted.received).toHaveLength(1);
});
