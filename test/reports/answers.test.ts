/**
 * What the platform has answered to sends, as public clients have it in their tests, cassettes and reports: what each answer means for the
 * send. `source` says whose; ids, names and texts are invented. [upstream §3.4, §3.5, §3.6; spec: Send error codes]
 */
import { describe, expect, test } from '@jest/globals';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { person } from '../support/known.ts';
import { openUpstream } from '../upstream/open-upstream.ts';
import { channelOf, json, raw } from '../upstream/support.ts';
import type { Reply } from '../upstream/support.ts';

const { server, upstream } = await openUpstream();

function send(channelType: ChannelType, reply: Reply, recipient = person[channelType]) {
  server.script(reply);
  return upstream.send.send({
    channel: channelOf(channelType),
    messageId: '5b0a7c1e-0000-4000-8000-000000000001',
    recipient,
    content: { type: 'text', text: 'Your order is ready.' },
    timeoutMs: 10_000,
  });
}

const said = (status: number, code: number, members: object = {}): Reply =>
  json({ error: { message: `(#${code}) Title`, type: 'OAuthException', code, ...members } }, status);

const refused = (errorCode: number) => ({ outcome: 'refused', errorCode });
const reconnect = (errorCode: number) => ({ outcome: 'refused', errorCode, needsReconnect: true });
const deferred = (pause: string, errorCode: number | null) => ({ outcome: 'deferred', pause, errorCode });
const unknown = { outcome: 'unknown' };

type Row = [source: string, name: string, reply: Reply, means: object];

const ofNumbers: Row[] = [
  ['nyaruka/courier', 'pair limit with 403', said(403, 131_056), deferred('pair', 131_056)],
  ['nyaruka/courier', 'number limit with 403', said(403, 130_429), deferred('channel', 130_429)],
  ['nyaruka/courier', '613 with 429', said(429, 613), deferred('channel', 613)],
  ['nyaruka/courier', 'a file that may pass', said(400, 131_053), deferred('none', 131_053)],
  ['nyaruka/courier', 'a policy block', said(403, 368), refused(368)],
  ['nyaruka/courier', 'code 0', said(403, 0), reconnect(0)],
  ['nyaruka/courier', '500 in words', raw('Bad Gateway', 500), unknown],
  ['nyaruka/courier', '403 in words', raw('bad json', 403), unknown],
  [
    'an Elixir client of the platform',
    '80007 with 429, transient',
    said(429, 80_007, { is_transient: true }),
    deferred('channel', 80_007),
  ],
  [
    'tawn33y/whatsapp-cloud-api #33',
    '131000 with a subcode',
    said(400, 131_000, { error_subcode: 2_494_002, error_data: { details: 'Generic error' } }),
    deferred('none', 131_000),
  ],
  ['david-lev/pywa #217', 'an id that a test number cannot know', said(400, 131_030), refused(131_030)],
  [
    'devlooped/WhatsApp #440',
    'a value that the schema lacks',
    said(400, 100, { error_data: 'not one of individual, group' }),
    refused(100),
  ],
  [
    'shridarpatil/frappe_whatsapp #43',
    'a parameter without its text',
    said(400, 100, { error_data: { messaging_product: 'whatsapp', details: "'text' is mandatory" } }),
    refused(100),
  ],
  [
    'public error tables, 2026',
    'the app is blocked',
    said(400, 200, { message: 'API access blocked.' }),
    {
      ...deferred('channel', 200),
    },
  ],
];

const ofThreads: Row[] = [
  ['nyaruka/courier', '200 with an error', said(200, 36_000), refused(36_000)],
  // Also in a service's tests of 2026.
  ['jgorset/facebook-messenger #221', 'a type of file', said(400, 546), refused(546)],
  ['nyaruka/courier', '200 that says nothing', json({ is_error: true }), unknown],
  ['nyaruka/courier', '200 in words', raw('bad json', 200), unknown],
  ['nyaruka/courier', '429 that says nothing', json({ is_error: true }, 429), deferred('channel', null)],
  [
    'remixz/messenger-bot #61',
    'a passing failure',
    said(400, 1_200, { error_subcode: 2_018_024 }),
    deferred('none', 1_200),
  ],
  [
    'mrbot-ai/botkit-middleware-fbuser #3',
    'code 2 with 500',
    said(500, 2, { is_transient: true }),
    { ...unknown, errorCode: 2 },
  ],
  ['public clients, 2026', 'code -1 with 500', said(500, -1, { error_subcode: 2_018_012 }), unknown],
  [
    'chatwoot/chatwoot #14734',
    'a page that a later dialog left out',
    said(400, 190, { message: 'permission(s) must be granted before impersonating a page' }),
    reconnect(190),
  ],
  ['chatwoot/chatwoot #12989', 'an ended session', said(400, 190, { error_subcode: 463 }), reconnect(190)],
  ['chatwoot/chatwoot #8258', 'blocked for a while', said(400, 2_022), refused(2_022)],
  ['megaapp977/stack #186', 'no such person', said(400, 100, { error_subcode: 2_534_014 }), refused(100)],
  [
    'ComposioHQ/composio #3974',
    'the closed window',
    said(403, 10, { error_subcode: 2_534_022 }),
    refused(10),
  ],
  [
    'ComposioHQ/composio #3604 and #3974',
    'an app without advanced access, a minute after the person wrote',
    said(403, 10, { error_subcode: 2_534_022 }),
    {
      ...refused(10),
      error: expect.stringContaining('if they wrote in the last 24 hours, the app has Standard Access'),
    },
  ],
  [
    'chatwoot/chatwoot #11578, and two clients with its subcode',
    'an app without advanced access',
    said(403, 200, { error_subcode: 2_534_048 }),
    { ...refused(200), error: expect.stringContaining('the app has Standard Access only') },
  ],
  [
    'chatwoot/chatwoot #6550',
    "another app's thread",
    said(400, 100, { error_subcode: 2_534_037 }),
    { ...refused(100), error: expect.stringContaining('another app is controlling this thread') },
  ],
];

describe('an answer to a send of a number', () => {
  test.each(ofNumbers)('%s: %s', async (_source, _name, reply, means) => {
    expect(await send('chatapp', reply)).toMatchObject(means);
  });

  test.each([
    ['held_for_quality_assessment', person.chatapp, { wa_id: person.chatapp }, {}],
    ['paused', person.chatapp, { wa_id: person.chatapp }, {}],
    // nyaruka/courier: without a number, and for a business-scoped id.
    ['accepted', person.chatapp, { user_id: 'DE.aB3' }, { userId: 'DE.aB3' }],
    ['accepted', 'DE.aB3', { user_id: 'DE.aB3' }, { userId: 'DE.aB3' }],
    // restfb/restfb #1649: both; the number is another than was dialled.
    [
      'accepted',
      '5491155550000',
      { wa_id: '541155550000', user_id: 'AR.9' },
      { userId: 'AR.9', waId: '541155550000' },
    ],
  ])(
    'accepted, whatever message_status says (%s), with the names of the person',
    async (word, to, names, told) => {
      const contacts = [{ input: `+${to}`, ...names }];
      const reply = json({
        messaging_product: 'whatsapp',
        contacts,
        messages: [{ id: 'wamid.A', message_status: word }],
      });
      expect(await send('chatapp', reply, to)).toEqual({
        outcome: 'accepted',
        upstreamId: 'wamid.A',
        ...told,
      });
    },
  );

  test('without contacts it is accepted all the same', async () => {
    const reply = json({ messages: [{ id: 'wamid.A' }] }, 201);
    expect(await send('chatapp', reply)).toEqual({ outcome: 'accepted', upstreamId: 'wamid.A' });
  });
});

describe.each(['pagechat', 'photoapp'] as const)('an answer to a send of %s', (type) => {
  test.each(ofThreads)('%s: %s', async (_source, _name, reply, means) => {
    expect(await send(type, reply)).toMatchObject(means);
  });

  test('an answer without the person is accepted', async () => {
    expect(await send(type, json({ message_id: 'm_1' }))).toEqual({ outcome: 'accepted', upstreamId: 'm_1' });
  });
});
