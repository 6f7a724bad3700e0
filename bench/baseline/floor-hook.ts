import { sealContext } from '../../src/kernel/sealed.ts';
import type { Delivery } from '../../src/rules/webhooks/delivery.ts';
import { idFrom } from '../../src/kernel/ids.ts';
import { channelOf } from './floor-world.ts';
import type { FloorChannel, FloorWorld } from './floor-world.ts';
import { hmacOf, isSigned } from './serve.ts';
import type { Answer } from './serve.ts';
import { readPost, receivedEvent } from './wire.ts';

/**
 * Accepts a webhook of upstream durably and answers 200; then POSTs the signed event to the client and stores the outcome durably.
 * [architecture §6]
 */
export function makeFloorHook(world: FloorWorld): Answer {
  const { store, appSecret } = world;
  return async (request, body) => {
    if (!isSigned(appSecret, body, request.headers['x-hub-signature-256']))
      throw new Error('wrong signature');
    const { metadata, messages: [inbound] = [] } = readPost(body);
    if (inbound === undefined) throw new Error('no message');
    const channel = channelOf(world, metadata.phone_number_id);
    const { id: channelId, epoch } = channel;
    const messageId = idFrom('inbound', channelId, inbound.id);
    const id = idFrom('delivery', channelId, messageId, 'message.received');
    const event = receivedEvent(messageId, inbound.from, inbound.text.body, inbound.timestamp);
    const about = { person: inbound.from, messageType: 'text', upstreamId: inbound.id, requestId: null };
    const delivery = deliveryOf(world, channel, { id, messageId, ...about }, event);
    await store.commit(channelId, epoch, [{ write: 'insertDelivery', delivery }]);
    deliver(world, channel, id, event, delivery.createdAt).catch((error: unknown) =>
      process.stderr.write(`${String(error)}\n`),
    );
    return '"EVENT_RECEIVED"';
  };
}

type About = Pick<Delivery, 'id' | 'messageId' | 'person' | 'messageType' | 'upstreamId' | 'requestId'>;

/** The row of a received message's event, with the sealed event. */
export function deliveryOf(
  { accountId, sealer }: FloorWorld,
  { id: channelId, epoch }: FloorChannel,
  { id, messageId, person, messageType, upstreamId, requestId }: About,
  event: Buffer,
): Delivery {
  const now = Date.now();
  return {
    id,
    messageId,
    person,
    messageType,
    upstreamId,
    requestId,
    channelId,
    accountId,
    epoch,
    event: 'message.received',
    state: 'pending',
    payload: sealer.seal(event, sealContext.delivery(channelId, id)),
    attempts: 0,
    claims: 0,
    firstTriedAt: null,
    nextDueAt: now,
    lastResult: null,
    attemptLog: null,
    keptSince: null,
    sequence: null,
    keptBytes: null,
    createdAt: now,
  };
}

async function deliver(
  { store, receiver, receiverPath: path, webhookSecret }: FloorWorld,
  channel: FloorChannel,
  deliveryId: string,
  body: Buffer,
  now: number,
): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-webhook-id': deliveryId,
    'x-webhook-signature': hmacOf(webhookSecret, body),
  };
  const answer = await receiver.request({ path, method: 'POST', headers, body });
  await answer.body.dump();
  const attempt = {
    attempts: 1,
    firstTriedAt: now,
    nextDueAt: now,
    lastResult: String(answer.statusCode),
    attemptLog: null,
  };
  const state = answer.statusCode < 300 ? 'delivered' : 'failed';
  await store.commit(channel.id, channel.epoch, [
    { write: 'recordAttempt', deliveryId, attempt: { state, ...attempt } },
  ]);
}
