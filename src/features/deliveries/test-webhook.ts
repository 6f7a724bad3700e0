/**
 * Sends a signed test event to a channel's `webhook_url`, or to an endpoint of it, by the path of every delivery: address guard, TLS,
 * time-out, headers. It is never retried, and appears in the delivery log once it has ended, always with its request and answer, as
 * `webhook.test`, whichever event it shows to the receiver.
 */
import { previousSecretAt } from '../../rules/channels/channel.ts';
import type { Channel } from '../../rules/channels/channel.ts';
import { testEvent } from '../../rules/events/table.ts';
import type { DeliveryEvent } from '../../rules/events/table.ts';
import { withAttempt } from '../../rules/webhooks/delivery.ts';
import { ownerOf, readOwner } from '../../rules/webhooks/endpoints.ts';
import type { SealedHeaders } from '../../rules/webhooks/own-headers.ts';
import { toIso } from '../../kernel/clock.ts';
import { fault } from '../../kernel/faults.ts';
import { newId } from '../../kernel/ids.ts';
import type { Caller } from '../../rules/caller.ts';
import type { World } from '../world.ts';
import type { LoggedDelivery } from './logged.ts';
import type { WebhookTestResult } from './types.ts';
import { findChannel } from '../channels/index.ts';

interface ShownEvent {
  event: DeliveryEvent;
  data: object;
}

const plainTest: ShownEvent = { event: testEvent, data: {} };

/**
 * `another`: a valid address to test in place of `webhook_url`, before it is saved. `shown`: an event as a real one, whose data fit its schema.
 * Throws 404 `not_found`, 400 `bad_request` without an address, 429 `rate_limited`; a POST that fails is a result.
 */
export async function testWebhook(
  world: World,
  caller: Caller,
  channelId: string,
  another?: string,
  shown: ShownEvent = plainTest,
): Promise<WebhookTestResult> {
  const channel = await findChannel(world, caller, channelId);
  const url = another ?? channel.webhookUrl;
  if (url === null) throw fault('bad_request', { why: 'The channel has no webhook_url' });
  return postTest(world, caller, { ownerId: channelId, channel, url, headers: null }, shown);
}

/** Also of one that is disabled. Throws 404 `not_found`, 429 `rate_limited`; a POST that fails is a result. */
export async function testEndpoint(
  world: World,
  caller: Caller,
  channelId: string,
  endpointId: string,
): Promise<WebhookTestResult> {
  const channel = await findChannel(world, caller, channelId);
  const found = await world.stores.endpoints.find({
    id: endpointId,
    channelId,
    accountId: caller.accountId,
  });
  if (found === null) throw fault('not_found', { what: 'Endpoint' });
  const { url, headers, secret: webhookSecret, previousSecret, previousSecretUntil } = found;
  const own = { ...channel, webhookSecret, previousSecret, previousSecretUntil };
  const ownerId = ownerOf(channelId, endpointId);
  return postTest(world, caller, { ownerId, channel: own, url, headers }, plainTest);
}

interface TestTarget {
  /** Of the deliveries. */
  ownerId: string;
  /** With the secrets of the receiver. */
  channel: Channel;
  url: string;
  headers: SealedHeaders | null;
}

async function postTest(
  world: World,
  { accountId, requestId }: Caller,
  { ownerId, channel, url, headers }: TestTarget,
  shown: ShownEvent,
): Promise<WebhookTestResult> {
  world.webhookTestLimit.take(accountId);
  const deliveryId = newId();
  const at = world.clock.now();
  const startedAt = world.clock.monotonic();
  const result = await world.webhooks.post({
    channelId: ownerId,
    url,
    secret: channel.webhookSecret,
    previousSecret: previousSecretAt(channel, at),
    headers,
    deliveryId,
    attempt: 1,
    body: bodyOf(channel, shown, at),
    requestId,
    logged: { channel: { ...channel, keepAnswers: true }, startedAt: at },
  });
  const durationMs = Math.round(world.clock.monotonic() - startedAt);
  const tested = { deliveryId, status: result.status, failure: result.ok ? null : result.reason, durationMs };
  await world.stores.deliveryLog.addTest(testDelivery(ownerId, accountId, tested, { at, requestId }));
  return tested;
}

function bodyOf({ id, channelType }: Channel, { event, data }: ShownEvent, at: number): Buffer {
  const envelope = { event, channel_id: id, channel_type: channelType, timestamp: toIso(at), data };
  return Buffer.from(JSON.stringify(envelope));
}

/** A test concerns no message, so the log shows its own id as message id. */
function testDelivery(
  ownerId: string,
  accountId: string,
  { deliveryId, status, failure, durationMs }: WebhookTestResult,
  { at, requestId = null }: { at: number; requestId?: string | null },
): LoggedDelivery {
  return {
    id: deliveryId,
    ...readOwner(ownerId),
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
