/** Bodies of the admin API. [operator-interface §3] */
import { maxAccountName } from '../../domain/accounts/account.ts';
import type { Account, ApiKey } from '../../domain/accounts/account.ts';
import { addressIn, maxEmail } from '../../domain/accounts/email.ts';
import { sources, tiers } from '../../domain/licences/subscription.ts';
import type { Source, SubscriptionStatus, Tier } from '../../domain/licences/subscription.ts';
import {
  count,
  flag,
  givenId,
  givenTimestamp,
  listOf,
  oneOfWords,
  openObject,
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
import type { JsonSchema } from '../validation/json-schema.ts';
import { requestBody } from '../validation/request-body.ts';
import { timelineCells } from '../api/schemas/message.ts';
import { channelOut } from '../api/schemas/channel.ts';
import { channelTypeWord, nextCursor, subscriptionStatuses } from '../api/schemas/common.ts';
import { subscriptionOut } from '../api/schemas/subscription.ts';
import type { Moment } from '../api/schemas/subscription.ts';
import { callsOf } from '../../domain/messages/timeline.ts';
import type { TimelineCall } from '../../domain/messages/timeline.ts';
import { toIso } from '../../kernel/clock.ts';
import type {
  AccountInsight,
  FailingChannel,
  MessageTimeline,
  NodeInsight,
  UseCases,
} from '../../use-cases/index.ts';
import { actorKinds } from '../../use-cases/ports/audit.ts';
import type { AuditEntry } from '../../use-cases/ports/audit.ts';
import type { QuarantinedItem, StoredMail } from '../../use-cases/ports/operating.ts';
import { Listed } from '../listed.ts';
import { answer, cellsOf } from '../validation/answer.ts';
import type { Cells } from '../validation/answer.ts';

type InspectedChannel = Awaited<ReturnType<UseCases['inspectChannel']>>;

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

export const accountPatch = requestBody<{ suspended: boolean }>(
  requestObject('AccountPatch', { suspended: flag }),
);

export const resetLinkRequest = requestBody<{ email: string }>(
  withExample(requestObject('ResetLinkRequest', { email }), { email: 'owner@example.com' }),
);

export const resetLink = responseObject('ResetLink', {
  link: { ...string, description: 'Sets a new password, once; whoever opens it is in' },
  expires_at: timestamp,
});

export const invitationLink = responseObject('InvitationLink', {
  link: {
    ...string,
    description: 'Joins the account by a password that is chosen there; whoever opens it is in',
  },
  expires_at: timestamp,
});

export const accountCreated = responseObject('AccountCreated', {
  account_id: ourId,
  api_key_id: ourId,
  api_key: string,
  subscription_id: ourId,
});

const accountCells: Cells<Account> = {
  account_id: [ourId, ({ id }) => id],
  email: [string, ({ email: address }) => addressIn(address)],
  name: [orNull(string), ({ name }) => name],
  suspended_at: [
    { ...orNull(timestamp), description: 'Since then its sends answer 402; null: it may send' },
    ({ suspendedAt }) => toIso(suspendedAt),
  ],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
};

export const accountOut = answer<Account>('Account', accountCells);

export const accountList = responseObject('AccountList', { accounts: listOf(accountOut.schema) }, nextCursor);

const keyShown = answer<ApiKey>('Key', {
  api_key_id: [ourId, ({ id }) => id],
  name: [{ ...orNull(string), description: 'What its person calls it' }, ({ name }) => name],
  hint: [{ ...string, description: 'Its first characters' }, ({ hint }) => hint],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  last_used_at: [
    { ...orNull(timestamp), description: 'Some minutes late; null: never' },
    ({ lastUsedAt }) => toIso(lastUsedAt),
  ],
});

export const accountInsight = answer<AccountInsight & { moment: Moment }>('AccountInsight', {
  ...cellsOf(accountCells, ({ account }: AccountInsight) => account),
  keys: [listOf(keyShown.schema), ({ keys }) => keys.map(keyShown.of)],
  subscriptions: [
    listOf(subscriptionOut.schema),
    ({ subscriptions, moment }) =>
      new Listed(subscriptions, (each) => subscriptionOut.of({ ...each, moment })),
  ],
  channels: [
    listOf(channelOut.schema),
    ({ channels, moment }) => channels.map((each) => channelOut.of({ ...each, moment })),
  ],
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

const shownValues: JsonSchema = {
  ...openObject,
  description: 'The values that differ, without secrets; null: it was not there, or has nothing to show',
};

export const auditEntry = answer<AuditEntry>('AuditEntry', {
  id: [ourId, ({ id }) => id],
  at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  account_id: [
    { ...orNull(ourId), description: 'null: it belongs to the whole service' },
    ({ accountId }) => accountId,
  ],
  actor: [openWords(actorKinds), ({ actor }) => actor],
  actor_name: [
    { ...orNull(string), description: "A person's address, a key's id" },
    ({ actorName }) => actorName,
  ],
  action: [string, ({ action }) => action],
  subject: [{ ...orNull(string), description: 'Id of what was changed' }, ({ subject }) => subject],
  before: [orNull(shownValues), ({ before }) => before],
  after: [orNull(shownValues), ({ after }) => after],
  address: [{ ...orNull(string), description: 'Of the client' }, ({ address }) => address],
  request_id: [orNull(string), ({ requestId }) => requestId],
});

export const auditList = responseObject('AuditList', { entries: listOf(auditEntry.schema) }, nextCursor);

export const nodeOut = answer<NodeInsight>('Node', {
  node_id: [string, ({ nodeId }) => nodeId],
  channels_owned: [count, ({ channelsOwned }) => channelsOwned],
  started_at: [timestamp, ({ startedAt }) => toIso(startedAt)],
  draining: [flag, ({ draining }) => draining],
});

export const nodeList = responseObject('NodeList', { nodes: listOf(nodeOut.schema) });

export const channelInsight = answer<InspectedChannel>('ChannelInsight', {
  channel_id: [ourId, ({ channelId }) => channelId],
  node_id: [string, ({ nodeId }) => nodeId],
  epoch: [count, ({ epoch }) => epoch],
  sends_open: [count, ({ sendsOpen }) => sendsOpen],
  sends_waiting: [count, ({ sendsWaiting }) => sendsWaiting],
  deliveries_pending: [count, ({ deliveriesPending }) => deliveriesPending],
  facts_held: [count, ({ factsHeld }) => factsHeld],
  files_open: [
    { ...count, description: 'Inbound files under preparation, of the messages the owner remembers' },
    ({ filesOpen }) => filesOpen,
  ],
});

const call = answer<TimelineCall>('UpstreamCall', {
  at: [timestamp, ({ at }) => toIso(at)],
  ended_at: [orNull(timestamp), ({ endedAt }) => toIso(endedAt)],
  outcome: [orNull(openWords(['accepted', 'refused', 'deferred', 'unknown'])), ({ outcome }) => outcome],
  error: [
    { ...orNull(string), description: "Our sentence with upstream's words; no secret in it" },
    ({ error }) => error,
  ],
  error_code: [orNull(count), ({ code }) => code],
  trace_id: [
    { ...orNull(string), description: "Upstream's name for the call (`fbtrace_id`)" },
    ({ traceId }) => traceId,
  ],
});

/** A timeline with every call of it, and the state as it is on record. */
export const messageInsight = answer<MessageTimeline>('MessageInsight', {
  ...timelineCells,
  account_id: [ourId, ({ message }) => message.accountId],
  state: [openWords(['sending', 'queued', 'sent', 'failed', 'abandoned']), ({ message }) => message.state],
  epoch: [count, ({ message }) => message.epoch],
  copies: [
    { ...count, description: 'Calls whose outcome is unknown or positive' },
    ({ message }) => message.copies,
  ],
  calls: [listOf(call.schema), ({ message }) => callsOf(message).map(call.of)],
});

export const failingChannel = answer<FailingChannel>('FailingChannel', {
  channel_id: [ourId, ({ channel }) => channel.id],
  account_id: [ourId, ({ channel }) => channel.accountId],
  name: [orNull(string), ({ channel }) => channel.name],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  endpoint: [{ ...orNull(string), description: 'Its host' }, ({ channel }) => hostIn(channel.webhookUrl)],
  failing_since: [timestamp, ({ health }) => toIso(health.failingSince ?? 0)],
  last_failure: [
    { ...orNull(string), description: 'A status, or why there was none' },
    ({ health }) => health.lastFailure,
  ],
  last_failed_at: [orNull(timestamp), ({ health }) => toIso(health.deliveryFailedAt)],
  last_delivered_at: [orNull(timestamp), ({ health }) => toIso(health.deliveredAt)],
});

function hostIn(url: string | null): string | null {
  return url !== null && URL.canParse(url) ? new URL(url).host : null;
}

export const failingList = responseObject('FailingList', { channels: listOf(failingChannel.schema) });

export const mailOut = answer<StoredMail>('Mail', {
  id: [string, ({ id }) => id],
  account_id: [ourId, ({ accountId }) => accountId],
  kind: [string, ({ kind }) => kind],
  subject: [string, ({ subject }) => subject],
  lines: [listOf(string), ({ lines }) => lines],
  send_after: [timestamp, ({ sendAfter }) => toIso(sendAfter)],
  sent_at: [orNull(timestamp), ({ sentAt }) => toIso(sentAt)],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
});

export const mailList = responseObject('MailList', { mails: listOf(mailOut.schema) }, nextCursor);

export const quarantinedItem = answer<QuarantinedItem>('QuarantinedItem', {
  id: [string, ({ id }) => id],
  reason: [openWords(['malformed', 'unknown', 'unreadable', 'ended_node']), ({ reason }) => reason],
  channel_type: [orNull(channelTypeWord), ({ channelType }) => channelType],
  channel_id: [orNull(ourId), ({ channelId }) => channelId],
  account_id: [orNull(ourId), ({ accountId }) => accountId],
  identity: [orNull(string), ({ identity }) => identity],
  kind: [
    { ...string, description: "The platform's word for what it is or where it stood" },
    ({ kind }) => kind,
  ],
  shape: [
    {
      ...string,
      description: 'Names of members and types of values; nothing that a person wrote',
      examples: ['{id: string, from: string, type: "image", image: list}'],
    },
    ({ shape }) => shape,
  ],
  times: [count, ({ times }) => times],
  first_seen_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  last_seen_at: [timestamp, ({ lastSeenAt }) => toIso(lastSeenAt)],
  can_be_retried: [flag, ({ sealed }) => sealed !== null],
});

/** What of upstream's webhooks nobody understood, and what ended its node twice. [faults: 46, 101] */
export const quarantineList = responseObject(
  'QuarantineList',
  { items: listOf(quarantinedItem.schema) },
  nextCursor,
);
