/**
 * Sends a signed test event to a channel's `webhook_url` by the path of every delivery: address guard, TLS, time-out, headers. It is
 * never retried, and appears in the delivery log once it has ended, always with its request and answer, as `webhook.test`, whichever event
 * it shows to the receiver.
 */
import { previousSecretAt } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { testEvent } from '../../rules/events/table.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';
import { withAttempt } from '../../rules/webhooks/delivery.ts';
import { toIso } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { LoggedDelivery, WebhookTestResult } from './types.ts';
import { findChannel } from '../channels/index.ts';

interface ShownEvent {
  event: DeliveryEvent;
  data: object;
}

/**
 * `another`: a valid address to test in place of `webhook_url`, before it is saved. `shown`: an event as a real one, whose data fit its schema.
 * Throws 404 `not_found`, 400 `bad_request` without an address, 429 `rate_limited`; a POST that fails is a result.
 */
export async function testWebhook(
  world: World,
  caller: Caller,
  channelId: string,
  another?: string,
  shown: ShownEvent = { event: testEvent, data: {} },
): Promise<WebhookTestResult> {
  const channel = await findChannel(world, caller, channelId);
  const { webhookSecret: secret } = channel;
  const url = another ?? channel.webhookUrl;
  if (url === null) throw fault('bad_request', { why: 'The channel has no webhook_url' });
  world.webhookTestLimit.take(caller.accountId);
  const deliveryId = newId();
  const at = world.clock.now();
  const startedAt = world.clock.monotonic();
  const envelope = {
    event: shown.event,
    channel_id: channelId,
    channel_type: channel.channelType,
    timestamp: toIso(at),
    data: shown.data,
  };
  const body = Buffer.from(JSON.stringify(envelope));
  const { requestId } = caller;
  const previousSecret = previousSecretAt(channel, at);
  const logged = { channel: { ...channel, keepAnswers: true }, startedAt: at };
  const posted = { channelId, url, secret, previousSecret, deliveryId, attempt: 1, body, requestId, logged };
  const result = await world.webhooks.post(posted);
  const durationMs = Math.round(world.clock.monotonic() - startedAt);
  const tested = { deliveryId, status: result.status, failure: result.ok ? null : result.reason, durationMs };
  await world.stores.deliveryLog.addTest(testDelivery(channel, tested, at, requestId ?? null));
  return tested;
}

/** A test concerns no message, so the log shows its own id as message id. */
function testDelivery(
  { id: channelId, accountId }: Channel,
  { deliveryId, status, failure, durationMs }: WebhookTestResult,
  at: number,
  requestId: string | null,
): LoggedDelivery {
  return {
    id: deliveryId,
    channelId,
    endpointId: null,
    accountId,
    event: testEvent,
    messageId: deliveryId,
    person: null,
    messageType: null,
    requestId,
    state: failure === null ? 'delivered' : 'failed',
    attempts: 1,
    firstTriedAt: at,
    nextDueAt: at,
    lastResult: status === null ? failure : String(status),
    attemptLog: withAttempt(null, { at, durationMs, status, failure }),
    keptSince: null,
    createdAt: at,
  };
}
