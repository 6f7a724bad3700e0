/** Bodies of the admin API. [operator-interface §3] */
import { maxAccountName } from '../../domain/accounts/account.ts';
import { maxEmail } from '../../domain/accounts/email.ts';
import { sources, tiers } from '../../domain/licences/subscription.ts';
import type { Source, SubscriptionStatus, Tier } from '../../domain/licences/subscription.ts';
import {
  count,
  flag,
  givenId,
  givenTimestamp,
  listOf,
  oneOfWords,
  openWords,
  orNull,
  ourId,
  requestObject,
  responseObject,
  string,
  text,
  timestamp,
  withExample,
} from '../validation/json-schema.ts';
import { requestBody } from '../validation/request-body.ts';
import { timelineFields } from '../api/schemas/message.ts';
import { channelOut } from '../api/schemas/channel.ts';
import { channelTypeWord, nextCursor, subscriptionStatuses } from '../api/schemas/common.ts';
import { subscriptionOut } from '../api/schemas/subscription.ts';

const email = { type: 'string', format: 'email', maxLength: maxEmail, 'x-rule': 'email' };

export const accountRequest = requestBody<{ email: string; name?: string | null; tier?: Tier | null }>(
  withExample(
    requestObject(
      'AccountRequest',
      { email },
      { name: orNull(text({ maxLength: maxAccountName })), tier: orNull(oneOfWords(tiers)) },
    ),
    { email: 'owner@example.com', name: 'Harbour Bakery', tier: 'pro' },
  ),
);

export const resetLinkRequest = requestBody<{ email: string }>(
  withExample(requestObject('ResetLinkRequest', { email }), { email: 'owner@example.com' }),
);

export const resetLink = responseObject('ResetLink', {
  link: { ...string, description: 'Sets a new password, once; whoever opens it is in' },
  expires_at: timestamp,
});

export const accountCreated = responseObject('AccountCreated', {
  account_id: ourId,
  api_key_id: ourId,
  api_key: string,
  subscription_id: ourId,
});

const accountFields = { account_id: ourId, email: string, name: orNull(string), created_at: timestamp };

export const accountList = responseObject(
  'AccountList',
  { accounts: listOf(responseObject('Account', accountFields)) },
  nextCursor,
);

const keyShown = responseObject('Key', {
  api_key_id: ourId,
  name: { ...orNull(string), description: 'What its person calls it' },
  hint: { ...string, description: 'Its first characters' },
  created_at: timestamp,
  last_used_at: { ...orNull(timestamp), description: 'Some minutes late; null: never' },
});

export const accountInsight = responseObject('AccountInsight', {
  ...accountFields,
  keys: listOf(keyShown),
  subscriptions: listOf(subscriptionOut),
  channels: listOf(channelOut),
});

export const keyCreated = responseObject('KeyCreated', { api_key_id: ourId, api_key: string });

export const subscriptionRequest = requestBody<{
  tier: Tier;
  source: Source;
  expires_at?: string | null;
  auto_renew?: boolean;
}>(
  withExample(
    requestObject(
      'SubscriptionRequest',
      { tier: oneOfWords(tiers), source: oneOfWords(sources) },
      { expires_at: orNull(givenTimestamp), auto_renew: flag },
    ),
    { tier: 'pro', source: 'enterprise', expires_at: null },
  ),
);

export const subscriptionPatch = requestBody<{
  status?: SubscriptionStatus;
  tier?: Tier;
  expires_at?: string | null;
  auto_renew?: boolean;
}>(
  requestObject(
    'SubscriptionPatch',
    {},
    {
      status: oneOfWords(subscriptionStatuses),
      tier: oneOfWords(tiers),
      expires_at: orNull(givenTimestamp),
      auto_renew: flag,
    },
  ),
);

export const bindRequest = requestBody<{ subscription_id: string | null }>(
  requestObject('BindRequest', { subscription_id: orNull(givenId) }),
);

export const nodeList = responseObject('NodeList', {
  nodes: listOf(
    responseObject('Node', { node_id: string, channels_owned: count, started_at: timestamp, draining: flag }),
  ),
});

export const channelInsight = responseObject('ChannelInsight', {
  channel_id: ourId,
  node_id: string,
  epoch: count,
  sends_open: count,
  sends_waiting: count,
  deliveries_pending: count,
  facts_held: count,
  files_open: {
    ...count,
    description: 'Inbound files under preparation, of the messages the owner remembers',
  },
});

const call = responseObject('UpstreamCall', {
  at: timestamp,
  ended_at: orNull(timestamp),
  outcome: orNull(openWords(['accepted', 'refused', 'deferred', 'unknown'])),
  error: { ...orNull(string), description: "Our sentence with upstream's words; no secret in it" },
  error_code: orNull(count),
  trace_id: { ...orNull(string), description: "Upstream's name for the call (`fbtrace_id`)" },
});

/** A timeline with every call of it. */
export const messageInsight = responseObject('MessageInsight', {
  ...timelineFields,
  account_id: ourId,
  state: openWords(['sending', 'queued', 'sent', 'failed', 'abandoned']),
  epoch: count,
  copies: { ...count, description: 'Calls whose outcome is unknown or positive' },
  calls: listOf(call),
});

export const failingList = responseObject('FailingList', {
  channels: listOf(
    responseObject('FailingChannel', {
      channel_id: ourId,
      account_id: ourId,
      name: orNull(string),
      channel_type: channelTypeWord,
      endpoint: { ...orNull(string), description: 'Its host' },
      failing_since: timestamp,
      last_failure: { ...orNull(string), description: 'A status, or why there was none' },
      last_failed_at: orNull(timestamp),
      last_delivered_at: orNull(timestamp),
    }),
  ),
});

const mail = responseObject('Mail', {
  id: string,
  account_id: ourId,
  kind: string,
  subject: string,
  lines: listOf(string),
  send_after: timestamp,
  sent_at: orNull(timestamp),
  created_at: timestamp,
});

export const mailList = responseObject('MailList', { mails: listOf(mail) }, nextCursor);

const quarantinedItem = responseObject('QuarantinedItem', {
  id: string,
  reason: openWords(['malformed', 'unknown', 'unreadable', 'ended_node']),
  channel_type: orNull(channelTypeWord),
  channel_id: orNull(ourId),
  account_id: orNull(ourId),
  identity: orNull(string),
  kind: { ...string, description: "The platform's word for what it is or where it stood" },
  shape: {
    ...string,
    description: 'Names of members and types of values; nothing that a person wrote',
    examples: ['{id: string, from: string, type: "image", image: list}'],
  },
  times: count,
  first_seen_at: timestamp,
  last_seen_at: timestamp,
  can_be_retried: flag,
});

/** What of upstream's webhooks nobody understood. [faults: 46] */
export const quarantineList = responseObject(
  'QuarantineList',
  { items: listOf(quarantinedItem) },
  nextCursor,
);
