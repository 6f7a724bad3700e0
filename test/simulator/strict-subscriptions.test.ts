/** Webhook subscriptions that upstream refuses: names of fields, kinds of token, permissions and tasks [upstream protocol 1.7, 2.2]. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appId, appToken, at, codesOf, page, pageToken, Stage, textAt, type Reply } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open({ profile: 'strict' });
});
afterEach(() => stage.close());

function subscribePage(fields: string, token = pageToken): Promise<Reply> {
  return stage.graph('POST', `/${page}/subscribed_apps?subscribed_fields=${fields}`, { token });
}

function subscribeApp(object: string, fields: string): Promise<Reply> {
  const body = { object, fields, callback_url: stage.inbox.url, verify_token: 'my-verify-token' };
  return stage.graph('POST', `/${appId}/subscriptions`, { token: appToken, body });
}

async function pageFields(): Promise<unknown> {
  const { body } = await stage.graph('GET', `/${page}/subscribed_apps`, { token: pageToken });
  return at(body, 'data', 0, 'subscribed_fields');
}

describe('field_names', () => {
  test.each(['messaging_seen', 'messaging_referral', 'messaging_handover', 'message_edit', 'comments'])(
    'a page field that does not exist (%s) refuses the whole call, and the earlier subscription stays',
    async (name) => {
      await subscribePage('messages');
      expect(codesOf(await subscribePage(`messages,message_reads,${name}`))).toEqual([400, 100, undefined]);
      expect(await pageFields()).toEqual(['messages']);
    },
  );

  test('the refusal names the place, the word and every field that exists', async () => {
    const { body } = await subscribePage('messages,messaging_seen');
    expect(at(body, 'error', 'message')).toMatch(
      /^\(#100\) Param subscribed_fields\[1\] must be one of \{AFFILIATION, .*, WEBSITE\} - got "messaging_seen"\.$/,
    );
  });

  test.each([
    ['page', 'messages,messaging_seen', 400],
    ['page', 'messages,message_reads', 200],
    ['instagram', 'messages,message_reads', 400],
    ['instagram', 'messages,messaging_seen', 200],
    ['whatsapp_business_account', 'messages,messaging_postbacks', 400],
    ['whatsapp_business_account', 'messages,account_update', 200],
  ])('the app’s fields differ by object: %s %s is %i', async (object, fields, status) => {
    expect((await subscribeApp(object, fields)).status).toBe(status);
  });
});

/** Page tokens by page id, of a dialog with these scopes. */
async function pageTokenWith(scope: string): Promise<string> {
  const token = await stage.grant({ scope: `pages_show_list,business_management,${scope}`, assets: page });
  const { body } = await stage.graph('GET', '/me/accounts?fields=access_token', { token });
  return textAt(body, 'data', 0, 'access_token');
}

describe('token_kinds', () => {
  test.each(['GET', 'POST', 'DELETE'])(
    '%s of a page’s subscription with the app’s token is 102',
    async (method) => {
      const path = `/${page}/subscribed_apps?subscribed_fields=feed`;
      expect(codesOf(await stage.graph(method, path, { token: appToken }))).toEqual([400, 102, undefined]);
    },
  );

  test('a person’s token is refused too, and how depends on the kind of page', async () => {
    const token = await stage.grant({ scope: 'pages_manage_metadata', assets: page });
    expect(codesOf(await subscribePage('feed', token))).toEqual([400, 190, 2069032]);
    await stage.control('pages', { page_id: page, classic: true });
    expect(codesOf(await subscribePage('feed', token))).toEqual([400, 210, undefined]);
  });
});

describe('subscription_rights', () => {
  test('message fields need pages_messaging, feed does not', async () => {
    const token = await pageTokenWith('pages_manage_metadata');
    expect(codesOf(await subscribePage('messages', token))).toEqual([403, 200, undefined]);
    expect((await subscribePage('feed', token)).status).toBe(200);
  });

  test.each([
    [['ANALYZE', 'MESSAGING'], 'feed', 403],
    [['MODERATE'], 'feed', 200],
    [['MODERATE'], 'messages', 403],
    [['MODERATE', 'MESSAGING'], 'messages', 200],
  ])('a person with the tasks %j subscribes %s: %i', async (tasks, fields, status) => {
    await stage.control('pages', { page_id: page, tasks });
    expect((await subscribePage(fields)).status).toBe(status);
  });

  test('the tasks are shown in the person’s pages', async () => {
    await stage.control('pages', { page_id: page, tasks: ['ANALYZE'] });
    const token = await stage.grant({ scope: 'pages_show_list,business_management', assets: page });
    const { body } = await stage.graph('GET', '/me/accounts?fields=tasks', { token });
    expect(at(body, 'data', 0, 'tasks')).toEqual(['ANALYZE']);
  });
});
