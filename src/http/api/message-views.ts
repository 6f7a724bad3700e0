import { callsOf, currentStatus, statusesOf } from '../../domain/messages/timeline.ts';
import type { Call } from '../../domain/messages/timeline.ts';
import { isoOf } from '../../kernel/clock.ts';
import type { MessageTimeline } from '../../use-cases/index.ts';
import { deliveryOut } from './delivery-views.ts';

export function messageOut(timeline: MessageTimeline) {
  return { ...outline(timeline), copies: callsOf(timeline.message).filter(mayBeOut).map(copyOut) };
}

/** Every field of the outline is named: nothing of a record gets out by being new. [faults API3] */
function outline({ message, deliveries }: MessageTimeline) {
  const isOpen = message.state === 'sending' || message.state === 'queued';
  return {
    message_id: message.id,
    channel_id: message.channelId,
    channel_type: message.channelType,
    origin: message.origin,
    recipient: message.recipient,
    // [spec: Message send state] What is on its way has been answered `queued` at the latest.
    state: isOpen ? 'queued' : message.state,
    status: currentStatus(message),
    created_at: isoOf(message.createdAt),
    statuses: statusesOf(message).map(({ status, at }) => ({ status, at: isoOf(at) })),
    upstream_ids: message.upstreamIds,
    next_try_at: isOpen ? isoOf(message.nextTryAt) : null,
    ...reasonOf(message),
    deliveries: deliveries.map(deliveryOut),
  };
}

/** Of a message that went out its record may still say why an earlier call did not. */
function reasonOf({ state, deliveryFailed, error, errorCode }: MessageTimeline['message']) {
  return state === 'sent' && !deliveryFailed
    ? { error: null, error_code: null }
    : { error, error_code: errorCode };
}

/** What upstream has certainly not sent is no copy. */
function mayBeOut({ outcome }: Call): boolean {
  return outcome !== 'refused' && outcome !== 'deferred';
}

function copyOut({ at, endedAt, outcome }: Call) {
  return { at: isoOf(at), ended_at: isoOf(endedAt), outcome };
}

/** Its calls with what upstream said, and the state as it is on record. */
export function inspectedMessageOut(timeline: MessageTimeline) {
  const { message } = timeline;
  return {
    ...outline(timeline),
    account_id: message.accountId,
    state: message.state,
    epoch: message.epoch,
    copies: message.copies,
    calls: callsOf(message).map((call) => ({
      ...copyOut(call),
      error: call.error,
      error_code: call.code,
      trace_id: call.traceId,
    })),
  };
}
