/** The exact fields of every answer, and that the contract describes exactly these. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { routeTable } from '../support/routes.ts';
import { dayMs, hourMs, minuteMs } from '../../src/kernel/clock.ts';
import type { SendReply } from '../../src/rules/messages/send-reply.ts';
import type { World } from '../../src/features/world.ts';
import {
  amongNodes,
  aside,
  exchangeCode,
  givenUpId,
  ids,
  openAnswers,
  templateTexts,
} from './answers-world.ts';
import type { House } from './house.ts';
import { caller, licenceId, now, otherId, someId, StillClock } from './support.ts';
import type { Answer, Running } from './support.ts';
import { aSubscription } from '../stores/conformance/samples.ts';
import { fileForm } from '../support/file-form.ts';

const iso = (at: number) => new Date(at).toISOString();
const anId: unknown = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const aKeyText: unknown = expect.stringMatching(/^mip_live_[\w-]{43}$/);
const aLink = (path: string): unknown =>
  expect.stringMatching(new RegExp(`^https://service\\.example/portal/${path}\\?token=[\\w-]{43}$`));

const memberOut = {
  person_id: ids.mia,
  email: 'mia@example.com',
  role: 'owner',
  joined: true,
  two_steps: false,
  created_at: iso(now - dayMs),
  last_seen_at: null,
};
const invitedOut = {
  person_id: ids.invited,
  email: 'guest@example.com',
  role: 'viewer',
  joined: false,
  two_steps: false,
  created_at: iso(now),
  last_seen_at: null,
};

const subscriptionInfo = {
  status: 'active',
  source: 'billing_provider',
  tier: 'pro',
  expires_at: iso(now + dayMs),
  auto_renew: true,
};
const endless = { status: 'active', source: 'enterprise', tier: 'pro', expires_at: null, auto_renew: false };
const ended = {
  status: 'expired',
  source: 'trial',
  tier: 'pro',
  expires_at: iso(now - 1),
  auto_renew: false,
};
const chatappOut = {
  id: someId,
  channel_type: 'chatapp',
  name: 'Example Shop',
  is_active: true,
  phone_number_id: '422300000000002',
  phone_number: '+1 555-010-0042',
  business_account_id: '311200000000001',
  quality_rating: 'GREEN',
  photoapp_account_id: null,
  photoapp_username: null,
  page_id: null,
  webhook_url: 'https://receiver.example/hook',
  has_webhook_secret: true,
  webhook_events: ['message.received'],
  echo_statuses: true,
  failed_retention_days: 1,
  keep_answers: false,
  ordered: false,
  connected_at: iso(now - dayMs),
  created_at: iso(now - 2 * dayMs),
  subscription: subscriptionInfo,
};
const none = { phone_number_id: null, phone_number: null, business_account_id: null, quality_rating: null };
const plain = {
  webhook_url: null,
  has_webhook_secret: false,
  webhook_events: null,
  echo_statuses: false,
  failed_retention_days: 0,
  connected_at: iso(now),
};
const photoappOut = {
  ...chatappOut,
  ...none,
  ...plain,
  id: ids.photo,
  channel_type: 'photoapp',
  name: 'Shop',
  is_active: false,
  photoapp_account_id: '17840000000000006',
  photoapp_username: 'harbour.bakery',
  page_id: '520000000000005',
  created_at: iso(now - 2 * dayMs + 1),
};
const pagechatOut = {
  ...chatappOut,
  ...none,
  ...plain,
  id: ids.page,
  channel_type: 'pagechat',
  name: 'Page',
  page_id: '520000000000006',
  created_at: iso(now - 2 * dayMs + 2),
  subscription: endless,
};
const lateOut = {
  ...chatappOut,
  id: ids.late,
  name: 'Late',
  is_active: false,
  quality_rating: null,
  connected_at: iso(now),
  created_at: iso(now - 2 * dayMs + 3),
  subscription: ended,
};
const looseOut = {
  ...pagechatOut,
  id: ids.loose,
  is_active: false,
  created_at: iso(now - 2 * dayMs + 4),
  subscription: { status: 'none', source: null, tier: null, expires_at: null, auto_renew: false },
};
const subscriptionOut = {
  id: otherId,
  ...subscriptionInfo,
  starts_at: iso(now - 30 * dayMs),
  assigned_channels: {
    chatapp: { channel_id: someId, channel_type: 'chatapp', name: 'Example Shop', is_active: true },
    photoapp: { channel_id: ids.photo, channel_type: 'photoapp', name: 'Shop', is_active: false },
    pagechat: null,
  },
};
const endlessOut = {
  id: licenceId,
  ...endless,
  starts_at: iso(now - 30 * dayMs),
  assigned_channels: {
    chatapp: null,
    photoapp: null,
    pagechat: { channel_id: ids.page, channel_type: 'pagechat', name: 'Page', is_active: true },
  },
};
const endedOut = {
  id: ids.trial,
  ...ended,
  starts_at: iso(now - 30 * dayMs),
  assigned_channels: {
    chatapp: { channel_id: ids.late, channel_type: 'chatapp', name: 'Late', is_active: false },
    photoapp: null,
    pagechat: null,
  },
};
const noChannels = { chatapp: null, photoapp: null, pagechat: null };
const leanLicenceOut = {
  id: ids.leanLicence,
  status: 'active',
  source: 'trial',
  tier: 'pro',
  starts_at: iso(now),
  expires_at: iso(now + dayMs),
  auto_renew: false,
  assigned_channels: noChannels,
};
const endingOut = {
  ...leanLicenceOut,
  id: ids.endless,
  source: 'enterprise',
  expires_at: iso(now + 1),
};
/** The free slots: the exchange that is open holds one. */
const availableSlots = {
  chatapp: { total: 0, starter: 0, pro: 0 },
  photoapp: { total: 1, starter: 0, pro: 1 },
  pagechat: { total: 1, starter: 0, pro: 1 },
};
const accountOut = {
  account_id: ids.lean,
  email: 'mia@example.com',
  name: null,
  suspended_at: null,
  suspension_reason: null,
  note: null,
  created_at: iso(now),
};
const waitingMailOut = {
  id: 'mail-1',
  account_id: ids.lean,
  kind: 'webhook-alert',
  subject: 'Deliveries failed',
  lines: ['one'],
  send_after: iso(now),
  sent_at: null,
  given_up_at: null,
  given_up: null,
  created_at: iso(now),
};
const templateOut = {
  id: otherId,
  meta_template_id: '900000000000091',
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  status: 'REJECTED',
  components: templateTexts,
  parameter_format: 'positional',
  variables: {
    total_count: 2,
    parameter_format: 'positional',
    header: null,
    body: [{ position: 1, name: null, example: 'Mia' }],
    buttons: [{ index: 0, type: 'COPY_CODE', position: 1, name: null, example: 'SPRING' }],
    cards: null,
    offer_expires_at: false,
  },
  sendable: false,
  unsendable_reason: 'Its status is REJECTED, not APPROVED',
  rejected_reason: 'SCAM',
  quality_score: 'GREEN',
  synced_at: iso(now),
  created_at: iso(now - 2 * dayMs),
};
const pendingOut = {
  ...templateOut,
  status: 'PENDING',
  rejected_reason: null,
  unsendable_reason: 'Its status is PENDING, not APPROVED',
};
const createdOut = {
  ...pendingOut,
  id: anId,
  meta_template_id: '90071992547409931',
  name: 'order_sent',
  quality_score: null,
  created_at: iso(now),
};
const deliveryOut = {
  id: givenUpId,
  endpoint_id: null,
  event: 'message.delivered',
  message_id: otherId,
  state: 'failed',
  created_at: iso(now - dayMs),
  attempts: [{ at: iso(now), status_code: 500, duration_ms: 12, error: 'status' }],
  next_attempt_at: null,
  result: '500',
  can_retry: true,
  kept_until: iso(now + dayMs),
};
const timelineOut = {
  message_id: otherId,
  channel_id: someId,
  channel_type: 'chatapp',
  origin: 'service',
  recipient: '49',
  state: 'queued',
  status: null,
  created_at: iso(now - 10),
  statuses: [],
  copies: [{ at: iso(now - 2), ended_at: null, outcome: null }],
  upstream_ids: [],
  next_try_at: iso(now + 1),
  error: 'Too fast',
  error_code: 131056,
  deliveries: [deliveryOut],
};
const endpointOut = {
  id: ids.endpoint,
  channel_id: someId,
  url: 'https://crm.example/in',
  events: ['message.received'],
  has_secret: true,
  header_names: ['X-A'],
  disabled_at: iso(now),
  created_at: iso(now - 9),
};
const sendReplies: Record<string, SendReply> = {
  queued: { status: 'queued' },
  refused: { status: 'failed', error: 'recipient not reachable', errorCode: 131026 },
  unconfirmed: { status: 'failed', error: 'could not be confirmed', errorCode: null },
};
const success = { success: true };
const send = (text: string): [string, unknown] => [
  'POST /api/v1/messages/send',
  { channel_id: someId, recipient: '4915900000777', text },
];
const sent = { success: true, message_id: anId, error: null, status: 'sent' };

const requestOut = {
  at: iso(now),
  method: 'POST',
  route: '/api/v1/messages/send',
  status: 400,
  code: 'invalid_recipient',
  request_id: 'abc',
  duration_ms: 3,
  key_hint: 'mip_live_kkkk…kkkk',
};

type Exchange = [request: string, body: unknown, status: number, answer: unknown];

/** In this order: some change what later ones would show. */
const exchanges: Exchange[] = [
  [
    'GET /api/v1/subscriptions',
    undefined,
    200,
    {
      subscriptions: [subscriptionOut, endlessOut, endedOut],
      total: 3,
      active_total: 2,
      available_slots: availableSlots,
    },
  ],
  [
    'GET /api/v1/subscriptions?limit=1',
    undefined,
    200,
    {
      subscriptions: [subscriptionOut],
      total: 1,
      active_total: 2,
      available_slots: availableSlots,
      next_cursor: Buffer.from(`${now - 1}.${otherId}`).toString('base64url'),
    },
  ],
  [
    'GET /api/v1/channels',
    undefined,
    200,
    { channels: [chatappOut, photoappOut, pagechatOut, lateOut, looseOut], total: 5 },
  ],
  [`GET /api/v1/channels/${someId}`, undefined, 200, chatappOut],
  [
    `GET /api/v1/channels/${someId}/health`,
    undefined,
    200,
    {
      channel_id: someId,
      channel_type: 'chatapp',
      can_send: false,
      can_receive: true,
      problems: [
        {
          code: 'token_refused',
          affects: ['send'],
          detail: 'Upstream refuses the access token; connect the channel again',
          since: null,
          next_try_at: null,
        },
        {
          code: 'registration_pending',
          affects: ['send'],
          detail: 'The number is not verified',
          since: iso(now - 1),
          next_try_at: iso(now + 1),
        },
      ],
      token: 'refused',
      token_expires_at: iso(now + dayMs),
      upstream_subscription: null,
      quality_rating: 'GREEN',
      checked_at: iso(now),
      last_inbound_at: iso(now - 1),
      last_status_at: null,
      last_delivery_at: iso(now - 2),
      last_failed_delivery_at: null,
    },
  ],
  ...[false, true].map((cached): Exchange => [
    `GET /api/v1/channels/${ids.page}/profile/8800000000000001`,
    undefined,
    200,
    {
      channel_id: ids.page,
      channel_type: 'pagechat',
      user_id: '8800000000000001',
      profile: { first_name: 'Mia', last_name: null },
      cached,
    },
  ]),
  [
    `PATCH /api/v1/channels/${ids.page}`,
    { webhook_url: 'https://receiver.example/page', is_active: false, account_id: otherId },
    200,
    {
      id: ids.page,
      webhook_url: 'https://receiver.example/page',
      webhook_secret: expect.stringMatching(/^whsec_/),
      has_webhook_secret: true,
      webhook_events: null,
      echo_statuses: false,
      failed_retention_days: 0,
      keep_answers: false,
      ordered: false,
    },
  ],
  [`DELETE /api/v1/channels/${ids.loose}`, undefined, 200, success],
  [
    'POST /api/v1/channels/setup-url',
    { channel_type: 'photoapp', redirect_uri: 'https://shop.a.example/done' },
    200,
    {
      setup_url: expect.stringMatching(/^https:\/\/service\.example\/setup\/[\w-]{36}\?token=[\w-]{43}$/),
      session_id: anId,
      expires_at: iso(now + 30 * minuteMs),
    },
  ],
  [
    'POST /api/v1/channels/exchange-code',
    { code: exchangeCode },
    200,
    {
      channel_id: ids.exchanged,
      channel_type: 'chatapp',
      name: 'New Shop',
      phone_number_id: '422300000000008',
      phone_number: '+1 555-010-0042',
      photoapp_account_id: null,
      photoapp_username: null,
      page_id: null,
      webhook_url: null,
      webhook_secret: null,
      webhook_events: null,
    },
  ],
  [
    `GET /api/v1/channels/${someId}/deliveries?state=failed`,
    undefined,
    200,
    {
      deliveries: [deliveryOut],
      total: 1,
      replay: { total: 9, begun: 8, is_running: true, asked_at: iso(now) },
      next_cursor: null,
    },
  ],
  [
    'GET /api/v1/requests',
    undefined,
    200,
    {
      requests: [requestOut],
      left_out: [{ until: iso(now - 1), succeeded: 7, failed: 2 }],
      next_cursor: null,
    },
  ],
  [
    'GET /api/v1/requests?status=failed&route=/api/v1/messages/send',
    undefined,
    200,
    {
      requests: [requestOut],
      left_out: [],
      next_cursor: null,
    },
  ],
  [
    `GET /api/v1/messages?channel_id=${someId}&direction=inbound&since=2026-09-01T00:00:00Z`,
    undefined,
    200,
    {
      messages: [
        {
          message_id: ids.received,
          channel_id: someId,
          channel_type: 'chatapp',
          direction: 'inbound',
          person: '49',
          type: 'text',
          status: 'received',
          created_at: iso(now),
        },
      ],
      next_cursor: null,
    },
  ],
  [`GET /api/v1/channels/${someId}/messages/${otherId}`, undefined, 200, timelineOut],
  [`POST /api/v1/channels/${someId}/deliveries/${givenUpId}/retry`, undefined, 200, success],
  [
    `POST /api/v1/channels/${someId}/deliveries/replay`,
    { since: iso(now), events: ['message.delivered'] },
    202,
    { replaying: 1 },
  ],
  [
    `POST /api/v1/channels/${someId}/webhook/test`,
    undefined,
    200,
    { success: false, delivery_id: anId, status_code: 500, duration_ms: 12, error: 'status' },
  ],
  [
    `GET /api/v1/channels/${someId}/templates?limit=1`,
    undefined,
    200,
    {
      templates: [templateOut],
      total: 1,
      synced: true,
      synced_at: iso(now),
      next_cursor: Buffer.from(`${now - 2 * dayMs}.${otherId}`).toString('base64url'),
    },
  ],
  [
    `POST /api/v1/channels/${someId}/templates`,
    { name: 'order_sent', language: 'en_US', category: 'UTILITY', components: templateTexts },
    201,
    createdOut,
  ],
  [`GET /api/v1/channels/${someId}/templates/${otherId}`, undefined, 200, templateOut],
  [`PUT /api/v1/channels/${someId}/templates/${otherId}`, { components: templateTexts }, 200, pendingOut],
  [`DELETE /api/v1/channels/${someId}/templates/${otherId}`, undefined, 200, success],
  [`GET /api/v1/channels/${someId}/endpoints`, undefined, 200, { endpoints: [endpointOut], total: 1 }],
  [`GET /api/v1/channels/${someId}/endpoints/${ids.endpoint}`, undefined, 200, endpointOut],
  [
    `POST /api/v1/channels/${someId}/endpoints`,
    { url: 'https://log.example/in', events: [], secret: 'ours', headers: { 'X-Tenant': '7' } },
    201,
    {
      ...endpointOut,
      id: anId,
      url: 'https://log.example/in',
      events: [],
      header_names: ['X-Tenant'],
      disabled_at: null,
      created_at: iso(now),
      secret: 'ours',
    },
  ],
  [
    `PATCH /api/v1/channels/${someId}/endpoints/${ids.endpoint}`,
    { secret: null, headers: null, is_enabled: true },
    200,
    { ...endpointOut, has_secret: false, header_names: [], disabled_at: null, secret: null },
  ],
  [
    `POST /api/v1/channels/${someId}/endpoints/${ids.endpoint}/test`,
    undefined,
    200,
    { success: false, delivery_id: anId, status_code: 500, duration_ms: 12, error: 'status' },
  ],
  [`DELETE /api/v1/channels/${someId}/endpoints/${ids.endpoint}`, undefined, 200, success],
  [
    'GET /api/v1/default-webhook',
    undefined,
    200,
    { webhook_url: null, has_webhook_secret: false, webhook_events: null, failed_retention_days: null },
  ],
  [
    'PATCH /api/v1/default-webhook',
    { webhook_url: 'https://all.example/in', webhook_secret: 'ours', webhook_events: ['message.received'] },
    200,
    {
      webhook_url: 'https://all.example/in',
      has_webhook_secret: true,
      webhook_events: ['message.received'],
      failed_retention_days: null,
      webhook_secret: 'ours',
    },
  ],
  [
    'GET /api/v1/redirects',
    undefined,
    200,
    { redirects: [{ id: someId, uri_pattern: 'https://*.a.example/*', created_at: iso(now) }] },
  ],
  [
    'POST /api/v1/redirects',
    { uri_pattern: 'https://b.example.com/*' },
    201,
    { id: anId, uri_pattern: 'https://b.example.com/*' },
  ],
  [`DELETE /api/v1/redirects/${someId}`, undefined, 200, success],
  [...send('hello'), 200, sent],
  [...send('queued'), 200, { ...sent, status: 'queued' }],
  [
    ...send('refused'),
    200,
    {
      success: false,
      message_id: anId,
      error: 'recipient not reachable',
      error_code: 131026,
      status: 'failed',
    },
  ],
  [
    ...send('unconfirmed'),
    200,
    { success: false, message_id: anId, error: 'could not be confirmed', status: 'failed' },
  ],
  [
    'POST /api/v1/messages/send-media',
    {
      channel_id: someId,
      recipient: '4915900000777',
      media_type: 'image',
      media_url: 'https://files.example.com/a.jpg',
    },
    200,
    sent,
  ],
  [
    'POST /api/v1/media',
    fileForm(
      { channel_id: someId, media_type: 'document' },
      new File(['pdf'], 'a.pdf', { type: 'application/pdf' }),
    ),
    201,
    {
      media_id: anId,
      channel_id: someId,
      media_type: 'document',
      mime_type: 'application/pdf',
      file_size: 3,
      filename: 'a.pdf',
      expires_at: iso(now + 29 * dayMs),
    },
  ],
  [
    'POST /api/v1/messages/send-interactive',
    {
      channel_id: someId,
      recipient: '4915900000777',
      interactive_type: 'buttons',
      text: 'When?',
      buttons: [{ id: 'am', title: 'Morning' }],
    },
    200,
    sent,
  ],
  [
    'POST /api/v1/messages/send-location',
    { channel_id: someId, recipient: '4915900000777', latitude: 53.5, longitude: 9.9 },
    200,
    sent,
  ],
  [
    'POST /api/v1/messages/send-contacts',
    { channel_id: someId, recipient: '4915900000777', contacts: [{ name: 'Ada' }] },
    200,
    sent,
  ],
  [
    'POST /api/v1/messages/send-reaction',
    { channel_id: someId, recipient: '49', message_id: ids.received, emoji: '👍' },
    200,
    sent,
  ],
  [`POST /api/v1/messages/${ids.received}/read`, { channel_id: someId }, 200, { success: true }],
  [`POST /api/v1/messages/${ids.received}/typing`, { channel_id: someId }, 200, { success: true }],
  [
    'POST /api/v1/messages/send-template',
    { channel_id: someId, recipient: '4915900000777', template_name: 'hello', language: 'en_US' },
    200,
    sent,
  ],
  [
    'POST /admin/v1/accounts',
    { email: 'new@b.example' },
    201,
    { account_id: anId, api_key_id: anId, api_key: aKeyText, subscription_id: anId },
  ],
  [`PATCH /admin/v1/people/${ids.mia}`, { role: 'owner' }, 200, memberOut],
  [
    'POST /admin/v1/people/reset-link',
    { email: 'mia@example.com' },
    201,
    { link: aLink('reset'), expires_at: iso(now + hourMs) },
  ],
  [
    `POST /admin/v1/people/${ids.invited}/invitation-link`,
    undefined,
    201,
    { link: aLink('invitation'), expires_at: iso(now + 3 * dayMs) },
  ],
  [
    `POST /admin/v1/accounts/${caller.accountId}/keys`,
    undefined,
    201,
    { api_key_id: anId, api_key: aKeyText, name: null, scopes: null, expires_at: null },
  ],
  [`DELETE /admin/v1/people/${ids.mia}/second-step`, undefined, 200, memberOut],
  [`DELETE /admin/v1/keys/${ids.spareKey}`, undefined, 200, success],
  [
    `POST /admin/v1/accounts/${caller.accountId}/subscriptions`,
    { tier: 'starter', source: 'enterprise', expires_at: '2027-01-01T00:00:00+01:00' },
    201,
    {
      id: anId,
      status: 'active',
      source: 'enterprise',
      tier: 'starter',
      starts_at: iso(now),
      expires_at: '2026-12-31T23:00:00.000Z',
      auto_renew: false,
      // The channel of the licence that has ended moves to it.
      assigned_channels: {
        ...noChannels,
        chatapp: { channel_id: ids.late, channel_type: 'chatapp', name: 'Late', is_active: true },
      },
    },
  ],
  [
    `PATCH /admin/v1/subscriptions/${ids.trial}`,
    { status: 'canceled', expires_at: null },
    200,
    { ...endedOut, status: 'canceled', expires_at: null, assigned_channels: noChannels },
  ],
  [`DELETE /admin/v1/channels/${ids.photo}/claim`, undefined, 200, success],
  [`PATCH /admin/v1/channels/${ids.exchanged}`, { subscription_id: null }, 200, success],
  [
    `GET /admin/v1/channels/${someId}`,
    undefined,
    200,
    {
      channel_id: someId,
      node_id: 'n1',
      epoch: 7,
      sends_open: 1,
      sends_waiting: 2,
      deliveries_pending: 3,
      facts_held: 4,
      files_open: 5,
    },
  ],
  [
    `GET /admin/v1/messages/${otherId}`,
    undefined,
    200,
    {
      ...timelineOut,
      account_id: caller.accountId,
      state: 'sending',
      epoch: 3,
      copies: 1,
      calls: [
        {
          at: iso(now - 9),
          ended_at: iso(now - 8),
          outcome: 'deferred',
          error: 'Too fast',
          error_code: 131056,
          trace_id: 'A1',
        },
        {
          at: iso(now - 2),
          ended_at: null,
          outcome: null,
          error: null,
          error_code: null,
          trace_id: null,
        },
      ],
    },
  ],
  [
    'GET /admin/v1/accounts?email=Mia@example.com',
    undefined,
    200,
    { accounts: [accountOut], next_cursor: null },
  ],
  [
    `GET /admin/v1/accounts/${ids.lean}`,
    undefined,
    200,
    {
      ...accountOut,
      keys: [
        {
          api_key_id: ids.leanKey,
          name: null,
          hint: 'mip_live_ab',
          created_at: iso(now),
          last_used_at: null,
          last_used_from: null,
          scopes: null,
          expires_at: null,
        },
      ],
      subscriptions: [leanLicenceOut, endingOut],
      channels: [],
      people: [memberOut, invitedOut],
    },
  ],
  [
    'GET /admin/v1/upstream',
    undefined,
    200,
    {
      ok: false,
      channels_looked_at: 4,
      has_more: false,
      checks: [
        { about: 'app', ok: true, says: 'id and secret are accepted' },
        { about: 'version', ok: true, says: 'v25.0 is served' },
        { about: 'verification', ok: true, says: 'upstream has not asked for it since this is recorded' },
        {
          about: 'dialog',
          ok: true,
          says: 'pages by a list of permissions; sign-up by UPSTREAM_SIGNUP_CONFIG_ID, version v4; https://service.example/setup/callback must be listed as a redirect URI of the app',
        },
        { about: 'webhooks', ok: true, says: 'no channel was connected yet: nothing is needed' },
        {
          about: `chatapp ${someId}`,
          ok: false,
          says: 'its token is refused (expired): connect it again',
        },
        ...[`pagechat ${ids.page}`, `chatapp ${ids.late}`, `chatapp ${ids.exchanged}`].map((about) => ({
          about,
          ok: true,
          says: 'token, permissions and subscription are right',
        })),
      ],
    },
  ],
  [
    'GET /admin/v1/nodes',
    undefined,
    200,
    {
      nodes: [
        {
          node_id: 'n1',
          channels_owned: 3,
          started_at: iso(now),
          draining: false,
          linked: true,
          lease: 'held',
          version: '0.1.0',
          commit: 'abc123',
          busy: 0.123,
          memory_bytes: 100,
          sends_open: 5,
          sends_waiting: 2,
          sends_oldest_seconds: 3,
          deliveries_pending: 7,
          deliveries_oldest_seconds: 61,
          receivers_failing: 1,
          peers_without_link: 1,
        },
        {
          node_id: 'n2',
          channels_owned: 0,
          started_at: iso(now),
          draining: true,
          linked: false,
          lease: null,
          version: null,
          commit: null,
          busy: null,
          memory_bytes: null,
          sends_open: null,
          sends_waiting: null,
          sends_oldest_seconds: null,
          deliveries_pending: null,
          deliveries_oldest_seconds: null,
          receivers_failing: null,
          peers_without_link: null,
        },
      ],
    },
  ],
  [
    'GET /admin/v1/failing',
    undefined,
    200,
    {
      channels: [
        {
          channel_id: ids.late,
          account_id: caller.accountId,
          name: 'Late',
          channel_type: 'chatapp',
          endpoint: 'receiver.example',
          endpoint_id: null,
          failing_since: iso(now - dayMs),
          last_failure: '500',
          last_failed_at: iso(now),
          last_delivered_at: null,
        },
      ],
    },
  ],
  [
    'GET /admin/v1/channels?problem=sends_paused',
    undefined,
    200,
    {
      channels: [
        {
          channel_id: ids.late,
          account_id: caller.accountId,
          name: 'Late',
          channel_type: 'chatapp',
          problems: [
            {
              code: 'sends_paused',
              affects: ['send', 'receive'],
              detail:
                'The number was registered anew on its phone, so upstream has paused it; messages are queued and go out when upstream has it back, usually within minutes',
              since: iso(now),
              next_try_at: null,
            },
          ],
        },
      ],
      next_cursor: null,
    },
  ],
  ['POST /admin/v1/drain', undefined, 200, success],
  ['POST /admin/v1/drain?node_id=node-2', undefined, 200, success],
  [
    `GET /admin/v1/mails?account_id=${ids.lean}`,
    undefined,
    200,
    {
      mails: [
        { ...waitingMailOut, id: 'mail-3', given_up_at: iso(now), given_up: 'refused' },
        { ...waitingMailOut, id: 'mail-2', sent_at: iso(now) },
        waitingMailOut,
      ],
    },
  ],
  [
    `PATCH /admin/v1/accounts/${ids.lean}`,
    { suspended: true, reason: 'Unpaid since October' },
    200,
    { ...accountOut, suspended_at: iso(now), suspension_reason: 'Unpaid since October' },
  ],
  [
    `GET /admin/v1/audit?account_id=${ids.lean}&actor=key&since=2026-01-01T00:00:00Z`,
    undefined,
    200,
    {
      entries: [
        {
          id: otherId,
          at: iso(now),
          account_id: ids.lean,
          actor: 'key',
          actor_name: someId,
          action: 'channel.updated',
          subject: someId,
          before: { echo_statuses: false },
          after: { echo_statuses: true },
          address: '198.51.100.7',
          request_id: 'r-1',
          times: 1,
          last_at: '2026-09-01T12:00:00.000Z',
        },
      ],
      next_cursor: null,
    },
  ],
  [`DELETE /admin/v1/quarantine/${aside.drop}`, undefined, 200, { success: true }],
  [`POST /admin/v1/quarantine/${aside.retry}/retry`, undefined, 200, { success: true }],
  [
    'GET /admin/v1/quarantine',
    undefined,
    200,
    {
      items: [
        {
          id: someId,
          reason: 'unknown',
          channel_type: 'chatapp',
          channel_id: otherId,
          account_id: caller.accountId,
          identity: '422300000000002',
          kind: 'messages',
          shape: '{status: "teleported"}',
          times: 3,
          first_seen_at: iso(now),
          last_seen_at: iso(now + 1),
          can_be_retried: false,
        },
      ],
    },
  ],
];

let house: House;
let world: World;
let service: Running;
beforeAll(async () => {
  house = await openAnswers();
  house.webhooks.result = { ok: false, status: 500, reason: 'status' };
  house.webhooks.tookMs = 12;
  house.router.beforeAnswer = async (_channelId, ask) => {
    const text = ask.type === 'send' && ask.content.type === 'text' ? ask.content.text : '';
    house.router.sendReply = async () => sendReplies[text] ?? { status: 'sent' };
  };
  world = amongNodes(house);
  service = await house.run({ world });
});
// Whatever waits in the world moves its time.
beforeEach(() => house.clock.pass(now - house.clock.now()));
afterAll(async () => {
  await service.stop();
  await house.close();
});

function exchange(request: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const [method, path = ''] = request.split(' ');
  house.router.asked.length = 0;
  const ask = path.startsWith('/admin') ? service.admin : service.api;
  return ask(path, { method, body, headers });
}

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const patternOf = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

function routeOf(request: string) {
  const [method = '', target = ''] = request.split(' ');
  const path = target.split('?')[0] ?? '';
  const found = routeTable.find(
    (route) => route.method === method.toLowerCase() && patternOf(route.path).test(path),
  );
  if (found === undefined || found.audience === 'open') throw new Error(`no JSON route for ${request}`);
  return found;
}

describe("each answer has exactly the specification's fields, and its schema says so", () => {
  test.each(exchanges)('%s %j', async (request, body, status, expected) => {
    const answer = await exchange(request, body);
    expect([answer.status, answer.body]).toEqual([status, expected]);
    const { success: described } = routeOf(request);
    expect(described.status).toBe(status);
    if (!('schema' in described)) throw new Error(`${request} does not answer JSON`);
    // Exact in both directions: every field is in the contract, and every field of the contract is there.
    expect(ajv.validate({ ...described.schema, additionalProperties: false }, answer.body)).toBe(true);
  });

  test('every JSON route is in the exchanges above', () => {
    const covered = new Set(exchanges.map(([request]) => routeOf(request)));
    expect(
      routeTable.filter(
        (route) => route.audience !== 'open' && 'schema' in route.success && !covered.has(route),
      ),
    ).toEqual([]);
  });
});

test('API answers have headers against caching, sniffing and sharing, and a request id', async () => {
  const answer = await exchange('GET /api/v1/channels', undefined, { origin: 'https://a.example' });
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(answer.headers.get('x-powered-by')).toBeNull();
  expect(answer.headers.get('etag')).toBeNull();
});

test('HEAD has the headers of GET', async () => {
  const answer = await service.api('/api/v1/channels', { method: 'HEAD' });
  expect([answer.status, answer.text]).toEqual([200, '']);
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(100);
});

describe('what the routes hand on', () => {
  test('PATCH: an omitted field stays unchanged, null clears it, unknown fields are ignored', async () => {
    const before = await house.stores.channels.byId(someId);
    await exchange(`PATCH /api/v1/channels/${someId}`, {
      webhook_secret: null,
      echo_statuses: false,
      failed_retention_days: 7,
      keep_answers: true,
      ordered: true,
      account_id: 'x',
    });
    expect(await house.stores.channels.byId(someId)).toEqual({
      ...before,
      webhookSecret: null,
      echoStatuses: false,
      failedRetentionDays: 7,
      keepAnswers: true,
      ordered: true,
    });
  });

  test('a send passes on its Idempotency-Key', async () => {
    const [request, body] = send('hello');
    const first = await exchange(request, body, { 'idempotency-key': 'order 7' });
    const ask = {
      type: 'send',
      messageId: anId,
      recipient: '4915900000777',
      content: { type: 'text', text: 'hello' },
      requestId: first.headers.get('x-request-id'),
    };
    expect(house.router.asked).toEqual([{ channelId: someId, ask }]);
    const again = await exchange(request, body, { 'idempotency-key': 'order 7' });
    expect([again.body, house.router.asked]).toEqual([first.body, []]);
  });

  test('a subscription: times become ms, an absent field is not null', async () => {
    const before = await house.stores.subscriptions.byId(licenceId);
    await exchange(`PATCH /admin/v1/subscriptions/${licenceId}`, { expires_at: '2027-01-01T00:00:00+01:00' });
    const after = await house.stores.subscriptions.byId(licenceId);
    expect(after).toEqual({ ...before, expiresAt: Date.UTC(2026, 11, 31, 23) });
  });
});

test.each(['', 'ä', 'x'.repeat(256)])(
  'Idempotency-Key %p is 422, whichever account the channel belongs to [spec: Errors 2]',
  async (key) => {
    const answer = await exchange(
      'POST /api/v1/messages/send',
      { channel_id: 'x', recipient: '49', text: 'hello' },
      { 'idempotency-key': key },
    );
    expect([answer.status, house.router.asked]).toEqual([422, []]);
    const msg = 'Use one header of 1 to 255 printable ASCII characters';
    expect(answer.body).toEqual({
      detail: [{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }],
    });
  },
);

test('a send to a malformed channel id is 404 and reaches nobody', async () => {
  const answer = await exchange('POST /api/v1/messages/send', {
    channel_id: 'x',
    recipient: '49',
    text: 'hello',
  });
  expect([answer.status, answer.body, house.router.asked]).toEqual([
    404,
    { detail: 'Channel not found' },
    [],
  ]);
});

test('a licence that has ended since the count is still reported as active, like active_total counts it [spec: active_total]', async () => {
  const { stores, clock } = house;
  const ending = aSubscription(caller.accountId, { startsAt: now, expiresAt: now + 1, createdAt: now });
  await stores.subscriptions.insert(ending);
  const list: typeof stores.subscriptions.list = async (accountId) => {
    const all = await stores.subscriptions.list(accountId);
    clock.pass(2);
    return all.filter(({ id }) => id === ending.id);
  };
  const over = { ...stores, subscriptions: { ...stores.subscriptions, list } };
  const late = new StillClock();
  late.at = now + 2;
  const other = await house.run({ clock: late, world: { ...world, stores: over } });
  const { text } = await other.api('/api/v1/subscriptions');
  await other.stop();
  expect(JSON.parse(text)).toMatchObject({ active_total: 1, subscriptions: [{ status: 'active' }] });
});
