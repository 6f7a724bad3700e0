/** The timeline of a message. */
import { listCalls, currentStatus, listStatuses } from './timeline-rules.ts';
import type { TimelineCall } from './timeline-rules.ts';
import { toIso } from '../../kernel/clock.ts';
import type { MessageTimeline } from './types.ts';
import { answer } from '../../http/validation/response-body.ts';
import type { Cells } from '../../http/validation/response-body.ts';
import { channelTypeWord } from '../../http/schemas/common.ts';
import { kindNotes } from '../../http/schemas/kind-notes.ts';
import {
  count,
  listOf,
  openWords,
  orNull,
  ourId,
  string,
  timestamp,
} from '../../http/validation/json-schema.ts';
import { deliveryOut } from '../deliveries/index.ts';

type StatusAt = ReturnType<typeof listStatuses>[number];

const statusWord = openWords(['sent', 'delivered', 'read', 'failed']);

const reached = answer<StatusAt>('MessageStatus', {
  status: [statusWord, 'status'],
  at: [
    {
      ...timestamp,
      description: 'Time of the status as upstream reported it; never earlier than the preceding status',
    },
    ({ at }) => toIso(at),
  ],
});

const copy = answer<TimelineCall>('MessageCopy', {
  at: [{ ...timestamp, description: 'When the call to upstream began' }, ({ at }) => toIso(at)],
  ended_at: [
    {
      ...orNull(timestamp),
      description:
        'When the call to upstream ended; null: it is still running, or its node stopped before it ended',
    },
    ({ endedAt }) => toIso(endedAt),
  ],
  outcome: [
    {
      ...orNull(openWords(['accepted', 'unknown'])),
      description:
        '`accepted`: upstream accepted the message; `unknown`: upstream may have accepted it; null: the call is still running',
    },
    'outcome',
  ],
});

/** A copy is a call that upstream may have carried out: a refused or deferred call is not a copy. */
function mayBeOut({ outcome }: TimelineCall): boolean {
  return outcome !== 'refused' && outcome !== 'deferred';
}

function isOpen({ message: { state } }: MessageTimeline): boolean {
  return state === 'sending' || state === 'queued';
}

/** The record of a message that was sent can still hold the error of an earlier call: that error is not shown. */
function hasReason({ message: { state, deliveryFailed } }: MessageTimeline): boolean {
  return state !== 'sent' || deliveryFailed;
}

export const timelineCells: Cells<MessageTimeline> = {
  message_id: [ourId, ({ message }) => message.id],
  channel_id: [ourId, ({ message }) => message.channelId],
  channel_type: [channelTypeWord, ({ message }) => message.channelType],
  origin: [
    {
      ...openWords(['service', 'echo']),
      description:
        '`service`: sent through the service; `echo`: sent outside the service and tracked because `echo_statuses` is on',
    },
    ({ message }) => message.origin,
  ],
  recipient: [{ ...string, description: kindNotes.userId }, ({ message }) => message.recipient],
  // [spec: Message send state] A message being sent is shown as `queued`, the latest answer its client can have got.
  state: [
    { ...openWords(['queued', 'sent', 'failed']), description: 'State of the send' },
    (timeline) => (isOpen(timeline) ? 'queued' : timeline.message.state),
  ],
  status: [
    {
      ...orNull(statusWord),
      description: 'Current delivery status: the highest one reported; null: none was reported yet',
    },
    ({ message }) => currentStatus(message),
  ],
  created_at: [timestamp, ({ message }) => toIso(message.createdAt)],
  statuses: [
    { ...listOf(reached.schema), description: 'All delivery statuses that upstream reported, oldest first' },
    ({ message }) => listStatuses(message).map(reached.of),
  ],
  upstream_ids: [
    {
      ...listOf(string),
      description:
        "Upstream's ids of the message, for questions to upstream's support; no call of this API accepts them",
    },
    ({ message }) => message.upstreamIds,
  ],
  next_try_at: [
    {
      ...orNull(timestamp),
      description:
        'When the service calls upstream for the send: after a transient refusal, or a pause; null: no call is due, or the send waits behind others',
    },
    (timeline) => (isOpen(timeline) ? toIso(timeline.message.nextTryAt) : null),
  ],
  error: [
    { ...orNull(string), description: 'Why the message failed, or why it is still queued' },
    (timeline) => (hasReason(timeline) ? timeline.message.error : null),
  ],
  error_code: [
    { ...orNull(count), description: 'Upstream error code, unchanged' },
    (timeline) => (hasReason(timeline) ? timeline.message.errorCode : null),
  ],
  deliveries: [
    { ...listOf(deliveryOut.schema), description: 'Webhook deliveries of events about this message' },
    ({ deliveries }) => deliveries.map(deliveryOut.of),
  ],
};

export const messageOut = answer<MessageTimeline>('MessageOut', {
  ...timelineCells,
  copies: [
    {
      ...listOf(copy.schema),
      description:
        'Calls to upstream that sent or may have sent the message, oldest first; more than one: the recipient may have received it twice',
    },
    ({ message }) => listCalls(message).filter(mayBeOut).map(copy.of),
  ],
});
