/** [spec: Payload storage; operator-interface §2 DELIVERY_LOG_DAYS, §4] A channel's deliveries: the list, manual retries, webhook tests. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import type { Delivery } from '../../../src/rules/webhooks/delivery.ts';
import { dayMs } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { describeNextStep } from '../../../src/features/deliveries/pages/words.ts';
import { aTest } from '../../stores/conformance/samples.ts';
import { keptDelivery, madeDelivery } from '../support/deliveries.ts';
import { everything } from '../../../src/kernel/paging.ts';
import type { PageRequest } from '../../../src/kernel/paging.ts';
import { connectedChannel, newTenant, refusalOf } from '../support/service.ts';
import type { Service, Tenant } from '../support/service.ts';
import { sharedService } from '../support/shared-service.ts';

const service = sharedService();
let tenant: Tenant;
let channel: Channel;
beforeEach(async () => {
  tenant = await newTenant(service);
  channel = await connectedChannel(service, tenant, 'chatapp');
  service.router.asked.length = 0;
  service.webhooks.posted.length = 0;
  Object.assign(service.webhooks, { result: { ok: true, status: 200 }, tookMs: 0 });
});

const made = (agoMs: number, over: Partial<Delivery> = {}, of = channel) =>
  madeDelivery(service, of, agoMs, over);
const kept = (agoMs: number, over: Partial<Delivery> = {}) => keptDelivery(service, channel, agoMs, over);
const keeps = (failedRetentionDays: number) =>
  service.features.updateChannel(tenant, channel.id, { failedRetentionDays });

describe('the list of a channel’s deliveries', () => {
  type Filter = Parameters<Service['features']['listDeliveries']>[2];
  const list = (filter: Partial<Filter> = {}, page: PageRequest = everything, caller = tenant) =>
    service.features.listDeliveries(caller, channel.id, { event: null, state: null, ...filter }, page);
  const idsOf = async (...asked: Parameters<typeof list>) => (await list(...asked)).items.map(({ id }) => id);

  test('is newest first, filtered by event or state', async () => {
    const failed = await made(30, { state: 'failed', payload: null });
    const read = await made(20, { event: 'message.read' });
    const late = await made(10);
    await made(5, {}, await connectedChannel(service, tenant, 'pagechat'));
    expect(await idsOf()).toEqual([late.id, read.id, failed.id]);
    expect(await idsOf({ event: 'message.read' })).toEqual([read.id]);
    expect(await idsOf({ state: 'failed' })).toEqual([failed.id]);
  });

  test('has a hundred entries by default, and a cursor', async () => {
    for (let n = 0; n < 101; n += 1) await made(n);
    const first = await list();
    expect([first.items.length, (await list({}, { limit: 2, cursor: null })).items.length]).toEqual([100, 2]);
    expect(await idsOf({}, { limit: null, cursor: first.nextCursor })).toHaveLength(1);
  });

  test('reaches as far back as the log is kept', async () => {
    const logged = await made(7 * dayMs);
    await made(7 * dayMs + 1);
    expect(await idsOf()).toEqual([logged.id]);
  });

  test('of failed ones reaches back as far as they are kept, and says until when each can be replayed', async () => {
    await keeps(30);
    const long = await kept(30 * dayMs - 1, { createdAt: service.clock.now() - 31 * dayMs });
    await made(10 * dayMs, { state: 'failed', payload: null });
    const { items } = await list({ state: 'failed' });
    expect(items.map(({ id, keptUntil }) => [id, keptUntil])).toEqual([[long.id, service.clock.now() + 1]]);
    expect(await idsOf()).toEqual([]);
    await keeps(0);
    expect(await idsOf({ state: 'failed' })).toEqual([]);
  });

  test('of another account’s channel is 404', async () => {
    expect((await refusalOf(list({}, everything, await newTenant(service)))).status).toBe(404);
  });
});

describe('a manual retry', () => {
  const retry = ({ id }: Pick<Delivery, 'id'>, caller = tenant) =>
    service.features.retryDelivery(caller, channel.id, id);
  const asked = () => service.router.asked.flatMap(({ ask }) => (ask.type === 'retry-delivery' ? [ask] : []));
  const erased = (state: string) => ({
    status: 409,
    detail: `The delivery is ${state}; its payload was erased with the outcome, so it can not be sent again`,
  });

  test("of a pending delivery is sent to the channel's owner, as it is stored", async () => {
    const { id, event, messageId, requestId, nextDueAt, createdAt } = await made(10, {
      attempts: 2,
      claims: 1,
      firstTriedAt: 5,
      attemptLog: '5 1 500 status;6 1 500 status',
    });
    await retry({ id });
    const tried = { attempts: 2, claims: 0, firstTriedAt: 5, attemptLog: '5 1 500 status;6 1 500 status' };
    const delivery = { id, event, messageId, requestId, nextDueAt, createdAt, ...tried };
    expect(asked()).toStrictEqual([{ type: 'retry-delivery', delivery }]);
  });

  test('of a failed and kept delivery has its time of failure', async () => {
    await keeps(1);
    const delivery = await kept(dayMs - 1);
    await retry(delivery);
    expect(asked().map(({ keptSince }) => keptSince)).toEqual([delivery.keptSince]);
  });

  test('of a delivered delivery is 409', async () => {
    await keeps(1);
    expect(await refusalOf(retry(await made(1, { state: 'delivered', payload: null })))).toEqual(erased('delivered')); // oxfmt-ignore
    const failed = await made(1, { state: 'failed', payload: null });
    expect(await refusalOf(retry(failed))).toEqual(erased('failed'));
    expect(asked()).toEqual([]);
  });

  test('of a kept delivery is 409 once the channel keeps nothing any more', async () => {
    const delivery = await kept(1);
    expect(await refusalOf(retry(delivery))).toEqual(erased('failed'));
    await keeps(1);
    await service.stores.channels.deactivate(channel.id, tenant.accountId);
    expect(await refusalOf(retry(delivery))).toEqual(erased('failed'));
  });

  test('of a webhook test is 409', async () => {
    const { accountId } = tenant;
    const tried = aTest(channel.id, { accountId });
    await service.stores.deliveryLog.addTest(tried);
    expect(await refusalOf(retry(tried))).toEqual({
      status: 409,
      detail: 'A test event is not retried: send another test',
    });
  });

  test('of an unknown id, or one of another account, is 404', async () => {
    const delivery = await made(1);
    expect(await refusalOf(retry({ id: newId() }))).toEqual({ status: 404, detail: 'Delivery not found' });
    expect((await refusalOf(retry(delivery, await newTenant(service)))).status).toBe(404);
  });
});

describe('one delivery', () => {
  const read = ({ id }: Pick<Delivery, 'id'>) => service.features.readDelivery(tenant, channel.id, id);

  test('has its event while it is kept, and until when it can be replayed', async () => {
    await keeps(1);
    const delivery = await kept(5);
    const { body, delivery: shown } = await read(delivery);
    expect(body).toContain('"event": "message.received"');
    const keptUntil = (delivery.keptSince ?? 0) + dayMs;
    expect(shown.keptUntil).toBe(keptUntil);
    const examined = await read(delivery);
    // A time that is to come is shown as "in 6 d".
    expect(describeNextStep(examined)).toEqual({
      words: 'It was given up. It can be sent again before its content is erased,',
      at: keptUntil,
    });
    await service.stores.channels.deactivate(channel.id, tenant.accountId);
    expect((await read(delivery)).body).toBeNull();
  });

  test("has the number of attempts in this service's schedule", async () => {
    const examined = await read(
      await made(5, { attempts: 1, lastResult: '503', attemptLog: '5 10 503 status' }),
    );
    expect(describeNextStep(examined).words).toBe('1 of 3 attempts failed; the next comes');
  });

  test('has no event if no key decrypts it', async () => {
    const payload = service.sealer.seal(Buffer.from('{}'), 'another place');
    const delivery = await made(5, { payload });
    expect(await read(delivery)).toMatchObject({ body: null, attempts: [], delivery: { id: delivery.id } });
  });

  test('with an unknown id is 404', async () => {
    expect(await refusalOf(read({ id: newId() }))).toEqual({ status: 404, detail: 'Delivery not found' });
  });
});

describe('a webhook test', () => {
  const url = 'https://app.example.com/in';

  test('has its request and answer kept, whatever the channel keeps', async () => {
    const { channel: updated } = await service.features.updateChannel(tenant, channel.id, {
      webhookUrl: url,
    });
    await tested();
    expect(updated.keepAnswers).toBe(false);
    expect(service.webhooks.posted[0]?.logged?.channel).toEqual({ ...updated, keepAnswers: true });
  });

  test('goes to another address that is given, signed as deliveries are', async () => {
    const { channel: updated } = await service.features.updateChannel(tenant, channel.id, {
      webhookUrl: url,
    });
    await service.features.testWebhook(tenant, channel.id, 'https://next.example.com/in');
    const { webhookSecret: secret } = updated;
    expect(service.webhooks.posted).toMatchObject([{ url: 'https://next.example.com/in', secret }]);
  });

  const tested = () => service.features.testWebhook({ ...tenant, requestId: 'r-1' }, channel.id);
  const logged = async () => {
    const all = { event: null, state: null };
    return (await service.features.listDeliveries(tenant, channel.id, all, everything)).items;
  };

  test('is posted like any delivery, signed, and is in the log', async () => {
    const updated = await service.features.updateChannel(tenant, channel.id, { webhookUrl: url, keepAnswers: true }); // oxfmt-ignore
    const at = service.clock.now();
    service.webhooks.tookMs = 12;
    const { deliveryId, ...result } = await tested();
    expect(result).toEqual({ status: 200, failure: null, durationMs: 12 });
    const body = service.webhooks.posted[0]?.body ?? Buffer.of();
    expect(service.webhooks.posted).toEqual([
      {
        body,
        headers: null,
        channelId: channel.id,
        url,
        secret: updated.channel.webhookSecret,
        previousSecret: null,
        deliveryId,
        attempt: 1,
        requestId: 'r-1',
        logged: { channel: updated.channel, startedAt: at },
      },
    ]);
    expect(JSON.parse(Buffer.from(body).toString())).toEqual({
      event: 'webhook.test',
      channel_id: channel.id,
      channel_type: 'chatapp',
      timestamp: new Date(at).toISOString(),
      data: {},
    });
    expect(await logged()).toEqual([
      {
        id: deliveryId,
        channelId: channel.id,
        endpointId: null,
        accountId: tenant.accountId,
        event: 'webhook.test',
        messageId: deliveryId,
        person: null,
        messageType: null,
        requestId: 'r-1',
        state: 'delivered',
        attempts: 1,
        firstTriedAt: at,
        nextDueAt: at,
        lastResult: '200',
        attemptLog: `${at} 12 200 -`,
        keptSince: null,
        keptUntil: null,
        createdAt: at,
      },
    ]);
  });

  test.each([
    [{ ok: false, status: 503, reason: 'status' } as const, '503'],
    [{ ok: false, status: null, reason: 'timeout' } as const, 'timeout'],
  ])('that fails says why, and is not retried: %j', async (result, lastResult) => {
    await service.features.updateChannel(tenant, channel.id, { webhookUrl: url });
    service.webhooks.result = result;
    const { deliveryId, status, failure } = await tested();
    expect([status, failure]).toEqual([result.status, result.reason]);
    expect(await logged()).toMatchObject([{ id: deliveryId, state: 'failed', lastResult, attempts: 1 }]);
    expect(service.webhooks.posted).toHaveLength(1);
  });

  test('is signed with the previous secret too, while that is valid', async () => {
    const first = await service.features.updateChannel(tenant, channel.id, { webhookUrl: url });
    const second = await service.features.updateChannel(tenant, channel.id, { webhookSecret: 'another' });
    await tested();
    expect(service.webhooks.posted.map(({ secret, previousSecret }) => [secret, previousSecret])).toEqual([
      [second.channel.webhookSecret, first.channel.webhookSecret],
    ]);
  });

  test('needs a webhook_url', async () => {
    expect(await refusalOf(tested())).toEqual({ status: 400, detail: 'The channel has no webhook_url' });
  });

  test('is limited to ten a minute per account, then 429 with the waiting time', async () => {
    await service.features.updateChannel(tenant, channel.id, { webhookUrl: url });
    for (let n = 0; n < 10; n += 1) {
      await tested();
      service.clock.pass(1_000);
    }
    await expect(tested()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 50 });
    service.clock.pass(49_999);
    await expect(tested()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 1 });
    service.clock.pass(1);
    await tested();
    await expect(tested()).rejects.toMatchObject({ status: 429 });
    expect(service.webhooks.posted).toHaveLength(11);
    const other = await newTenant(service);
    const { id } = await connectedChannel(service, other, 'pagechat');
    await service.features.updateChannel(other, id, { webhookUrl: url });
    expect((await service.features.testWebhook(other, id)).status).toBe(200);
  });
});
