/** Webhook subscriptions that upstream refuses: names of fields, kinds of token, permissions and tasks [upstream protocol 1.7, 2.2]. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appId, appToken, at, codesOf, page, pageToken, Stage, type Reply } from './support.ts';

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
