/** The exact fields of every answer, and that the contract describes exactly these. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routeTable } from '../support/routes.ts';
import { chatappProfile, profiles } from '../support/profiles.ts';
import { dayMs } from '../../src/kernel/clock.ts';
import { unknownHealth } from '../../src/rules/channels/health.ts';
import { settingsAtFirst } from '../../src/rules/channels/settings.ts';
import { shownAtFirst } from '../support/settings.ts';
import type { Channel } from '../../src/rules/channels/channel.ts';
import type { Subscription } from '../../src/rules/licences/subscription.ts';
import type { Template } from '../../src/rules/templates/template.ts';
import type { SealedText } from '../../src/kernel/sealed.ts';
import { newMessage } from '../../src/rules/messages/message.ts';
import { byChannelType } from '../../src/rules/vocabulary.ts';
import type {
  Member,
  ShownDelivery,
  MessageTimeline,
  UseCases,
  WebhookPatch,
} from '../../src/features/index.ts';
import type { SendTextCommand } from '../../src/features/messages/sends.ts';
import { apiKey, caller, now, otherId, run, someId, useCasesWith } from './support.ts';
import type { Answer, Running } from './support.ts';

const iso = (at: number) => new Date(at).toISOString();
const sealed: unknown = 'sealed-secret';
const isSealed = (value: unknown): value is SealedText => value === sealed;
if (!isSealed(sealed)) throw new Error('unreachable');

const channel: Channel = {
  id: someId,
  accountId: caller.accountId,
  channelType: 'chatapp',
  identity: '422300000000002',
  name: 'Example Shop',
  isActive: true,
  profile: chatappProfile({ qualityRating: 'GREEN' }),
  subscribedAsset: '311200000000001',
  token: sealed,
  tokenExpiresAt: now + dayMs,
  sendsPausedAt: null,
  sendsResumedAt: null,
  ...settingsAtFirst,
  webhookUrl: 'https://receiver.example/hook',
  webhookSecret: sealed,
  previousSecret: null,
  previousSecretUntil: null,
  webhookEvents: ['message.received'],
  echoStatuses: true,
  subscriptionId: otherId,
  connectedAt: now - dayMs,
  createdAt: now - 2 * dayMs,
};
const pageChannel: Channel = {
  ...channel,
  channelType: 'pagechat',
  profile: profiles.pagechat,
  isActive: false,
  webhookSecret: null,
  webhookEvents: null,
};
const photoChannel: Channel = {
  ...channel,
  channelType: 'photoapp',
  profile: {
    type: 'photoapp',
    accountId: '17840000000000006',
    username: 'harbour.bakery',
    pageId: '520000000000005',
  },
};

const subscription: Subscription = {
  id: otherId,
  accountId: caller.accountId,
  status: 'active',
  source: 'billing_provider',
  tier: 'pro',
  startsAt: now - 30 * dayMs,
  expiresAt: now + dayMs,
  autoRenew: true,
  externalId: 'sub_1',
  billed: null,
  createdAt: now - 30 * dayMs,
};
const trial: Subscription = { ...subscription, source: 'trial', expiresAt: now - 1, externalId: null };

const member: Member = {
  id: otherId,
  email: 'mia@example.com',
  role: 'owner',
  createdAt: now - dayMs,
  lastSeenAt: null,
  hasJoined: true,
};
const memberOut = {
  person_id: otherId,
  email: 'mia@example.com',
  role: 'owner',
  joined: true,
  created_at: iso(now - dayMs),
  last_seen_at: null,
};

const subscriptionInfo = {
  status: 'active',
  source: 'billing_provider',
  tier: 'pro',
  expires_at: iso(now + dayMs),
  auto_renew: true,
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
  ...shownAtFirst,
  webhook_url: 'https://receiver.example/hook',
  has_webhook_secret: true,
  webhook_events: ['message.received'],
  echo_statuses: true,
  connected_at: iso(now - dayMs),
  created_at: iso(now - 2 * dayMs),
  subscription: subscriptionInfo,
};
const none = { phone_number_id: null, phone_number: null, business_account_id: null, quality_rating: null };
const pagechatOut = {
  ...chatappOut,
  ...none,
  channel_type: 'pagechat',
  is_active: false,
  page_id: '520000000000005',
  has_webhook_secret: false,
  webhook_events: null,
  subscription: { status: 'none', source: null, tier: null, expires_at: null, auto_renew: false },
};
const photoappOut = {
  ...chatappOut,
  ...none,
  channel_type: 'photoapp',
  photoapp_account_id: '17840000000000006',
  is_active: false,
  photoapp_username: 'harbour.bakery',
  page_id: '520000000000005',
  subscription: {
    ...subscriptionInfo,
    status: 'expired',
    source: 'trial',
    expires_at: iso(now - 1),
    auto_renew: false,
  },
};
const subscriptionOut = {
  id: otherId,
  status: 'active',
  source: 'billing_provider',
  tier: 'pro',
  starts_at: iso(now - 30 * dayMs),
  expires_at: iso(now + dayMs),
  auto_renew: true,
  assigned_channels: {
    chatapp: { channel_id: someId, channel_type: 'chatapp', name: 'Example Shop', is_active: true },
    photoapp: null,
    pagechat: { channel_id: someId, channel_type: 'pagechat', name: 'Example Shop', is_active: false },
  },
};
const template: Template = {
  id: otherId,
  accountId: caller.accountId,
  businessAccountId: '311200000000001',
  upstreamId: '900000000000091',
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  status: 'REJECTED',
  components: [
    { type: 'BODY', text: 'Dear {{1}}, it is ready.', example: { body_text: [['Mia']] } },
    { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: 'SPRING' }] },
  ],
  parameterFormat: 'positional',
  quality: 'GREEN',
  rejectedReason: 'SCAM',
  syncedAt: now - dayMs,
  createdAt: now - 2 * dayMs,
};
const account = { id: caller.accountId, email: 'a@b.example', name: null, suspendedAt: null, createdAt: now };
const waitingMailOut = {
  id: 'mail-1',
  account_id: caller.accountId,
  kind: 'webhook-alert',
  subject: 'Deliveries failed',
  lines: ['one'],
  send_after: iso(now),
  sent_at: null,
  given_up_at: null,
  given_up: null,
  created_at: iso(now),
};
const accountOut = {
  account_id: account.id,
  email: account.email,
  name: null,
  suspended_at: null,
  created_at: iso(now),
};
const templateOut = {
  id: otherId,
  meta_template_id: '900000000000091',
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  status: 'REJECTED',
  components: template.components,
  parameter_format: 'positional',
  variables: {
    total_count: 2,
    parameter_format: 'positional',
    header: null,
    body: [{ position: 1, name: null, example: 'Mia' }],
    buttons: [{ index: 0, type: 'COPY_CODE', position: 1, name: null, example: 'SPRING' }],
  },
  sendable: false,
  unsendable_reason: 'Its status is REJECTED, not APPROVED',
  rejected_reason: 'SCAM',
  quality_score: 'GREEN',
  synced_at: iso(now - dayMs),
  created_at: iso(now - 2 * dayMs),
};
const delivery: ShownDelivery = {
  id: otherId,
  accountId: caller.accountId,
  channelId: someId,
  event: 'message.received',
  messageId: someId,
  person: '49',
  messageType: 'text',
  requestId: null,
  state: 'failed',
  attempts: 8,
  attemptLog: `${now} 12 500 status`,
  firstTriedAt: now - dayMs,
  nextDueAt: now,
  createdAt: now - dayMs,
  lastResult: '500',
  keptSince: now,
  keptUntil: now + dayMs,
};
const deliveryOut = {
  id: otherId,
  event: 'message.received',
  message_id: someId,
  state: 'failed',
  created_at: iso(now - dayMs),
  attempts: [{ at: iso(now), status_code: 500, duration_ms: 12, error: 'status' }],
  next_attempt_at: null,
  result: '500',
  can_retry: true,
  kept_until: iso(now + dayMs),
};
const listedMessage = {
  messageId: otherId,
  channelId: someId,
  channelType: 'chatapp',
  direction: 'inbound',
  person: '49',
  type: 'text',
  status: 'received',
  createdAt: now,
} as const;
const deferredCall = {
  at: now - 9,
  endedAt: now - 8,
  outcome: 'deferred',
  error: 'Too fast',
  code: 131056,
  traceId: 'A1',
} as const;
const timeline: MessageTimeline = {
  message: {
    ...newMessage(channel, {
      id: otherId,
      recipient: '49',
      state: 'sending',
      attemptedAt: now - 2,
      epoch: 3,
      createdAt: now - 10,
      copies: 1,
      tries: 2,
    }),
    nextTryAt: now + 1,
    error: 'Too fast',
    errorCode: 131056,
    calls: { 1: deferredCall },
  },
  deliveries: [delivery],
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
const slots = { total: 3, starter: 1, pro: 2 };
const availableSlots = byChannelType(() => slots);
const redirect = {
  id: someId,
  accountId: '',
  apiKeyId: '',
  uriPattern: 'https://*.a.example/*',
  createdAt: now,
};

const calls: unknown[] = [];
const called = <T>(args: unknown[], answer: T): Promise<T> => {
  calls.push(args);
  return Promise.resolve(answer);
};

const useCases = useCasesWith({
  listSubscriptions: (...args) =>
    called(args, {
      items: [{ subscription, channels: [channel, pageChannel] }],
      nextCursor: { createdAt: 1_767_225_600_000, id: otherId },
      activeTotal: 1,
      availableSlots,
      asOf: now,
    }),
  listChannels: (...args) =>
    called(args, {
      items: [
        { channel, subscription },
        { channel: pageChannel, subscription: null },
        { channel: photoChannel, subscription: trial },
      ],
      nextCursor: null,
    }),
  readChannel: (...args) => called(args, { channel, subscription }),
  channelHealth: (...args) =>
    called(args, {
      channel,
      health: {
        channelId: someId,
        token: 'refused',
        isSubscribed: null,
        qualityRating: 'GREEN',
        checkedAt: now,
        inboundAt: now - 1,
        statusAt: null,
        deliveredAt: now - 2,
        deliveryFailedAt: null,
        failingSince: null,
        warnedAt: null,
        lastFailure: null,
        problems: null,
        troubledSince: null,
        problemsVersion: null,
        registrations: null,
      },
      problems: [
        { code: 'token_refused', affects: ['send'], detail: 'Connect again', since: now, nextTryAt: now + 1 },
      ],
    }),
  senderProfile: (...args) =>
    called(args, {
      ...args[1],
      channelType: 'pagechat',
      profile: { first_name: 'Mia', last_name: null },
      cached: true,
    }),
  updateChannel: (...args) => called(args, { channel, webhookSecret: 'whsec_shown-once' }),
  deactivateChannel: (...args) => called(args, undefined),
  startSetup: (...args) =>
    called(args, { setupUrl: 'https://service.example/setup/x', sessionId: someId, expiresAt: now }),
  exchangeCode: (...args) => called(args, { channel, webhookSecret: null }),
  listDeliveries: (...args) => called(args, { items: [delivery], nextCursor: null }),
  listRequests: (...args) =>
    called(args, {
      requests: [
        {
          createdAt: now,
          method: 'POST',
          route: '/api/v1/messages/send',
          status: 400,
          code: 'invalid_recipient',
          requestId: 'abc',
          durationMs: 3,
          keyHint: 'mip_live_abcd…wxyz',
        },
      ],
      leftOut: [{ createdAt: now, succeeded: 7, failed: 0 }],
      nextCursor: null,
    }),
  listMessages: (...args) => called(args, { items: [listedMessage], nextCursor: null }),
  messageTimeline: (...args) => called(args, timeline),
  inspectMessage: (...args) => called(args, timeline),
  retryDelivery: (...args) => called(args, undefined),
  replayDeliveries: (...args) => called(args, { replaying: 7 }),
  replayProgress: async () => ({ total: 9, begun: 2, isRunning: true, askedAt: now }),
  testWebhook: (...args) =>
    called(args, { deliveryId: otherId, status: 500, failure: 'status', durationMs: 12 }),
  listTemplates: (...args) =>
    called(args, { page: { items: [template], nextCursor: null }, synced: true, syncedAt: now }),
  createTemplate: (...args) => called(args, template),
  readTemplate: (...args) => called(args, template),
  updateTemplate: (...args) => called(args, template),
  deleteTemplate: (...args) => called(args, undefined),
  listRedirects: (...args) => called(args, { items: [redirect], nextCursor: null }),
  addRedirect: (...args) => called(args, redirect),
  removeRedirect: (...args) => called(args, undefined),
  sendText: (_caller, command) =>
    called([command], sendAnswers[command.text] ?? { status: 'sent', messageId: someId }),
  sendMedia: (_caller, command) => called([command], { status: 'sent', messageId: someId }),
  sendTemplate: (_caller, command) => called([command], { status: 'queued', messageId: someId }),
  createAccount: (...args) =>
    called(args, {
      account,
      apiKeyId: someId,
      apiKey,
      subscriptionId: otherId,
    }),
  createKey: (...args) => called(args, { apiKeyId: someId, apiKey }),
  listAccounts: (...args) => called(args, { items: [account], nextCursor: null }),
  inspectAccount: (...args) =>
    called(args, {
      account,
      keys: [
        {
          id: otherId,
          accountId: account.id,
          hash: 'secret',
          hint: 'mip_live_ab',
          lastFour: 'wxyz',
          lastUsedAt: null,
          createdAt: now,
          revokedAt: null,
          name: null,
          madeBy: null,
        },
      ],
      subscriptions: [{ subscription, channels: [channel, pageChannel] }],
      channels: [{ channel, subscription }],
      people: [member],
    }),
  setRole: (...args) => called(args, member),
  revokeKey: (...args) => called(args, undefined),
  createSubscription: (...args) => called(args, { subscription, channels: [channel, pageChannel] }),
  updateSubscription: (...args) => called(args, { subscription, channels: [channel, pageChannel] }),
  releaseClaim: (...args) => called(args, undefined),
  bindChannel: (...args) => called(args, undefined),
  checkUpstream: () =>
    Promise.resolve({
      isOk: false,
      channelsLookedAt: 1,
      hasMore: false,
      lines: [{ about: 'app', isOk: false, says: 'The secret is refused; set UPSTREAM_APP_SECRET' }],
    }),
  listNodes: () =>
    called(
      [],
      [
        {
          nodeId: 'n1',
          channelsOwned: 3,
          startedAt: now,
          draining: false,
          isLinked: true,
          status: {
            version: '0.1.0',
            commit: 'abc123',
            lease: 'held',
            busy: 0.12345,
            memoryBytes: 100,
            sendsOpen: 5,
            sendsWaiting: 2,
            oldestSendMs: 3_900,
            deliveriesPending: 7,
            oldestDeliveryMs: 61_000,
            receiversFailing: 1,
            peersWithoutLink: 1,
          },
        },
        { nodeId: 'n2', channelsOwned: 0, startedAt: now, draining: true, isLinked: false, status: null },
      ],
    ),
  listFailing: () =>
    called(
      [],
      [
        {
          channel,
          health: {
            ...unknownHealth(someId),
            failingSince: now - dayMs,
            deliveryFailedAt: now,
            lastFailure: '500',
          },
        },
      ],
    ),
  listTroubled: (problem, page) =>
    called([problem, page], {
      items: [
        {
          channel,
          problems: [
            {
              code: 'sends_paused',
              affects: ['send'],
              detail: 'Upstream has paused it',
              since: now,
              nextTryAt: null,
            },
          ],
        },
      ],
      nextCursor: null,
    }),
  inspectChannel: (channelId) => {
    const depths = { sendsOpen: 1, sendsWaiting: 2, deliveriesPending: 3, factsHeld: 4, filesOpen: 5 };
    return called([channelId], { channelId, nodeId: 'n1', epoch: 7, ...depths });
  },
  drain: (nodeId) => called([nodeId], undefined),
  dropQuarantined: (...args) => called(args, undefined),
  retryQuarantined: (...args) => called(args, undefined),
  listQuarantine: (...args) =>
    called(args, {
      items: [
        {
          id: someId,
          reason: 'unknown',
          channelType: 'chatapp',
          channelId: otherId,
          accountId: caller.accountId,
          identity: '422300000000002',
          kind: 'messages',
          shape: '{status: "teleported"}',
          times: 3,
          createdAt: now,
          lastSeenAt: now + 1,
          sealed: null,
        },
      ],
      nextCursor: null,
    }),
  makeInvitationLink: async () => ({
    link: 'https://trunkline.example/portal/invitation?token=x',
    expiresAt: now,
  }),
  makeResetLink: async () => ({ link: 'https://trunkline.example/portal/reset?token=x', expiresAt: now }),
  suspendAccount: (...args) => called(args, { ...account, suspendedAt: now }),
  listAudit: (...args) =>
    called(args, {
      items: [
        {
          id: otherId,
          accountId: account.id,
          actor: 'key',
          actorName: someId,
          action: 'channel.updated',
          subject: someId,
          before: { echo_statuses: false },
          after: { echo_statuses: true },
          address: '198.51.100.7',
          requestId: 'r-1',
          createdAt: now,
          times: 1,
          lastAt: now,
        },
      ],
      nextCursor: null,
    }),
  listMails: (...args) => called(args, { items: [waitingMail, sentMail, givenUpMail], nextCursor: null }),
});

const waitingMail = {
  id: 'mail-1',
  accountId: caller.accountId,
  kind: 'webhook-alert',
  subject: 'Deliveries failed',
  lines: ['one'],
  link: null,
  recipient: null,
  sendAfter: now,
  sentAt: null,
  givenUp: null,
  createdAt: now,
};
const sentMail = { ...waitingMail, id: 'mail-2', sentAt: now };
const givenUpMail = { ...sentMail, id: 'mail-3', givenUp: 'refused' };

const sendAnswers: Record<string, Awaited<ReturnType<UseCases['sendText']>>> = {
  queued: { status: 'queued', messageId: someId },
  refused: { status: 'failed', messageId: someId, error: 'recipient not reachable', errorCode: 131026 },
  unconfirmed: { status: 'failed', messageId: someId, error: 'could not be confirmed', errorCode: null },
};
const success = { success: true };
const send = (text: string): [string, unknown] => [
  'POST /api/v1/messages/send',
  { channel_id: someId, recipient: '49', text },
];

/** Request, body, status, exact answer. */
const exchanges: [string, unknown, number, unknown][] = [
  [
    'GET /api/v1/subscriptions',
    undefined,
    200,
    { subscriptions: [subscriptionOut], total: 1, active_total: 1, available_slots: availableSlots },
  ],
  [
    'GET /api/v1/subscriptions?limit=1',
    undefined,
    200,
    {
      subscriptions: [subscriptionOut],
      total: 1,
      active_total: 1,
      available_slots: availableSlots,
      next_cursor: Buffer.from(`1767225600000.${otherId}`).toString('base64url'),
    },
  ],
  ['GET /api/v1/channels', undefined, 200, { channels: [chatappOut, pagechatOut, photoappOut], total: 3 }],
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
          detail: 'Connect again',
          since: iso(now),
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
  [
    `GET /api/v1/channels/${someId}/profile/8800000000000001`,
    undefined,
    200,
    {
      channel_id: someId,
      channel_type: 'pagechat',
      user_id: '8800000000000001',
      profile: { first_name: 'Mia', last_name: null },
      cached: true,
    },
  ],
  [
    `PATCH /api/v1/channels/${someId}`,
    { webhook_url: 'https://receiver.example/hook', is_active: false, account_id: otherId },
    200,
    {
      id: someId,
      webhook_url: 'https://receiver.example/hook',
      webhook_secret: 'whsec_shown-once',
      webhook_events: ['message.received'],
    },
  ],
  [`DELETE /api/v1/channels/${someId}`, undefined, 200, success],
  [
    'POST /api/v1/channels/setup-url',
    { channel_type: 'photoapp', redirect_uri: 'https://a.example/done' },
    200,
    { setup_url: 'https://service.example/setup/x', session_id: someId, expires_at: iso(now) },
  ],
  [
    'POST /api/v1/channels/exchange-code',
    { code: 'one-time' },
    200,
    {
      channel_id: someId,
      channel_type: 'chatapp',
      name: 'Example Shop',
      phone_number_id: '422300000000002',
      phone_number: '+1 555-010-0042',
      photoapp_account_id: null,
      photoapp_username: null,
      page_id: null,
      webhook_url: 'https://receiver.example/hook',
      webhook_secret: null,
      webhook_events: ['message.received'],
    },
  ],
  [
    `GET /api/v1/channels/${someId}/deliveries?state=failed`,
    undefined,
    200,
    {
      deliveries: [deliveryOut],
      total: 1,
      replay: { total: 9, begun: 2, is_running: true, asked_at: iso(now) },
      next_cursor: null,
    },
  ],
  [
    'GET /api/v1/requests?status=failed&route=/api/v1/messages/send',
    undefined,
    200,
    {
      requests: [
        {
          at: iso(now),
          method: 'POST',
          route: '/api/v1/messages/send',
          status: 400,
          code: 'invalid_recipient',
          request_id: 'abc',
          duration_ms: 3,
          key_hint: 'mip_live_abcd…wxyz',
        },
      ],
      left_out: [{ until: iso(now), succeeded: 7, failed: 0 }],
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
          message_id: otherId,
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
  [`POST /api/v1/channels/${someId}/deliveries/${otherId}/retry`, undefined, 200, success],
  [
    `POST /api/v1/channels/${someId}/deliveries/replay`,
    { since: iso(now), events: ['message.read'] },
    202,
    { replaying: 7 },
  ],
  [
    `POST /api/v1/channels/${someId}/webhook/test`,
    undefined,
    200,
    { success: false, delivery_id: otherId, status_code: 500, duration_ms: 12, error: 'status' },
  ],
  [
    `GET /api/v1/channels/${someId}/templates?limit=1`,
    undefined,
    200,
    { templates: [templateOut], total: 1, synced: true, synced_at: iso(now), next_cursor: null },
  ],
  [
    `POST /api/v1/channels/${someId}/templates`,
    { name: 'order_ready', language: 'en_US', category: 'UTILITY', components: template.components },
    201,
    templateOut,
  ],
  [`GET /api/v1/channels/${someId}/templates/${otherId}`, undefined, 200, templateOut],
  [
    `PUT /api/v1/channels/${someId}/templates/${otherId}`,
    { components: template.components },
    200,
    templateOut,
  ],
  [`DELETE /api/v1/channels/${someId}/templates/${otherId}`, undefined, 200, success],
  [
    'GET /api/v1/redirects',
    undefined,
    200,
    { redirects: [{ id: someId, uri_pattern: 'https://*.a.example/*', created_at: iso(now) }] },
  ],
  [
    'POST /api/v1/redirects',
    { uri_pattern: 'https://*.a.example/*' },
    201,
    { id: someId, uri_pattern: 'https://*.a.example/*' },
  ],
  [`DELETE /api/v1/redirects/${someId}`, undefined, 200, success],
  [...send('hello'), 200, { success: true, message_id: someId, error: null, status: 'sent' }],
  [...send('queued'), 200, { success: true, message_id: someId, error: null, status: 'queued' }],
  [
    ...send('refused'),
    200,
    {
      success: false,
      message_id: someId,
      error: 'recipient not reachable',
      error_code: 131026,
      status: 'failed',
    },
  ],
  [
    ...send('unconfirmed'),
    200,
    { success: false, message_id: someId, error: 'could not be confirmed', status: 'failed' },
  ],
  [
    'POST /api/v1/messages/send-media',
    {
      channel_id: someId,
      recipient: '49',
      media_type: 'image',
      media_url: 'https://files.example.com/a.jpg',
    },
    200,
    { success: true, message_id: someId, error: null, status: 'sent' },
  ],
  [
    'POST /api/v1/messages/send-template',
    { channel_id: someId, recipient: '49', template_name: 'hello', language: 'en_US' },
    200,
    { success: true, message_id: someId, error: null, status: 'queued' },
  ],
  [
    'POST /admin/v1/accounts',
    { email: 'a@b.example' },
    201,
    { account_id: caller.accountId, api_key_id: someId, api_key: apiKey, subscription_id: otherId },
  ],
  [`PATCH /admin/v1/people/${someId}`, { role: 'owner' }, 200, memberOut],
  [
    'POST /admin/v1/people/reset-link',
    { email: 'a@b.example' },
    201,
    { link: 'https://trunkline.example/portal/reset?token=x', expires_at: iso(now) },
  ],
  [
    `POST /admin/v1/people/${someId}/invitation-link`,
    undefined,
    201,
    { link: 'https://trunkline.example/portal/invitation?token=x', expires_at: iso(now) },
  ],
  [`POST /admin/v1/accounts/${someId}/keys`, undefined, 201, { api_key_id: someId, api_key: apiKey }],
  [`DELETE /admin/v1/keys/${someId}`, undefined, 200, success],
  [
    `POST /admin/v1/accounts/${someId}/subscriptions`,
    { tier: 'pro', source: 'enterprise', expires_at: '2027-01-01T00:00:00+01:00' },
    201,
    subscriptionOut,
  ],
  [`PATCH /admin/v1/subscriptions/${someId}`, { status: 'canceled', expires_at: null }, 200, subscriptionOut],
  [`DELETE /admin/v1/channels/${someId}/claim`, undefined, 200, success],
  [`PATCH /admin/v1/channels/${someId}`, { subscription_id: null }, 200, success],
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
  ['GET /admin/v1/accounts?email=a', undefined, 200, { accounts: [accountOut], next_cursor: null }],
  [
    `GET /admin/v1/accounts/${caller.accountId}`,
    undefined,
    200,
    {
      ...accountOut,
      keys: [
        { api_key_id: otherId, name: null, hint: 'mip_live_ab', created_at: iso(now), last_used_at: null },
      ],
      subscriptions: [subscriptionOut],
      channels: [chatappOut],
      people: [memberOut],
    },
  ],
  [
    'GET /admin/v1/upstream',
    undefined,
    200,
    {
      ok: false,
      channels_looked_at: 1,
      has_more: false,
      checks: [{ about: 'app', ok: false, says: 'The secret is refused; set UPSTREAM_APP_SECRET' }],
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
          channel_id: channel.id,
          account_id: channel.accountId,
          name: channel.name,
          channel_type: channel.channelType,
          endpoint: new URL(channel.webhookUrl ?? '').host,
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
          channel_id: channel.id,
          account_id: channel.accountId,
          name: channel.name,
          channel_type: channel.channelType,
          problems: [
            {
              code: 'sends_paused',
              affects: ['send'],
              detail: 'Upstream has paused it',
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
    `GET /admin/v1/mails?account_id=${caller.accountId}`,
    undefined,
    200,
    {
      mails: [
        waitingMailOut,
        { ...waitingMailOut, id: 'mail-2', sent_at: iso(now) },
        { ...waitingMailOut, id: 'mail-3', given_up_at: iso(now), given_up: 'refused' },
      ],
    },
  ],
  [
    `PATCH /admin/v1/accounts/${account.id}`,
    { suspended: true },
    200,
    { ...accountOut, suspended_at: iso(now) },
  ],
  [
    `GET /admin/v1/audit?account_id=${account.id}&actor=key&since=2026-01-01T00:00:00Z`,
    undefined,
    200,
    {
      entries: [
        {
          id: otherId,
          at: iso(now),
          account_id: account.id,
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
  [`DELETE /admin/v1/quarantine/${someId}`, undefined, 200, { success: true }],
  [`POST /admin/v1/quarantine/${someId}/retry`, undefined, 200, { success: true }],
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

let service: Running;
beforeAll(async () => {
  service = await run({ useCases });
});
afterAll(() => service.stop());

function exchange(request: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const [method, path = ''] = request.split(' ');
  calls.length = 0;
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

describe('the calls of the use-cases', () => {
  test('PATCH: an omitted field stays unchanged, null clears it, unknown fields are ignored', async () => {
    await exchange(`PATCH /api/v1/channels/${someId}`, {
      webhook_secret: null,
      echo_statuses: false,
      failed_retention_days: 7,
      account_id: 'x',
    });
    const patch: WebhookPatch = {
      webhookUrl: undefined,
      webhookSecret: null,
      webhookEvents: undefined,
      echoStatuses: false,
      failedRetentionDays: 7,
    };
    expect(calls).toEqual([[{ ...caller, requestId: expect.any(String) }, someId, patch]]);
  });

  test('exchange-code: only the settings that it takes are passed on', async () => {
    const webhook_url = 'https://receiver.example/new';
    await exchange('POST /api/v1/channels/exchange-code', { code: 'c', webhook_url, echo_statuses: 'on' });
    const request = { code: 'c', webhookUrl: webhook_url };
    expect(calls).toEqual([[{ ...caller, requestId: expect.any(String) }, request]]);
  });

  test('a send passes on its Idempotency-Key', async () => {
    const [request, body] = send('hello');
    await exchange(request, body, { 'idempotency-key': 'order 7' });
    const command: SendTextCommand = {
      channelId: someId,
      recipient: '49',
      text: 'hello',
      idempotencyKey: 'order 7',
    };
    expect(calls).toEqual([[{ ...command, requestId: expect.any(String) }]]);
  });

  test('a subscription: times become ms, an absent field is not null', async () => {
    await exchange(`PATCH /admin/v1/subscriptions/${someId}`, { expires_at: '2027-01-01T00:00:00+01:00' });
    const patch = {
      status: undefined,
      tier: undefined,
      autoRenew: undefined,
      expiresAt: Date.UTC(2026, 11, 31, 23),
    };
    expect(calls).toEqual([[someId, patch]]);
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
    expect([answer.status, calls]).toEqual([422, []]);
    const msg = 'Use one header of 1 to 255 printable ASCII characters';
    expect(answer.body).toEqual({
      detail: [{ loc: ['header', 'Idempotency-Key'], msg, type: 'value_error' }],
    });
  },
);

test('a send to a malformed channel id is 404 without a use-case call', async () => {
  const answer = await exchange('POST /api/v1/messages/send', {
    channel_id: 'x',
    recipient: '49',
    text: 'hello',
  });
  expect([answer.status, answer.body, calls]).toEqual([404, { detail: 'Channel not found' }, []]);
});

test('a licence that has ended since the count is still reported as active, like active_total counts it [spec: active_total]', async () => {
  const ended = { items: [{ subscription: trial, channels: [channel] }], nextCursor: null };
  const listSubscriptions = () =>
    Promise.resolve({ ...ended, activeTotal: 1, availableSlots, asOf: now - dayMs });
  const other = await run({ useCases: useCasesWith({ listSubscriptions }) });
  const { text } = await other.api('/api/v1/subscriptions');
  await other.stop();
  expect(JSON.parse(text)).toMatchObject({
    active_total: 1,
    subscriptions: [{ status: 'active', assigned_channels: { chatapp: { is_active: true } } }],
  });
});
