/** Sends and profiles that pages and photo accounts refuse [upstream protocol 3.4, 3.6, 7]. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { at, codesOf, mia, page, pageToken, photo, Stage, textAt, type Reply } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict' });
});
afterEach(() => stage.close());

async function write(): Promise<void> {
  await stage.control('people/write', { channel: page, from: mia.psid });
  await stage.control('people/write', { channel: photo, from: mia.igsid });
}

async function tokenWith(scope: string): Promise<string> {
  const token = await stage.grant({ scope: `pages_show_list,business_management,${scope}`, assets: page });
  const { body } = await stage.graph('GET', '/me/accounts?fields=access_token', { token });
  return textAt(body, 'data', 0, 'access_token');
}

function sendWith(token: string, recipient: string): Promise<Reply> {
  const body = { recipient: { id: recipient }, message: { text: 'Hello' } };
  return stage.graph('POST', `/${page}/messages`, { token, body });
}

test.each([
  [mia.psid, 2018278],
  [mia.igsid, 2534022],
])('windows: to %s outside the window is 403, 10/%i', async (id, subcode) => {
  expect(codesOf(await stage.sendPage(id, { text: 'Hello' }))).toEqual([403, 10, subcode]);
  await write();
  expect((await stage.sendPage(id, { text: 'Hello' })).status).toBe(200);
});

test.each([
  ['8800000000009999', 2018001],
  ['9900000000009999', 2534014],
  ['8800000000000101', 2018001],
])('strict_people: to %s, nobody of this page, is 400, 100/%i', async (id, subcode) => {
  expect(codesOf(await stage.sendPage(id, { text: 'Hello' }))).toEqual([400, 100, subcode]);
});

describe('scopes of a send', () => {
  test('photo_rights: without the photo account’s scope its person is nobody', async () => {
    await write();
    const token = await tokenWith('pages_messaging');
    expect(codesOf(await sendWith(token, mia.igsid))).toEqual([400, 100, 2018001]);
    expect((await sendWith(token, mia.psid)).status).toBe(200);
  });

  test('a page’s person needs pages_messaging: 403, 200', async () => {
    await write();
    const token = await tokenWith('instagram_manage_messages');
    expect(codesOf(await sendWith(token, mia.psid))).toEqual([403, 200, undefined]);
  });

  test('missing_scope_is_dead: a photo account’s send without pages_messaging may be 190', async () => {
    await write();
    const token = await tokenWith('instagram_manage_messages');
    expect((await sendWith(token, mia.igsid)).status).toBe(200);
    await stage.control('settings', { missing_scope_is_dead: true });
    expect(codesOf(await sendWith(token, mia.igsid))).toEqual([400, 190, undefined]);
  });
});

test.each([
  [mia.igsid, 'é'.repeat(500), 200],
  [mia.igsid, 'é'.repeat(501), 400],
  [mia.psid, 'é'.repeat(2000), 200],
])('text_bytes: to %s, a text of so many bytes is %3$i', async (id, text, status) => {
  await write();
  expect((await stage.sendPage(id, { text })).status).toBe(status);
});

test.each(['ACCOUNT_UPDATE', 'CONFIRMED_EVENT_UPDATE', 'POST_PURCHASE_UPDATE'])(
  'the tag %s has ended: 400, 100/1893061',
  async (tag) => {
    await write();
    const refused = await stage.sendPage(mia.psid, { text: 'Hi' }, { messaging_type: 'MESSAGE_TAG', tag });
    expect(codesOf(refused)).toEqual([400, 100, 1893061]);
  },
);

test('business_status and localised: the same refusal as 500, in another language', async () => {
  await stage.control('settings', { business_status: 500, localised: true });
  const refused = await stage.sendPage(mia.psid, { text: 'Hello' });
  expect(codesOf(refused)).toEqual([500, 10, 2018278]);
  expect(at(refused.body, 'error', 'message')).toBe('(#10) Diese Nachricht kann nicht gesendet werden.');
});

describe('profiles', () => {
  function read(id: string, token = pageToken): Promise<unknown[]> {
    return stage.graph('GET', `/${id}?fields=name`, { token }).then(codesOf);
  }

  test.each([
    ['unresolved', [400, 9010, undefined]],
    ['not_permitted', [400, 100, 2018247]],
    ['no_consent', [403, 230, undefined]],
  ])('%s', async (profile, codes) => {
    await stage.control('people', { channel: photo, id: mia.igsid, profile });
    expect(await read(mia.igsid)).toEqual(codes);
  });

  test('photo_rights: five permissions are needed', async () => {
    const five = 'instagram_basic,instagram_manage_messages,pages_manage_metadata,pages_read_engagement';
    expect(await read(mia.igsid, await tokenWith(five))).toEqual([200, undefined, undefined]);
    expect(await read(mia.igsid, await tokenWith('instagram_manage_messages'))).toEqual([400, 100, 2018247]);
  });
});
