import { sealContext } from '../../src/kernel/sealed.ts';
import type { OutboundMessage } from '../../src/rules/messages/message.ts';
import { hashSecret, newId } from '../../src/kernel/ids.ts';
import { channelOf } from './floor-world.ts';
import type { FloorChannel, FloorWorld } from './floor-world.ts';
import type { Answer } from './serve.ts';
import { chatappText, readAccepted, readSend } from './wire.ts';

/** One send: hashes the API key, claims durably, calls upstream, stores the outcome durably, answers. [architecture §5] */
export function makeFloorSend(world: FloorWorld): Answer {
  const { store, apiKeyHash } = world;
  return async (request, body) => {
    if (hashSecret(String(request.headers['x-api-key'])) !== apiKeyHash) throw new Error('wrong key');
    const { channel_id: channelId, recipient, text } = readSend(body);
    const channel = channelOf(world, channelId);
    const id = newId();
    const message = claimOf(world, channel, id, recipient, text);
    await store.commit(channelId, channel.epoch, [{ write: 'insertMessage', message }]);
    const upstreamId = await call(world, channel, chatappText(recipient, text, id));
    await store.commit(channelId, channel.epoch, [
      { write: 'recordAccepted', messageId: id, upstreamId, rank: 1, at: Date.now(), channelType: 'chatapp' },
    ]);
    return JSON.stringify({ success: true, message_id: id, error: null, status: 'sent' });
  };
}

/** The row of a text that is about to be sent, with sealed content. */
export function claimOf(
  { sealer, accountId }: FloorWorld,
  { id: channelId, epoch }: FloorChannel,
  id: string,
  recipient: string,
  text: string,
): OutboundMessage {
  const now = Date.now();
  const content = sealer.seal(
    Buffer.from(JSON.stringify({ type: 'text', text })),
    sealContext.content(channelId, id),
  );
  return {
    id,
    channelId,
    accountId,
    channelType: 'chatapp',
    origin: 'service',
    recipient,
    messageType: 'text',
    content,
    state: 'sending',
    rank: 0,
    deliveryFailed: false,
    copies: 1,
    tries: 1,
    attemptedAt: now,
    statusAt: null,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    calls: null,
    nextTryAt: null,
    upstreamIds: [],
    error: null,
    errorCode: null,
    epoch,
    createdAt: now,
  };
}

async function call(
  { upstream }: FloorWorld,
  { upstreamPath: path }: FloorChannel,
  body: string,
): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer EAAexample' };
  const answer = await upstream.request({ path, method: 'POST', headers, body });
  return readAccepted(Buffer.from(await answer.body.arrayBuffer()));
}
