/** [operator-interface §4, Idempotency-Key; faults: I3] The answer to the next request with a key if an owner, the store or another request interferes. */
import type { IdempotencyStore } from '../../../src/features/messages/idempotency-store.ts';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SendReply } from '../../../src/rules/messages/send-reply.ts';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { OutboundMessage } from '../../../src/rules/messages/message.ts';
import { fault, OwnerLost, StoreUnavailable } from '../../../src/kernel/faults.ts';
import { hashSecret, newId } from '../../../src/kernel/ids.ts';
import { canonicalJson } from '../../../src/kernel/json.ts';
import type { SendAnswer } from '../../../src/features/messages/types.ts';
import { aMessage } from '../../stores/conformance/samples.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';
import type { IdempotencyRecord } from '../../../src/storage/entities/messages.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
let idempotency: IdempotencyStore;
let sends: Service['stores']['sends'];
beforeAll(async () => {
  ({ idempotency, sends } = service.stores);
});
beforeEach(async () => {
  Object.assign(service.stores, { idempotency, sends });
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  service.router.sendReply = async () => ({ status: 'sent' });
  service.router.beforeAnswer = async () => undefined;
  service.told.length = 0;
});

const key = 'order-4711';
const away = () => Promise.reject(new StoreUnavailable('away'));

function send(text = 'hello'): Promise<SendAnswer> {
  const command = { channelId: channel.id, recipient: '4915900000777', idempotencyKey: key };
  return service.features.sendText({ ...tenant, requestId: 'r-1' }, { ...command, requestId: 'r-1', text });
}

const idsAsked = () =>
  service.router.sends.flatMap(({ channelId, messageId }) => (channelId === channel.id ? [messageId] : []));

/** The owner's behaviour for every ask. */
function meets(before: (messageId: string) => Promise<void> | void): void {
  service.router.beforeAnswer = async (_, ask) => {
    if (ask.type === 'send') await before(ask.messageId);
  };
}

/** A first request whose process crashed after it had stored the key; returns its message id. */
async function begun(): Promise<string> {
  meets(() => Promise.reject(new Error('the process died')));
  await expect(send()).rejects.toThrow('the process died');
  service.router.beforeAnswer = async () => undefined;
  return idsAsked()[0] ?? '';
}

async function onRecord(id: string, over: Partial<OutboundMessage>): Promise<void> {
  const message = aMessage(channel.id, { id, accountId: tenant.accountId, ...over });
  await service.channelState.commit(channel.id, 1, [{ write: 'insertMessage', message }]);
}

const stateOf = async (id: string) => (await service.stores.messageLog.byId(id))?.state ?? null;
const aRecord = (over: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  accountId: tenant.accountId,
  key,
  bodyHash: 'of another body',
  messageId: newId(),
  answer: null,
  createdAt: service.clock.now(),
  ...over,
});

describe('a key whose request was refused', () => {
  test('is free, also for another body', async () => {
    meets(() => Promise.reject(fault('licence_inactive', { status: 'expired' })));
    expect((await refusalOf(send())).status).toBe(402);
    service.router.beforeAnswer = async () => undefined;
    expect((await send('another text')).status).toBe('sent');
  });

  test('is refused nevertheless if the store cannot free it; the log reports it', async () => {
    meets(() => Promise.reject(fault('licence_inactive', { status: 'expired' })));
    service.stores.idempotency = { ...idempotency, forget: away };
    expect((await refusalOf(send())).status).toBe(402);
    expect(service.told).toMatchObject([
      {
        msg: 'idempotency.key-not-freed',
        message: idsAsked()[0],
        request_id: 'r-1',
        error: { message: 'away' },
      },
    ]);
  });

  test.each(['overloaded', 'internal'] as const)('with %s is not free: another body is 409', async (code) => {
    meets(() => Promise.reject(fault(code)));
    await expect(send()).rejects.toMatchObject({ code });
    expect((await refusalOf(send('another text'))).status).toBe(409);
  });
});

describe('a stored answer', () => {
  test.each<[string, SendReply]>([
    ['sent', { status: 'sent' }],
    ['queued', { status: 'queued' }],
    ['failed', { status: 'failed', error: 'window closed', errorCode: 131047 }],
    ['failed without a code', { status: 'failed', error: 'no answer', errorCode: null }],
  ])('is repeated unchanged: %s', async (_, reply) => {
    service.router.sendReply = async () => reply;
    const first = await send();
    service.router.sendReply = async () => ({ status: 'sent' });
    expect(first).toEqual({ ...reply, messageId: idsAsked()[0] });
    expect(await send()).toEqual(first);
    expect(idsAsked()).toHaveLength(1);
  });

  test('of a sent message is valid even if the store cannot keep it; the log reports it', async () => {
    service.stores.idempotency = { ...idempotency, answered: away };
    const { messageId, status } = await send();
    expect(status).toBe('sent');
    expect(service.told).toMatchObject([
      {
        msg: 'idempotency.answer-not-kept',
        message: messageId,
        request_id: 'r-1',
        error: { message: 'away' },
      },
    ]);
  });

  test('is valid even if the store cannot say which one was kept first; the log reports it', async () => {
    const messageId = await begun();
    meets(() => {
      service.stores.idempotency = { ...idempotency, begin: away };
    });
    expect(await send()).toEqual({ status: 'sent', messageId });
    expect(service.told).toMatchObject([
      {
        msg: 'idempotency.answer-not-read',
        message: messageId,
        request_id: 'r-1',
        error: { message: 'away' },
      },
    ]);
  });

  test('belongs to its own message if the key was used for another one meanwhile', async () => {
    const messageId = await begun();
    const other = aRecord();
    meets(async () => {
      await idempotency.forget({ ...other, messageId });
      await idempotency.begin(other, 0);
      await idempotency.answered(other, { status: 'queued' });
    });
    expect(await send()).toEqual({ status: 'sent', messageId });
  });

  test('is kept if the key was freed meanwhile', async () => {
    const messageId = await begun();
    meets(() => idempotency.forget(aRecord({ messageId })));
    expect(await send()).toEqual({ status: 'sent', messageId });
    expect(await send()).toEqual({ status: 'sent', messageId });
    expect(idsAsked()).toEqual([messageId, messageId]);
  });
});

describe('a request whose owner refuses the id of an earlier one', () => {
  let messageId: string;
  beforeEach(async () => {
    messageId = await begun();
    meets((id) => (id === messageId ? Promise.reject(fault('unavailable')) : undefined));
  });

  test('is sent with another id, once the store says that nothing was sent with the first and never will be', async () => {
    const answer = await send();
    expect(answer.status).toBe('sent');
    expect(idsAsked()).toEqual([messageId, messageId, answer.messageId]);
    expect(await stateOf(messageId)).toBe('abandoned');
    expect(await send()).toEqual(answer);
  });

  test('is answered with what is stored', async () => {
    await onRecord(messageId, { state: 'failed', error: 'window closed', errorCode: 131047 });
    const answer = { messageId, status: 'failed', error: 'window closed', errorCode: 131047 };
    expect(await send()).toEqual(answer);
    expect(await send()).toEqual(answer);
    expect(idsAsked()).toEqual([messageId, messageId]);
  });

  test('is refused like the owner did if the store cannot say', async () => {
    service.stores.sends = { ...service.stores.sends, insertUnlessTaken: away };
    await expect(send()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(service.told).toMatchObject([
      { msg: 'send.not-settled', channel: channel.id, message: messageId, request_id: 'r-1' },
    ]);
    service.stores.sends = sends;
    expect((await send()).status).toBe('sent');
  });

  test('that is refused as busy keeps its id', async () => {
    const busy = fault('overloaded');
    meets(() => Promise.reject(busy));
    await expect(send()).rejects.toBe(busy);
    expect(await stateOf(messageId)).toBeNull();
  });

  test('whose owner vanishes is stored for the next owner', async () => {
    meets(() => Promise.reject(new OwnerLost('gone')));
    expect(await send()).toEqual({ status: 'queued', messageId });
    expect(await stateOf(messageId)).toBe('queued');
  });

  test("three times, each time with another request's id, is 503", async () => {
    meets(() => Promise.reject(fault('unavailable')));
    const bodyHash = (await idempotency.begin(aRecord(), 0)).bodyHash;
    service.stores.idempotency = {
      ...idempotency,
      async forget(record) {
        await idempotency.forget(record);
        await idempotency.begin(aRecord({ bodyHash }), 0);
      },
    };
    await expect(send()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(new Set(idsAsked().slice(1)).size).toBe(3);
    expect(idsAsked()).toHaveLength(4);
  });
});

test('a request that is refused does not free the key under which another has sent meanwhile', async () => {
  let answered: SendAnswer | null = null;
  service.stores.idempotency = {
    ...idempotency,
    async begin(...asked) {
      const record = await idempotency.begin(...asked);
      service.stores.idempotency = idempotency;
      answered = await send();
      await service.features.deactivateChannel(tenant, channel.id);
      return record;
    },
  };
  expect((await refusalOf(send())).status).toBe(400);
  expect(answered).toMatchObject({ status: 'sent' });
  expect(await send()).toEqual(answered);
});

describe('a body that an earlier version hashed', () => {
  const variables = { header: ['Ada'], body: ['4711'] };
  const template = { name: 'order_ready', language: 'de', variables };
  const sendTemplate = () => {
    const command = { channelId: channel.id, recipient: '4915900000777', idempotencyKey: key };
    return service.features.sendTemplate(tenant, { ...command, ...template });
  };

  test.each([
    ['without a key', canonicalJson],
    ['in the order in which its keys came', JSON.stringify],
  ])('%s, is recognized', async (_, toText: (body: unknown) => string) => {
    const bodyHash = hashSecret(toText([channel.id, '4915900000777', 'order_ready', 'de', variables]));
    const { messageId } = await idempotency.begin(aRecord({ bodyHash, answer: { status: 'sent' } }), 0);
    expect(await sendTemplate()).toEqual({ status: 'sent', messageId });
  });

  test('is another body otherwise', async () => {
    const bodyHash = hashSecret(canonicalJson([channel.id, '4915900000777', 'order_ready', 'fr', variables]));
    await idempotency.begin(aRecord({ bodyHash, answer: { status: 'sent' } }), 0);
    expect((await refusalOf(sendTemplate())).status).toBe(409);
  });
});
