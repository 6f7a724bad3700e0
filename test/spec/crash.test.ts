/** [faults: 1-5, 63, I1-I5] kill -9 at the worst moments, restart on the same data: nothing accepted is lost. */
import { afterAll, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { findings, KillableService, trySend } from '../support/crash.ts';
import { ledger, newPerson } from '../support/sends.ts';
import { everythingStored } from '../support/stored.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

let killable: KillableService;
let chatapp: Channel;
beforeAll(async () => {
  killable = await KillableService.open({
    SEND_QUEUED_AFTER_MS: '2000',
    // Longer than a restart on a busy machine: a send that is confirmed after the restart must not be resent before.
    SEND_RESEND_AFTER_MS: '12000',
    SEND_GIVE_UP_AFTER_MS: '60000',
    WEBHOOK_RETRY_DELAYS_MS: '1000,1000,1000,1000,1000,1000,1000',
  });
  chatapp = await killable.world.connected('chatapp');
});
afterAll(() => killable.close());
// Each test scripts upstream and the receiver anew.
beforeEach(async () => {
  await call('DELETE', `${killable.simulator.url}/control/faults`);
  killable.inbox.answerAlways(200);
  killable.inbox.clear();
});

test('kill -9 in the middle of 200 concurrent sends', async () => {
  await killable.simulator.control('faults', {
    match: { kind: 'chatapp' },
    act: 'ok',
    delay_ms: 30,
    times: 0,
  });
  let answered = 0;
  const sends = Array.from({ length: 200 }, async (_, n) => {
    const ended = await trySend(killable.world, chatapp, newPerson('chatapp'), `text ${n}`);
    answered += 1;
    return ended;
  });
  await until('a third to be answered', () => answered >= 60);
  await killable.kill();
  const ended = await Promise.all(sends);
  // The kill hit in the middle: some sends were answered, some were not.
  expect(ended.map(({ status }) => status)).toEqual(expect.arrayContaining(['sent', 'gone']));
  await killable.restart();
  await killable.settled(chatapp);
  expect(await findings(killable, ended, 'message.sent')).toEqual([]);
});

test('kill -9 while upstream holds its answers: a send is confirmed by a status with one copy, or resent once if no status comes', async () => {
  const told = Array.from({ length: 10 }, () => newPerson('chatapp'));
  const silent = Array.from({ length: 10 }, () => newPerson('chatapp'));
  const hang = { act: 'hang', times: 1 };
  for (const recipient of told) await killable.simulator.control('faults', { match: { recipient }, ...hang });
  for (const recipient of silent)
    await killable.simulator.control('faults', { match: { recipient }, ...hang, silent: true });
  // Upstream's webhooks are held until the service runs again.
  await killable.simulator.control('webhooks/hold', {});
  const sends = [...told, ...silent].map((recipient) => trySend(killable.world, chatapp, recipient, 'held'));
  for (const recipient of [...told, ...silent])
    expect(await ledger(killable.simulator, { recipient, wait_ms: 10_000 })).toHaveLength(1);
  await killable.kill();
  const ended = await Promise.all(sends);
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 'gone'));
  await killable.restart();
  await killable.simulator.control('webhooks/flush', {});
  await killable.settled(chatapp);
  expect(await findings(killable, ended, 'message.sent')).toEqual([]);
  const copies = async (recipient: string): Promise<number> =>
    (await ledger(killable.simulator, { recipient })).length;
  expect(await Promise.all(told.map(copies))).toEqual(told.map(() => 1));
  expect(await Promise.all(silent.map(copies))).toEqual(silent.map(() => 2));
});

test('kill -9 before the answer to a send with an Idempotency-Key: a retry after the restart answers its message_id', async () => {
  const recipient = newPerson('chatapp');
  await killable.simulator.control('faults', { match: { recipient }, act: 'hang', times: 1 });
  await killable.simulator.control('webhooks/hold', {});
  const body = { channel_id: chatapp.id, recipient, text: 'once' };
  const headers = { 'idempotency-key': 'order-of-the-crash' };
  const post = () =>
    killable.process.call('POST', '/api/v1/messages/send', { key: chatapp.key, body, headers });
  const unanswered = post().catch(() => null);
  expect(await ledger(killable.simulator, { recipient, wait_ms: 10_000 })).toHaveLength(1);
  await killable.kill();
  expect(await unanswered).toBeNull();
  await killable.restart();
  const retries = await Promise.all([post(), post()]);
  const [first] = retries;
  expect(retries.map(({ status, body: each }) => [status, each])).toEqual([
    [200, { success: true, message_id: expect.any(String), error: null, status: 'queued' }],
    [200, first?.body],
  ]);
  await killable.simulator.control('webhooks/flush', {});
  await killable.settled(chatapp);
  expect((await post()).body).toEqual(first?.body);
  expect(await ledger(killable.simulator, { recipient })).toHaveLength(1);
});

test('kill -9 while webhooks wait for their retry: they are stored encrypted, then each is delivered with the same bytes', async () => {
  killable.inbox.answerAlways(503);
  const text = 'words-that-must-be-sealed-4713';
  const people = Array.from({ length: 30 }, () => newPerson('chatapp'));
  for (const from of people) await killable.world.write(chatapp, { text, wait: true }, from);
  await killable.inbox.next(30);
  await killable.kill();
  const stored = await everythingStored(killable.env['DATA_DIR'] ?? '');
  expect([stored.includes(chatapp.id), stored.includes(text)]).toEqual([true, false]);
  const bytes = new Map(killable.inbox.arrivals.map(({ headers, raw }) => [headers['x-webhook-id'], raw]));
  killable.inbox.answerAlways(200);
  await killable.restart();
  await killable.settled(chatapp);
  const delivered = killable.inbox.arrivals.filter(({ answered }) => answered === 200);
  expect(new Set(delivered.map(({ event }) => event.data['from']))).toEqual(new Set(people));
  for (const { headers, raw } of delivered)
    expect(bytes.get(headers['x-webhook-id'])?.equals(raw) ?? true).toBe(true);
  expect(killable.maxPosts()).toBeLessThanOrEqual(2);
});

test('kill -9 in the middle of an ingest storm: every webhook of upstream that was answered 200 is delivered', async () => {
  const people = Array.from({ length: 400 }, () => newPerson('chatapp'));
  const writing = people.map((from, n) => killable.world.write(chatapp, { text: `storm ${n}` }, from));
  await killable.inbox.next(100);
  await killable.kill();
  await Promise.all(writing);
  const before = killable.inbox.arrivals.length;
  expect(before).toBeLessThan(400);
  await killable.restart();
  await killable.settled(chatapp);
  const { webhooks_given_up: givenUp } = await killable.simulator.control('sends/summary');
  expect(givenUp).toBe(0);
  expect(new Set(killable.inbox.arrivals.map(({ event }) => event.data['from']))).toEqual(new Set(people));
  expect(killable.maxPosts()).toBeLessThanOrEqual(2);
});
