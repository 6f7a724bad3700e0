import { once } from 'node:events';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { SendReply } from '../../../src/rules/messages/send-reply.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { fault, OwnerLost, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { hashSecret } from '../../../src/kernel/ids.ts';
import { canonicalJson } from '../../../src/kernel/json.ts';
import type { SendAnswer } from '../../../src/features/messages/types.ts';
import { aMessage } from '../../stores/conformance/samples.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  service.router.sendReply = async () => ({ status: 'sent' });
  service.router.unreachable.clear();
  service.router.beforeAnswer = async () => undefined;
});

interface Parts {
  recipient?: string;
  text?: string;
  idempotencyKey?: string | null;
}

function send(parts: Parts = {}): Promise<SendAnswer> {
  const command = { channelId: channel.id, recipient: '4915900000777', text: 'hello', idempotencyKey: null };
  return service.features.sendText(tenant, { ...command, ...parts });
}

function sendsOfChannel() {
  return service.router.sends.filter((each) => each.channelId === channel.id);
}

describe('POST /api/v1/messages/send', () => {
  test("the channel's owner gets the text with the normalized recipient, and the answer has the message_id", async () => {
    const answer = await send({ recipient: '+49 159-00000777' });
    expect(sendsOfChannel()).toEqual([
      { channelId: channel.id, messageId: answer.messageId, recipient: '4915900000777', text: 'hello' },
    ]);
    expect(answer).toEqual({ status: 'sent', messageId: answer.messageId });
  });

  test.each<SendReply>([
    { status: 'queued' },
    { status: 'failed', error: 'window closed', errorCode: 131047 },
  ])('every outcome upstream is in the answer: %j', async (reply) => {
    service.router.sendReply = async () => reply;
    expect(await send()).toEqual({ ...reply, messageId: expect.any(String) });
  });

  test.each([
    ['invalid_recipient', { recipient: 'nobody' }],
    ['recipient_equals_sender', { recipient: '+49 170 0000001' }],
    ['text_too_long', { text: 'x'.repeat(4097) }],
  ])('%s is refused before the owner is asked', async (code, parts) => {
    expect(await refusalOf(send(parts))).toEqual({ status: 400, detail: expect.objectContaining({ code }) });
    expect(sendsOfChannel()).toEqual([]);
  });

  test('an inactive channel cannot send: at once, although it was in use', async () => {
    await send();
    await service.features.deactivateChannel(tenant, channel.id);
    const refusal = await refusalOf(send());
    expect(refusal).toEqual({ status: 400, detail: 'The channel is inactive; connect it again to use it' });
  });

  test.each([
    ['expired', { status: 'expired' } as const],
    ['canceled', { status: 'canceled' } as const],
  ])('a licence that was set to %s stops sending at once', async (status, patch) => {
    await send();
    await service.features.updateSubscription(tenant.subscriptionId, patch);
    const detail = `The channel's licence is not active (status: ${status})`;
    expect(await refusalOf(send())).toEqual({ status: 402, detail });
  });

  test('a trial ends by itself, without grace', async () => {
    service.clock.pass(14 * 86_400_000);
    const detail = "The channel's licence is not active (status: expired)";
    expect(await refusalOf(send())).toEqual({ status: 402, detail });
  });

  test('a channel without a licence cannot send', async () => {
    await send();
    await service.features.bindChannel(channel.id, null);
    const detail = "The channel's licence is not active (status: none)";
    expect(await refusalOf(send())).toEqual({ status: 402, detail });
  });

  test('a change by another node is seen within seconds, or at once if it was announced', async () => {
    await send();
    await service.stores.channels.deactivate(channel.id, tenant.accountId);
    expect((await send()).status).toBe('sent');
    service.clock.pass(5_000);
    expect((await refusalOf(send())).status).toBe(400);

    channel = await connectedChannel(service, (tenant = await newTenant(service)), 'chatapp');
    await send();
    await service.stores.channels.deactivate(channel.id, tenant.accountId);
    service.world.channelCache.invalidate(channel.id);
    expect((await refusalOf(send())).status).toBe(400);
  });
});

describe('Idempotency-Key', () => {
  const idempotencyKey = 'order-4711';

  test('the stored digest of a body cannot be guessed without the key [faults: 137]', async () => {
    const { messageId } = await send({ idempotencyKey });
    const record = {
      accountId: tenant.accountId,
      key: idempotencyKey,
      messageId,
      answer: null,
      createdAt: 0,
    };
    const standing = await service.stores.idempotency.begin({ ...record, bodyHash: 'another' }, 0);
    // The id of the encryption key and an HMAC.
    expect(standing.bodyHash).toHaveLength(8 + 64);
    const plain = [canonicalJson, JSON.stringify].map((text) =>
      hashSecret(text([channel.id, '4915900000777', 'hello'])),
    );
    for (const hash of plain) expect(standing.bodyHash).not.toContain(hash);
  });

  test('same key and body within 24 h returns the first answer and sends nothing again', async () => {
    service.router.sendReply = async () => ({ status: 'failed', error: 'window closed', errorCode: 131047 });
    const first = await send({ idempotencyKey });
    service.router.sendReply = async () => ({ status: 'sent' });
    service.clock.pass(86_399_999);
    expect(await send({ idempotencyKey })).toEqual(first);
    expect(sendsOfChannel()).toHaveLength(1);
  });

  test('the first answer is returned although the channel can no longer send', async () => {
    const first = await send({ idempotencyKey });
    await service.features.deactivateChannel(tenant, channel.id);
    expect(await send({ idempotencyKey })).toEqual(first);
  });

  test('after 24 h the key is free again', async () => {
    const first = await send({ idempotencyKey });
    service.clock.pass(86_400_001);
    await service.features.updateSubscription(tenant.subscriptionId, { expiresAt: null });
    expect((await send({ idempotencyKey })).messageId).not.toBe(first.messageId);
  });

  test.each([{ text: 'hello!' }, { recipient: '4915900000778' }])(
    'same key with another body is 409: %j',
    async (other) => {
      await send({ idempotencyKey });
      const detail = 'This Idempotency-Key was already used with another path or request body';
      expect(await refusalOf(send({ ...other, idempotencyKey }))).toEqual({ status: 409, detail });
      expect(sendsOfChannel()).toHaveLength(1);
    },
  );

  test('20 identical concurrent requests reach the owner with one message_id and get one answer', async () => {
    const free = new AbortController();
    service.router.sendReply = async () => {
      if (sendsOfChannel().length === 20) free.abort();
      if (!free.signal.aborted) await once(free.signal, 'abort');
      return { status: 'sent' };
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => send({ idempotencyKey })));
    const messageId = sendsOfChannel()[0]?.messageId;
    expect(answers).toEqual(Array.from({ length: 20 }, () => ({ status: 'sent', messageId })));
    expect(new Set(sendsOfChannel().map((each) => each.messageId)).size).toBe(1);
  });

  test('identical requests get the first stored answer, whatever the owner answers later', async () => {
    const replies: SendReply[] = [{ status: 'queued' }, { status: 'sent' }];
    const second = new AbortController();
    service.router.sendReply = async () => {
      const reply = replies.shift() ?? { status: 'sent' as const };
      if (reply.status === 'sent') second.abort();
      else if (!second.signal.aborted) await once(second.signal, 'abort');
      return reply;
    };
    const [, again] = await Promise.all([send({ idempotencyKey }), send({ idempotencyKey })]);
    const kept = await send({ idempotencyKey });
    expect(again).toEqual(kept);
  });

  test.each([fault('overloaded'), new StoreUnavailable('no answer')])(
    'after a 503 the same request continues with its own message_id: %s',
    async (failure) => {
      service.router.unreachable.set(channel.id, failure);
      await expect(send({ idempotencyKey })).rejects.toBe(failure);
      service.router.unreachable.clear();
      expect((await send({ idempotencyKey })).status).toBe('sent');
      expect(new Set(sendsOfChannel().map(({ messageId }) => messageId)).size).toBe(1);
    },
  );

  test('a request whose process crashed is taken over at once, with its own message_id', async () => {
    service.router.unreachable.set(channel.id, new Error('process died'));
    await expect(send({ idempotencyKey })).rejects.toThrow('process died');
    service.router.unreachable.clear();
    const answer = await send({ idempotencyKey });
    const ids = sendsOfChannel().map((each) => each.messageId);
    expect(ids).toEqual([answer.messageId, answer.messageId]);
    expect(await send({ idempotencyKey })).toEqual(answer);
    expect(sendsOfChannel()).toHaveLength(2);
  });

  test('another body is 409 also while the first request has no answer', async () => {
    service.router.unreachable.set(channel.id, new Error('process died'));
    await expect(send({ idempotencyKey })).rejects.toThrow('process died');
    const detail = 'This Idempotency-Key was already used with another path or request body';
    expect(await refusalOf(send({ idempotencyKey, text: 'other' }))).toEqual({ status: 409, detail });
  });
});

describe('a send whose owner vanished [architecture §5]', () => {
  /** The owner stores this, or nothing, and vanishes. */
  function vanish(standing: Partial<OutboundMessage> | null): void {
    service.router.beforeAnswer = async (channelId, ask) => {
      if (ask.type === 'send' && standing !== null) await write(channelId, ask.messageId, standing);
      throw new OwnerLost('gone');
    };
  }

  async function write(channelId: string, id: string, standing: Partial<OutboundMessage>): Promise<void> {
    const message = aMessage(channelId, { id, ...standing });
    await service.channelState.commit(channelId, 1, [{ write: 'insertMessage', message }]);
  }

  test('that was not stored is queued, and stored for the next owner', async () => {
    vanish(null);
    const settled = service.counted('sends_settled_total');
    const answer = await send();
    const messageId = sendsOfChannel()[0]?.messageId ?? '';
    expect(answer).toEqual({ status: 'queued', messageId });

    expect(await service.stores.dueWork.channelsWithUntakenSends(10)).toEqual([channel.id]);
    const now = service.clock.now();
    const left = await service.channelState.load(channel.id, 1, now, 10);
    expect(left.openMessages).toMatchObject([
      {
        id: messageId,
        accountId: tenant.accountId,
        recipient: '4915900000777',
        messageType: 'text',
        state: 'queued',
        copies: 0,
        tries: 0,
        attemptedAt: now,
        nextTryAt: now,
        createdAt: now,
      },
    ]);
    const [{ content } = { content: null }] = left.openMessages;
    const opened = service.sealer.open(content ?? Buffer.of(), sealContext.content(channel.id, messageId));
    expect(JSON.parse(Buffer.from(opened).toString())).toEqual({ type: 'text', text: 'hello' });
    expect(service.counted('sends_settled_total')).toBe(settled + 1);
  });

  test('that its owner has made void is 503 with Retry-After: nothing was sent and never will be', async () => {
    vanish({ state: 'abandoned' });
    await expect(send()).rejects.toMatchObject({ status: 503, code: 'unavailable', retryAfterSeconds: 1 });
    expect(await service.stores.dueWork.channelsWithUntakenSends(10)).toEqual([]);
  });

  test.each([
    [{ state: 'sending' }, { status: 'queued' }],
    [{ state: 'queued', error: 'slow down', errorCode: 131056 }, { status: 'queued' }],
    [{ state: 'sent' }, { status: 'sent' }],
    [
      { state: 'failed', error: 'window closed', errorCode: 131047 },
      { status: 'failed', error: 'window closed', errorCode: 131047 },
    ],
    [
      { state: 'failed', error: null, errorCode: null },
      { status: 'failed', error: 'The message could not be sent', errorCode: null },
    ],
  ] as const)('that was stored is answered with what is stored: %j', async (standing, reply) => {
    vanish(standing);
    expect(await send()).toEqual({ ...reply, messageId: sendsOfChannel()[0]?.messageId });
  });

  test('with its Idempotency-Key: if abandoned, a retry sends with a new message_id; if answered, it does not', async () => {
    vanish({ state: 'abandoned' });
    await expect(send({ idempotencyKey: 'a' })).rejects.toMatchObject({ status: 503 });
    vanish({ state: 'queued' });
    const answer = await send({ idempotencyKey: 'a' });
    service.router.beforeAnswer = async () => undefined;
    expect(await send({ idempotencyKey: 'a' })).toEqual(answer);
    expect(new Set(sendsOfChannel().map(({ messageId }) => messageId)).size).toBe(2);
  });

  test('while the store is down too is no 503, because nobody knows; its Idempotency-Key keeps its message_id', async () => {
    vanish(null);
    const store = service.stores.sends;
    service.stores.sends = {
      ...service.stores.sends,
      insertUnlessTaken: () => Promise.reject(new StoreUnavailable('away')),
    };
    await expect(send({ idempotencyKey: 'b' })).rejects.toThrow(OwnerLost);
    service.stores.sends = store;
    service.router.beforeAnswer = async () => undefined;
    expect((await send({ idempotencyKey: 'b' })).status).toBe('sent');
    expect(new Set(sendsOfChannel().map(({ messageId }) => messageId)).size).toBe(1);
  });

  test.each([
    [
      'is no 503 where an owner had it: one that lives behind a cut link may send it',
      true,
      { name: 'OwnerLost' },
    ],
    ['is 503 where no owner had it', false, { status: 503, code: 'unavailable' }],
  ])('and that the store certainly does not have %s', async (_words, isInHand, refusal) => {
    service.router.beforeAnswer = () => Promise.reject(new OwnerLost('gone', { isInHand }));
    const store = service.stores.sends;
    service.stores.sends = {
      ...service.stores.sends,
      insertUnlessTaken: () => Promise.reject(new StoreUnavailable('closed', 'no')),
    };
    await expect(send()).rejects.toMatchObject(refusal);
    service.stores.sends = store;
  });

  test('and that the store may have nevertheless is no 503, although no owner had it', async () => {
    service.router.beforeAnswer = () => Promise.reject(new OwnerLost('gone', { isInHand: false }));
    const store = service.stores.sends;
    service.stores.sends = {
      ...service.stores.sends,
      insertUnlessTaken: () => Promise.reject(new StoreUnavailable('away')),
    };
    await expect(send()).rejects.toThrow(OwnerLost);
    service.stores.sends = store;
  });

  test("while the store fails otherwise is answered with the store's error", async () => {
    vanish(null);
    const store = service.stores.sends;
    service.stores.sends = {
      ...service.stores.sends,
      insertUnlessTaken: () => Promise.reject(new Error('a bug')),
    };
    await expect(send()).rejects.toThrow('a bug');
    service.stores.sends = store;
  });
});
