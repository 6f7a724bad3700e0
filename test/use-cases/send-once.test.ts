/** [operator-interface §4, Idempotency-Key; faults: I3] What a key's next request gets where an owner, the store or another request stands between. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SendReply } from '../../src/domain/messages/send-reply.ts';
import type { Channel } from '../../src/domain/channels/channel.ts';
import type { OutboundMessage } from '../../src/domain/messages/message.ts';
import { fault, OwnerLost, StoreUnavailable } from '../../src/kernel/faults.ts';
import { hashSecret, newId } from '../../src/kernel/ids.ts';
import { canonicalJson } from '../../src/kernel/json.ts';
import type { SendAnswer } from '../../src/use-cases/index.ts';
import type { IdempotencyRecord, IdempotencyStore } from '../../src/use-cases/ports/messages.ts';
import { aMessage } from '../stores/conformance/samples.ts';
import { connectedChannel, newTenant, openService, refusalOf } from './support/service.ts';
import type { Service, Tenant } from './support/service.ts';

let service: Service;
let tenant: Tenant;
let channel: Channel;
let idempotency: IdempotencyStore;
let sends: Service['stores']['sends'];
beforeAll(async () => {
  service = await openService();
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
afterAll(() => service.close());

const key = 'order-4711';
const away = () => Promise.reject(new StoreUnavailable('away'));

function send(text = 'hello'): Promise<SendAnswer> {
  const command = { channelId: channel.id, recipient: '4915900000777', idempotencyKey: key };
  return service.useCases.sendText({ ...tenant, requestId: 'r-1' }, { ...command, requestId: 'r-1', text });
}

const idsAsked = () =>
  service.router.sends.flatMap(({ channelId, messageId }) => (channelId === channel.id ? [messageId] : []));

/** The owner meets this, as often as it is asked. */
function meets(before: (messageId: string) => Promise<void> | void): void {
  service.router.beforeAnswer = async (_, ask) => {
    if (ask.type === 'send') await before(ask.messageId);
  };
}

/** A first request whose process dies with the key begun; its message id. */
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
  test('is free, for another body too', async () => {
    meets(() => Promise.reject(fault('licence_inactive', { status: 'expired' })));
    expect((await refusalOf(send())).status).toBe(402);
    service.router.beforeAnswer = async () => undefined;
    expect((await send('another text')).status).toBe('sent');
  });

  test('is refused all the same where the store can not free it; the log says so', async () => {
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

  test.each(['overloaded', 'internal'] as const)('with %s is not: another body is 409', async (code) => {
    meets(() => Promise.reject(fault(code)));
    await expect(send()).rejects.toMatchObject({ code });
    expect((await refusalOf(send('another text'))).status).toBe(409);
  });
});

describe('an answer', () => {
  test.each<[string, SendReply]>([
    ['sent', { status: 'sent' }],
    ['queued', { status: 'queued' }],
    ['failed', { status: 'failed', error: 'window closed', errorCode: 131047 }],
    ['failed without a code', { status: 'failed', error: 'no answer', errorCode: null }],
  ])('is given again as it was: %s', async (_, reply) => {
    service.router.sendReply = async () => reply;
    const first = await send();
    service.router.sendReply = async () => ({ status: 'sent' });
    expect(first).toEqual({ ...reply, messageId: idsAsked()[0] });
    expect(await send()).toEqual(first);
    expect(idsAsked()).toHaveLength(1);
  });

  test('of a message that is sent stands where the store can not keep it; the log says so', async () => {
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

  test('stands where nobody can read whether another was kept first; the log says so', async () => {
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

  test('is its own where the key has come to another message meanwhile', async () => {
    const messageId = await begun();
    const other = aRecord();
    meets(async () => {
      await idempotency.forget({ ...other, messageId });
      await idempotency.begin(other, 0);
      await idempotency.answered(other, { status: 'queued' });
    });
    expect(await send()).toEqual({ status: 'sent', messageId });
  });

  test('is kept where the key was freed meanwhile', async () => {
    const messageId = await begun();
    meets(() => idempotency.forget(aRecord({ messageId })));
    expect(await send()).toEqual({ status: 'sent', messageId });
    expect(await send()).toEqual({ status: 'sent', messageId });
    expect(idsAsked()).toEqual([messageId, messageId]);
  });
});

describe('a request whose owner refuses the id that was asked for before', () => {
  let messageId: string;
  beforeEach(async () => {
    messageId = await begun();
    meets((id) => (id === messageId ? Promise.reject(fault('unavailable')) : undefined));
  });

  test('is sent under another, once the store says that nothing was sent under the first and never will be', async () => {
    const answer = await send();
    expect(answer.status).toBe('sent');
    expect(idsAsked()).toEqual([messageId, messageId, answer.messageId]);
    expect(await stateOf(messageId)).toBe('abandoned');
    expect(await send()).toEqual(answer);
  });

  test('is answered by what stands in the store', async () => {
    await onRecord(messageId, { state: 'failed', error: 'window closed', errorCode: 131047 });
    const answer = { messageId, status: 'failed', error: 'window closed', errorCode: 131047 };
    expect(await send()).toEqual(answer);
    expect(await send()).toEqual(answer);
    expect(idsAsked()).toEqual([messageId, messageId]);
  });

  test('is refused as the owner did where the store can not say', async () => {
    service.stores.sends = { insertUnlessTaken: away };
    await expect(send()).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(service.told).toMatchObject([
      { msg: 'send.not-settled', channel: channel.id, message: messageId, request_id: 'r-1' },
    ]);
    service.stores.sends = sends;
    expect((await send()).status).toBe('sent');
  });

  test('for being busy keeps its id', async () => {
    const busy = fault('overloaded');
    meets(() => Promise.reject(busy));
    await expect(send()).rejects.toBe(busy);
    expect(await stateOf(messageId)).toBeNull();
  });

  test('by vanishing is on record for the next one', async () => {
    meets(() => Promise.reject(new OwnerLost('gone')));
    expect(await send()).toEqual({ status: 'queued', messageId });
    expect(await stateOf(messageId)).toBe('queued');
  });

  test('three times, each time an id of another request, is 503', async () => {
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

describe('a body that an earlier version hashed', () => {
  const variables = { header: ['Ada'], body: ['4711'] };
  const template = { name: 'order_ready', language: 'de', variables };
  const sendTemplate = () => {
    const command = { channelId: channel.id, recipient: '4915900000777', idempotencyKey: key };
    return service.useCases.sendTemplate(tenant, { ...command, ...template });
  };

  test.each([
    ['without a key', canonicalJson],
    ['in the order in which its keys came', JSON.stringify],
  ])('%s, is known', async (_, toText: (body: unknown) => string) => {
    const bodyHash = hashSecret(toText([channel.id, '4915900000777', 'order_ready', 'de', variables]));
    const { messageId } = await idempotency.begin(aRecord({ bodyHash, answer: { status: 'sent' } }), 0);
    expect(await sendTemplate()).toEqual({ status: 'sent', messageId });
  });

  test('otherwise is another', async () => {
    const bodyHash = hashSecret(canonicalJson([channel.id, '4915900000777', 'order_ready', 'fr', variables]));
    await idempotency.begin(aRecord({ bodyHash, answer: { status: 'sent' } }), 0);
    expect((await refusalOf(sendTemplate())).status).toBe(409);
  });
});
