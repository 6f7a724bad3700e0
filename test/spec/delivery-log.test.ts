/** [operator-interface §2, DELIVERY_LOG_DAYS] The log of deliveries, a manual retry, and a test of the webhook. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Inbox, isSigned } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { checkWebhooksAndClose } from '../support/events.ts';
import { newAccount, World } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

let world: World;
let inbox: Inbox;
let account: Account;
let channel: Channel;
beforeAll(async () => {
  // No automatic retry happens during a test.
  world = await World.open({ WEBHOOK_RETRY_DELAYS_MS: '600000,600000', WEBHOOK_DEADLINE_MS: '1200000' });
});
afterAll(() => checkWebhooksAndClose(world));
beforeEach(async () => {
  inbox = await Inbox.open();
  account = await newAccount(world.service);
  const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
  channel = await world.connect(account, 'pagechat', { upstream, webhookUrl: inbox.url });
});
afterEach(() => inbox.close());

const ask = (method: string, path: string, key = channel.key) =>
  world.service.call(method, `/api/v1/channels/${channel.id}${path}`, { key });
const log = (query = '') => ask('GET', `/deliveries${query}`);
const retry = (id: string, key?: string) => ask('POST', `/deliveries/${id}/retry`, key);

interface Entry {
  id: string;
  state: string;
  attempts: { at: string; status_code: number | null; error: string | null }[];
  next_attempt_at: string;
}

/** Makes a person write; resolves with the log entry once its first attempt is recorded. */
async function written(): Promise<Entry> {
  const before = (await log()).body.deliveries.length;
  await world.write(channel, { text: 'hello', wait: true }, newPerson('pagechat'));
  return until('the attempt to be on record', async () => {
    const { deliveries } = (await log()).body;
    return deliveries.length > before && deliveries[0].attempts.length > 0 ? deliveries[0] : null;
  });
}

/** Resolves with the log entry once it fits. */
const entry = (id: string, fits: (found: Entry) => boolean) =>
  until('the entry to fit', async () => {
    const found = (await log()).body.deliveries.find((each: { id: string }) => each.id === id);
    return fits(found) ? found : null;
  });

describe('the delivery log', () => {
  test('shows a delivered webhook: id, event, message, and the attempt with time, status code and duration', async () => {
    const delivered = await written();
    const [arrival] = await inbox.next(1);
    expect(delivered).toEqual({
      id: arrival?.headers['x-webhook-id'],
      endpoint_id: null,
      event: 'message.received',
      message_id: arrival?.event.data['message_id'],
      state: 'delivered',
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      attempts: [{ at: expect.any(String), status_code: 200, duration_ms: expect.any(Number), error: null }],
      next_attempt_at: null,
      result: '200',
      can_retry: false,
      kept_until: null,
    });
  });

  test('shows a failed attempt: what failed, and when it is retried', async () => {
    inbox.answerNext(503);
    const pending = await written();
    expect(pending).toMatchObject({ state: 'pending', result: '503', can_retry: true });
    expect(pending.attempts).toMatchObject([{ status_code: 503, error: 'status' }]);
    const dueInMs = Date.parse(pending.next_attempt_at) - Date.parse(pending.attempts[0]?.at ?? '');
    expect(dueInMs).toBeGreaterThanOrEqual(600_000);
  });

  test('shows an unreachable endpoint: no status code, and the reason in a word', async () => {
    inbox.answerNext('reset');
    expect((await written()).attempts).toMatchObject([{ status_code: null, error: 'reset' }]);
  });

  test('is filtered by state and by event, newest first, in pages', async () => {
    inbox.answerNext(200, 503, 200);
    const [first, second, third] = [await written(), await written(), await written()];
    const ids = async (query: string) =>
      (await log(query)).body.deliveries.map(({ id }: { id: string }) => id);
    expect(await ids('')).toEqual([third.id, second.id, first.id]);
    expect(await ids('?state=pending')).toEqual([second.id]);
    expect(await ids('?state=delivered&event=message.received')).toEqual([third.id, first.id]);
    expect(await ids('?event=message.read')).toEqual([]);
    const page = (await log('?limit=2')).body;
    expect([page.total, page.deliveries.length]).toEqual([2, 2]);
    const rest = (await log(`?limit=2&cursor=${page.next_cursor}`)).body;
    expect([rest.deliveries[0].id, rest.next_cursor]).toEqual([first.id, null]);
  });

  test.each([
    ['state=lost', 'state'],
    ['state=', 'state'],
    ['state=failed&state=failed', 'state'],
    ['event=message.Received', 'event'],
    ["event=' or 1=1", 'event'],
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['cursor=x', 'cursor'],
  ])('%s is 422', async (query, name) => {
    const answer = await log(`?${encodeURI(query)}`);
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ['query', name]]);
  });

  test("another account's channel has no log, no retry and no test", async () => {
    inbox.answerNext(503);
    const { id } = await written();
    const stranger = await newAccount(world.service);
    for (const [method, path] of [
      ['GET', '/deliveries'],
      ['POST', `/deliveries/${id}/retry`],
      ['POST', '/webhook/test'],
    ] as const) {
      const answer = await ask(method, path, stranger.key);
      expect([answer.status, answer.body]).toEqual([404, { detail: 'Channel not found' }]);
    }
    expect(inbox.arrivals).toHaveLength(1);
  });
});

describe('a manual retry', () => {
  test('makes one attempt at once: same id, same bytes, the next attempt number', async () => {
    inbox.answerNext(503);
    const { id } = await written();
    const answer = await retry(id);
    expect([answer.status, answer.body]).toEqual([200, { success: true }]);
    const [first, second] = await inbox.next(2);
    expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
    expect(second?.headers).toMatchObject({ 'x-webhook-id': id, 'x-webhook-attempt': '2' });
    expect(isSigned(second!, channel.webhookSecret)).toBe(true);
    const ended = await entry(id, ({ state }) => state === 'delivered');
    expect(ended.attempts).toMatchObject([{ status_code: 503 }, { status_code: 200, error: null }]);
  });

  test('that fails does not move the next scheduled attempt', async () => {
    inbox.answerNext(503, 500);
    const { id, next_attempt_at: due } = await written();
    await retry(id);
    const after = await entry(id, ({ attempts }) => attempts.length === 2);
    expect(after).toMatchObject({ state: 'pending', result: '500', next_attempt_at: due });
  });

  test('of a delivered webhook is 409, because its payload is erased', async () => {
    const { id } = await written();
    const answer = await retry(id);
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('erased')]);
    expect(inbox.arrivals).toHaveLength(1);
  });

  test.each([crypto.randomUUID(), 'x', '%00', '..%2f'])('of %s, which is no delivery, is 404', async (id) => {
    const answer = await retry(id);
    expect([answer.status, answer.body]).toEqual([404, { detail: 'Delivery not found' }]);
  });
});

describe('a test of the webhook', () => {
  test("is signed with the channel's secret, and reports the endpoint's status but not its body", async () => {
    inbox.answerNext(418);
    const { status, body } = await ask('POST', '/webhook/test');
    const [arrival] = await inbox.next(1);
    expect([status, body]).toEqual([
      200,
      {
        success: false,
        delivery_id: arrival?.headers['x-webhook-id'],
        status_code: 418,
        duration_ms: expect.any(Number),
        error: 'status',
      },
    ]);
    expect(isSigned(arrival!, channel.webhookSecret)).toBe(true);
    expect(arrival?.event).toMatchObject({
      event: 'webhook.test',
      channel_id: channel.id,
      channel_type: 'pagechat',
      data: {},
    });
  });

  test('is in the log once it has ended, under its own id, and is never retried', async () => {
    inbox.answerNext(200, 500);
    const tests = [(await ask('POST', '/webhook/test')).body, (await ask('POST', '/webhook/test')).body];
    expect(tests.map(({ success }) => success)).toEqual([true, false]);
    const { deliveries } = (await log('?event=webhook.test')).body;
    const shown = (n: number, state: string, status: number) => ({
      id: tests[n].delivery_id,
      endpoint_id: null,
      event: 'webhook.test',
      message_id: tests[n].delivery_id,
      state,
      created_at: expect.any(String),
      attempts: [
        {
          at: expect.any(String),
          status_code: status,
          duration_ms: tests[n].duration_ms,
          error: tests[n].error,
        },
      ],
      next_attempt_at: null,
      result: String(status),
      can_retry: false,
      kept_until: null,
    });
    expect(deliveries).toEqual([shown(1, 'failed', 500), shown(0, 'delivered', 200)]);
    expect((await retry(tests[1].delivery_id)).status).toBe(409);
    expect((await log('?state=failed')).body.deliveries).toHaveLength(1);
    const messages = await world.service.call('GET', '/api/v1/messages', { key: channel.key });
    expect(messages.body.messages).toEqual([]);
  });

  test('without a webhook_url is 400', async () => {
    await world.service.call('PATCH', `/api/v1/channels/${channel.id}`, {
      key: channel.key,
      body: { webhook_url: null },
    });
    const answer = await ask('POST', '/webhook/test');
    expect([answer.status, answer.body]).toEqual([400, { detail: 'The channel has no webhook_url' }]);
  });

  test('is limited to ten a minute per account; then 429 with Retry-After', async () => {
    for (let n = 0; n < 10; n += 1) expect((await ask('POST', '/webhook/test')).status).toBe(200);
    const answer = await ask('POST', '/webhook/test');
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(inbox.arrivals).toHaveLength(10);
  });

  test('follows no redirect, like every delivery', async () => {
    inbox.answerNext(302);
    const { body } = await ask('POST', '/webhook/test');
    expect(body).toMatchObject({ success: false, status_code: 302, error: 'status' });
    expect(inbox.arrivals).toHaveLength(1);
  });
});
