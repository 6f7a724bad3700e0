/** Bodies of the admin API about nodes, channels, mails and the quarantine. [operator-interface §3] */
import { hostIn } from '../../rules/url.ts';
import { toIso } from '../../kernel/clock.ts';
import type { FailingReceiver, InspectedChannel, TroubledChannel } from './types.ts';
import type { NodeInsight } from '../../ownership/cluster-view.ts';
import { channelTypeWord, nextCursor } from '../../http/schemas/common.ts';
import { answer } from '../../http/validation/response-body.ts';
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
} from '../../http/validation/json-schema.ts';
import { requestBody } from '../../http/validation/request-body.ts';
import type { StoredMail } from '../../storage/entities/mails.ts';
import { healthProblem } from '../channels/index.ts';
import { listCalls, timelineCells } from '../messages/index.ts';
import type { TimelineCall, MessageTimeline } from '../messages/index.ts';
import type { QuarantinedItem } from '../quarantine/index.ts';

export const bindRequest = requestBody(
  requestObject('BindRequest', {
    subscription_id: { ...orNull(givenId), description: 'Licence to bind the channel to; null: unbind it' },
  }),
);

const openNote = 'Sends that are not finished';
const waitingNote = 'Open sends that wait for their turn to call upstream';

export const nodeOut = answer<NodeInsight>('Node', {
  node_id: [string, 'nodeId'],
  channels_owned: [count, 'channelsOwned'],
  started_at: [timestamp, ({ startedAt }) => toIso(startedAt)],
  draining: [flag, 'draining'],
  linked: [
    {
      ...flag,
      description:
        'Whether the node that answers this request has a link to it. false for longer than a start takes: one of the two has a wrong `INTERNAL_URL` or `INTERNAL_HOST`, or the network between them is closed',
    },
    'isLinked',
  ],
  lease: [
    {
      ...orNull(openWords(['alone', 'held', 'unsure', 'lost'])),
      description:
        'Lease of the node: `alone`: single node, no lease; `held`; `unsure`: the lock service does not answer, the node keeps its channels; `lost`: the node owns nothing. null, like all fields below: the node did not answer within 2 seconds',
    },
    ({ status }) => status?.lease ?? null,
  ],
  version: [orNull(string), ({ status }) => status?.version ?? null],
  commit: [
    { ...orNull(string), description: 'Commit of the sources it was built from; `unknown` from the sources' },
    ({ status }) => status?.commit ?? null,
  ],
  busy: [
    {
      ...orNull({ type: 'number' }),
      description: 'Utilisation of the event loop in the last seconds, 0 to 1',
    },
    ({ status }) => (status === null ? null : Math.round(status.busy * 1_000) / 1_000),
  ],
  memory_bytes: [orNull(count), ({ status }) => status?.memoryBytes ?? null],
  sends_open: [{ ...orNull(count), description: openNote }, ({ status }) => status?.sendsOpen ?? null],
  sends_waiting: [
    { ...orNull(count), description: waitingNote },
    ({ status }) => status?.sendsWaiting ?? null,
  ],
  sends_oldest_seconds: [orNull(count), ({ status }) => secondsOf(status?.oldestSendMs)],
  deliveries_pending: [orNull(count), ({ status }) => status?.deliveriesPending ?? null],
  deliveries_oldest_seconds: [orNull(count), ({ status }) => secondsOf(status?.oldestDeliveryMs)],
  receivers_failing: [
    { ...orNull(count), description: 'Channels whose webhook endpoint fails' },
    ({ status }) => status?.receiversFailing ?? null,
  ],
  peers_without_link: [
    {
      ...orNull(count),
      description: 'Live nodes that it has had no link to for longer than `LEASE_TTL_MS`',
    },
    ({ status }) => status?.peersWithoutLink ?? null,
  ],
});

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.floor(ms / 1_000);
}

export const nodeList = responseObject('NodeList', { nodes: listOf(nodeOut.schema) });

export const channelInsight = answer<InspectedChannel>('ChannelInsight', {
  channel_id: [ourId, 'channelId'],
  node_id: [{ ...string, description: 'Node that owns the channel' }, 'nodeId'],
  epoch: [
    { ...count, description: 'Fencing token of the ownership; grows with every change of the owner' },
    'epoch',
  ],
  sends_open: [{ ...count, description: openNote }, 'sendsOpen'],
  sends_waiting: [{ ...count, description: waitingNote }, 'sendsWaiting'],
  deliveries_pending: [count, 'deliveriesPending'],
  facts_held: [
    { ...count, description: 'Statuses and echoes from upstream that are not matched to a message yet' },
    'factsHeld',
  ],
  files_open: [{ ...count, description: 'Inbound files that are being fetched or wait for it' }, 'filesOpen'],
});

const call = answer<TimelineCall>('UpstreamCall', {
  at: [timestamp, ({ at }) => toIso(at)],
  ended_at: [orNull(timestamp), ({ endedAt }) => toIso(endedAt)],
  outcome: [orNull(openWords(['accepted', 'refused', 'deferred', 'unknown'])), 'outcome'],
  error: [
    { ...orNull(string), description: "Why the call failed, with upstream's words and without secrets" },
    'error',
  ],
  error_code: [orNull(count), 'code'],
  trace_id: [{ ...orNull(string), description: "Upstream's trace id of the call (`fbtrace_id`)" }, 'traceId'],
});

/** A message's timeline with all upstream calls and the stored state. */
export const messageInsight = answer<MessageTimeline>('MessageInsight', {
  ...timelineCells,
  account_id: [ourId, ({ message }) => message.accountId],
  state: [openWords(['sending', 'queued', 'sent', 'failed', 'abandoned']), ({ message }) => message.state],
  epoch: [count, ({ message }) => message.epoch],
  copies: [
    { ...count, description: 'Number of calls that upstream accepted or may have accepted' },
    ({ message }) => message.copies,
  ],
  calls: [listOf(call.schema), ({ message }) => listCalls(message).map(call.of)],
});

export const failingChannel = answer<FailingReceiver>('FailingChannel', {
  channel_id: [ourId, ({ channel }) => channel.id],
  account_id: [ourId, ({ channel }) => channel.accountId],
  name: [orNull(string), ({ channel }) => channel.name],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  endpoint: [{ ...orNull(string), description: 'Host of the receiver that fails' }, ({ url }) => hostIn(url)],
  endpoint_id: [
    {
      ...orNull(ourId),
      description: 'The endpoint of the channel that fails; null: its `webhook_url`',
    },
    'endpointId',
  ],
  failing_since: [
    { ...timestamp, description: 'Every attempt since then has failed' },
    ({ health }) => toIso(health.failingSince ?? 0),
  ],
  last_failure: [
    {
      ...orNull(string),
      description: 'HTTP status of the last failed attempt or, if the endpoint did not answer, the reason',
    },
    ({ health }) => health.lastFailure,
  ],
  last_failed_at: [orNull(timestamp), ({ health }) => toIso(health.deliveryFailedAt)],
  last_delivered_at: [orNull(timestamp), ({ health }) => toIso(health.deliveredAt)],
});

export const failingList = responseObject('FailingList', { channels: listOf(failingChannel.schema) });

export const troubledChannel = answer<TroubledChannel>('TroubledChannel', {
  channel_id: [ourId, ({ channel }) => channel.id],
  account_id: [ourId, ({ channel }) => channel.accountId],
  name: [orNull(string), ({ channel }) => channel.name],
  channel_type: [channelTypeWord, ({ channel }) => channel.channelType],
  problems: [
    { ...listOf(healthProblem.schema), description: 'Its problems at upstream, the most basic first' },
    ({ problems }) => problems.map(healthProblem.of),
  ],
});

export const troubledList = responseObject(
  'TroubledList',
  { channels: listOf(troubledChannel.schema) },
  nextCursor,
);

export const mailOut = answer<StoredMail>('Mail', {
  id: [string, 'id'],
  account_id: [ourId, 'accountId'],
  kind: [string, 'kind'],
  subject: [string, 'subject'],
  lines: [{ ...listOf(string), description: 'Lines of the body' }, 'lines'],
  send_after: [
    { ...timestamp, description: 'The mail is not sent before this time' },
    ({ sendAfter }) => toIso(sendAfter),
  ],
  sent_at: [
    { ...orNull(timestamp), description: 'When a mail server accepted the mail; null: none has' },
    ({ sentAt, givenUp }) => (givenUp === null ? toIso(sentAt) : null),
  ],
  given_up_at: [
    { ...orNull(timestamp), description: 'When the mail was given up; null: it was not' },
    ({ sentAt, givenUp }) => (givenUp === null ? null : toIso(sentAt)),
  ],
  given_up: [
    {
      ...orNull(string),
      description:
        'Outcome of the last try of a mail that was given up, as in `mails_total`; null: it was not',
    },
    'givenUp',
  ],
  created_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
});

export const mailList = responseObject('MailList', { mails: listOf(mailOut.schema) }, nextCursor);

export const quarantinedItem = answer<QuarantinedItem>('QuarantinedItem', {
  id: [string, 'id'],
  reason: [
    {
      ...openWords(['malformed', 'unknown', 'unreadable', 'ended_node']),
      description: 'Why it is here; `ended_node`: preparing its files crashed a node twice',
    },
    'reason',
  ],
  channel_type: [orNull(channelTypeWord), 'channelType'],
  channel_id: [orNull(ourId), 'channelId'],
  account_id: [orNull(ourId), 'accountId'],
  identity: [orNull(string), 'identity'],
  kind: [
    { ...string, description: "Upstream's name for the item, or for the place in the webhook where it was" },
    'kind',
  ],
  shape: [
    {
      ...string,
      description: 'Names of members and types of values, without content',
      examples: ['{id: string, from: string, type: "image", image: list}'],
    },
    'shape',
  ],
  times: [{ ...count, description: 'How often it arrived' }, 'times'],
  first_seen_at: [timestamp, ({ createdAt }) => toIso(createdAt)],
  last_seen_at: [timestamp, ({ lastSeenAt }) => toIso(lastSeenAt)],
  can_be_retried: [
    { ...flag, description: 'True if its content is stored, so that a retry is possible' },
    ({ sealed }) => sealed !== null,
  ],
});

/** Webhook items of upstream that no parser understood, and messages whose files ended their node twice. [faults: 46, 101] */
export const quarantineList = responseObject(
  'QuarantineList',
  { items: listOf(quarantinedItem.schema) },
  nextCursor,
);
