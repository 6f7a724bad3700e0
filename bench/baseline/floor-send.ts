import { sealContext } from '../../src/kernel/sealed.ts';
import type { OutboundMessage } from '../../src/rules/messages/message.ts';
import { hashSecret, newId } from '../../src/kernel/ids.ts';
import type { FloorWorld } from './floor-world.ts';
import type { Answer } from './serve.ts';
import { chatappText, readAccepted, readSend } from './wire.ts';

/** One send: hashes the API key, claims durably, calls upstream, stores the outcome durably, answers. [architecture §5] */
export function makeFloorSend(world: FloorWorld): Answer {
  const { store, channelId, epoch, apiKeyHash } = world;
  return async (request, body) => {
    if (hashSecret(String(request.headers['x-api-key'])) !== apiKeyHash) throw new Error('wrong key');
    const { recipient, text } = readSend(body);
    const id = newId();
    await store.commit(channelId, epoch, [
      { write: 'insertMessage', message: findClaimant(world, id, recipient, text) },
    ]);
    const upstreamId = await call(world, chatappText(recipient, text, id));
    await store.commit(channelId, epoch, [
      { write: 'recordAccepted', messageId: id, upstreamId, rank: 1, at: Date.now(), channelType: 'chatapp' },
    ]);
    return JSON.stringify({ success: true, message_id: id, error: null, status: 'sent' });
  };
}

function findClaimant(
  { sealer, channelId, epoch }: FloorWorld,
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
    accountId: channelId,
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

async function call({ upstream, upstreamPath }: FloorWorld, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer EAAexample' };
  const answer = await upstream.request({ path: upstreamPath, method: 'POST', headers, body });
  return readAccepted(Buffer.from(await answer.body.arrayBuffer()));
}
