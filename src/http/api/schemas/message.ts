/** The timeline of a message. */
import { listCalls, currentStatus, listStatuses } from '../../../domain/messages/timeline.ts';
import type { TimelineCall } from '../../../domain/messages/timeline.ts';
import { toIso } from '../../../kernel/clock.ts';
import type { MessageTimeline } from '../../../use-cases/index.ts';
import { answer } from '../../validation/answer.ts';
import type { Cells } from '../../validation/answer.ts';
import { channelTypeWord } from './common.ts';
import { deliveryOut } from './deliveries.ts';
import { count, listOf, openWords, orNull, ourId, string, timestamp } from '../../validation/json-schema.ts';

type StatusAt = ReturnType<typeof listStatuses>[number];

const statusWord = openWords(['sent', 'delivered', 'read', 'failed']);

const reached = answer<StatusAt>('MessageStatus', {
  status: [statusWord, ({ status }) => status],
  at: [
    { ...timestamp, description: 'When upstream says so; never before the one before' },
    ({ at }) => toIso(at),
  ],
});

const copy = answer<TimelineCall>('MessageCopy', {
  at: [{ ...timestamp, description: 'When the call to upstream began' }, ({ at }) => toIso(at)],
  ended_at: [
    { ...orNull(timestamp), description: 'null: it is under way, or nobody lived to see its end' },
    ({ endedAt }) => toIso(endedAt),
  ],
  outcome: [
    {
      ...orNull(openWords(['accepted', 'unknown'])),
      description: '`unknown`: it may have been sent; null: under way',
    },
    ({ outcome }) => outcome,
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
      description: '`echo`: sent beside the service, tracked by `echo_statuses`',
    },
    ({ message }) => message.origin,
  ],
  recipient: [string, ({ message }) => message.recipient],
  // [spec: Message send state] A message being sent is shown as `queued`, the latest answer its client can have got.
  state: [
    openWords(['queued', 'sent', 'failed']),
    (timeline) => (isOpen(timeline) ? 'queued' : timeline.message.state),
  ],
  status: [
    { ...orNull(statusWord), description: 'The current one; null: nothing was told yet' },
    ({ message }) => currentStatus(message),
  ],
  created_at: [timestamp, ({ message }) => toIso(message.createdAt)],
  statuses: [
    { ...listOf(reached.schema), description: 'Each that upstream has told, in the order of their times' },
    ({ message }) => listStatuses(message).map(reached.of),
  ],
  upstream_ids: [
    {
      ...listOf(string),
      description: "Upstream's own ids, for asking its support; no call of this API takes them",
    },
    ({ message }) => message.upstreamIds,
  ],
  next_try_at: [
    { ...orNull(timestamp), description: 'When a call that upstream refused for now is made again' },
    (timeline) => (isOpen(timeline) ? toIso(timeline.message.nextTryAt) : null),
  ],
  error: [orNull(string), (timeline) => (hasReason(timeline) ? timeline.message.error : null)],
  error_code: [
    { ...orNull(count), description: "Upstream's code" },
    (timeline) => (hasReason(timeline) ? timeline.message.errorCode : null),
  ],
  deliveries: [
    { ...listOf(deliveryOut.schema), description: 'The webhooks that tell of it' },
    ({ deliveries }) => deliveries.map(deliveryOut.of),
  ],
};

export const messageOut = answer<MessageTimeline>('MessageOut', {
  ...timelineCells,
  copies: [
    { ...listOf(copy.schema), description: 'Calls that may have sent it, oldest first' },
    ({ message }) => listCalls(message).filter(mayBeOut).map(copy.of),
  ],
});
