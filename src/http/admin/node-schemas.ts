/** Bodies of the admin API about nodes, channels, mails and the quarantine. [operator-interface §3] */
import { listCalls } from '../../domain/messages/timeline.ts';
import type { TimelineCall } from '../../domain/messages/timeline.ts';
import { hostIn } from '../../domain/urls/parse-url.ts';
import { toIso } from '../../kernel/clock.ts';
import type {
  FailingChannel,
  InspectedChannel,
  MessageTimeline,
  NodeInsight,
} from '../../use-cases/index.ts';
import type { QuarantinedItem, StoredMail } from '../../use-cases/ports/operating.ts';
import { channelTypeWord, nextCursor } from '../api/schemas/common.ts';
import { timelineCells } from '../api/schemas/message.ts';
import { answer } from '../validation/answer.ts';
import {
  count,
  flag,
  givenId,
  listOf,
  openWords,
  orNull,
  ourId,
  requestObject,
  responseObject,
  string,
  timestamp,
} from '../validation/json-schema.ts';
import { requestBody } from '../validation/request-body.ts';

export const bindRequest = requestBody<{ subscription_id: string | null }>(
  requestObject('BindRequest', { subscription_id: orNull(givenId) }),
);

export const nodeOut = answer<NodeInsight>('Node', {
  node_id: [string, ({ nodeId }) => nodeId],
  channels_owned: [count, ({ channelsOwned }) => channelsOwned],
  started_at: [timestamp, ({ startedAt }) => toIso(startedAt)],
  draining: [flag, ({ draining }) => draining],
  lease: [
    {
      ...orNull(openWords(['alone', 'held', 'unsure', 'lost'])),
      description: 'null, as what follows: it did not answer within 2 s',
    },
    ({ status }) => status?.lease ?? null,
  ],
  version: [orNull(string), ({ status }) => status?.version ?? null],
  busy: [
    {
      ...orNull({ type: 'number' }),
      description: 'Share of the last seconds in which it had something to do',
    },
    ({ status }) => (status === null ? null : Math.round(status.busy * 1_000) / 1_000),
  ],
  memory_bytes: [orNull(count), ({ status }) => status?.memoryBytes ?? null],
  sends_open: [orNull(count), ({ status }) => status?.sendsOpen ?? null],
  sends_waiting: [orNull(count), ({ status }) => status?.sendsWaiting ?? null],
  sends_oldest_seconds: [orNull(count), ({ status }) => secondsOf(status?.oldestSendMs)],
  deliveries_pending: [orNull(count), ({ status }) => status?.deliveriesPending ?? null],
  deliveries_oldest_seconds: [orNull(count), ({ status }) => secondsOf(status?.oldestDeliveryMs)],
  receivers_failing: [orNull(count), ({ status }) => status?.receiversFailing ?? null],
});

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.floor(ms / 1_000);
}

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

/** A message's timeline with all upstream calls and the stored state. */
export const messageInsight = answer<MessageTimeline>('MessageInsight', {
  ...timelineCells,
  account_id: [ourId, ({ message }) => message.accountId],
  state: [openWords(['sending', 'queued', 'sent', 'failed', 'abandoned']), ({ message }) => message.state],
  epoch: [count, ({ message }) => message.epoch],
  copies: [
    { ...count, description: 'Calls whose outcome is unknown or positive' },
    ({ message }) => message.copies,
  ],
  calls: [listOf(call.schema), ({ message }) => listCalls(message).map(call.of)],
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

/** Webhook items of upstream that no parser understood, and messages whose files ended their node twice. [faults: 46, 101] */
export const quarantineList = responseObject(
  'QuarantineList',
  { items: listOf(quarantinedItem.schema) },
  nextCursor,
);
