/** [operator-interface §3: Additive paths; §4: content of given-up events] Failed deliveries are kept, replayed, and erased. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Inbox } from '../support/inbox.ts';
import { newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { checkWebhooksAndClose } from '../support/events.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const dayMs = 86_400_000;
const longAgo = '2020-01-01T00:00:00Z';
let world: World;
let inbox: Inbox;
let channel: Channel;
beforeAll(async () => {
  world = await World.open({ WEBHOOK_RETRY_DELAYS_MS: '20,20', WEBHOOK_DEADLINE_MS: '60000' });
});
afterAll(() => checkWebhooksAndClose(world));
beforeEach(async () => {
  inbox = await Inbox.open();
  const account = await newAccount(world.service);
  const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
  channel = await world.connect(account, 'pagechat', { upstream, webhookUrl: inbox.url });
  await keepFor(7);
});
afterEach(() => inbox.close());

const ask = (method: string, path: string, body?: unknown) =>
  world.service.call(method, `/api/v1/channels/${channel.id}${path}`, { key: channel.key, body });
const keepFor = (failed_retention_days: number) => ask('PATCH', '', { failed_retention_days });
const failed = async () => (await ask('GET', '/deliveries?state=failed')).body;
const replay = (body: unknown = { since: longAgo }) => ask('POST', '/deliveries/replay', body);
const idsPosted = () => inbox.arrivals.map(({ headers }) => String(headers['x-webhook-id']));

/** Makes this many events, one after another, whose deliveries all fail; returns their ids, the oldest first. */
async function givenUp(count: number): Promise<string[]> {
  const before: number = (await failed()).total;
  inbox.answerAlways(503);
  for (let n = 0; n < count; n += 1)
    await world.write(channel, { text: `hello ${n}`, wait: true }, newPerson('pagechat'));
  const { deliveries } = await until('all to be given up', async () => {
    const found = await failed();
    return found.total === before + count ? found : null;
  });
  inbox.answerAlways(200);
  return deliveries
    .map(({ id }: { id: string }) => id)
    .toReversed()
    .slice(before);
}

const allDelivered = () =>
  until('nothing to be failed or pending', async () => {
    const { deliveries } = (await ask('GET', '/deliveries')).body;
    return deliveries.every(({ state }: { state: string }) => state === 'delivered') ? deliveries : null;
  });

describe('a failed delivery', () => {
  test('can be replayed for as many days as the channel asks for; `state=failed` lists it', async () => {
    const [id] = await givenUp(1);
    const [shown] = (await failed()).deliveries;
    expect(shown).toMatchObject({ id, state: 'failed', can_retry: true, next_attempt_at: null });
    const last = shown.attempts.at(-1);
    const endedAt = Date.parse(last.at) + last.duration_ms;
    expect(Date.parse(shown.kept_until) - 7 * dayMs - endedAt).toBeLessThan(60_000);
  });

  test('is erased with 0 days, when the days are lowered to 0, and with the channel', async () => {
    await keepFor(0);
    const [first] = await givenUp(1);
    await keepFor(7);
    const [, second] = [first, ...(await givenUp(1))];
    const kept = async () =>
      (await failed()).deliveries.map((each: { id: string; can_retry: boolean }) => [
        each.id,
        each.can_retry,
      ]);
    expect(await kept()).toEqual([
      [second, true],
      [first, false],
    ]);
    expect((await ask('POST', `/deliveries/${first}/retry`)).status).toBe(409);
    await keepFor(0);
    expect(await kept()).toEqual([
      [second, false],
      [first, false],
    ]);
    expect((await replay()).body).toEqual({ replaying: 0 });
    await keepFor(7);
    const [third] = await givenUp(1);
    await ask('DELETE', '');
    expect((await kept())[0]).toEqual([third, false]);
  });

  test('is retried by hand with the same id and bytes, and its attempts start again', async () => {
    const [id] = await givenUp(1);
    const [before] = inbox.arrivals;
    inbox.answerNext(503);
    expect((await ask('POST', `/deliveries/${id}/retry`)).status).toBe(200);
    await allDelivered();
    const [first, second] = inbox.arrivals.slice(-2);
    expect([first, second].map((each) => each?.headers['x-webhook-attempt'])).toEqual(['1', '2']);
    expect([first, second].map((each) => each?.headers['x-webhook-id'])).toEqual([id, id]);
    expect(second?.raw).toEqual(before?.raw);
    expect((await ask('POST', `/deliveries/${id}/retry`)).status).toBe(409);
  });
});

describe('POST /api/v1/channels/{channel_id}/deliveries/replay', () => {
  test('replays all, in the order of the events, each once, also if it is requested twice at once', async () => {
    const ids = await givenUp(5);
    const before = inbox.arrivals.length;
    const both = await Promise.all([replay(), replay()]);
    expect(both.map(({ status }) => status)).toEqual([202, 202]);
    expect(both[0]?.body).toEqual({ replaying: 5 });
    await allDelivered();
    expect(idsPosted().slice(before).toSorted()).toEqual(ids.toSorted());
    const { replay: progress } = await until('the replay to end', async () => {
      const found = (await ask('GET', '/deliveries')).body;
      return found.replay.is_running ? null : found;
    });
    const begun = progress.total;
    expect(progress).toEqual({ total: begun, begun, is_running: false, asked_at: expect.any(String) });
  });

  test('replays those that failed since and until a time, of some event types', async () => {
    const [first] = await givenUp(1);
    await until(
      'the clock to have moved',
      async () => new Date().toISOString() > (await failed()).deliveries[0].attempts.at(-1).at,
    );
    const between = new Date(Date.now() + 1).toISOString();
    await until('the time to be over', async () => new Date().toISOString() > between);
    const [second] = await givenUp(1);
    expect((await replay({ since: between, events: ['message.read'] })).body).toEqual({ replaying: 0 });
    const afterwards = new Date(Date.now() + 1).toISOString();
    expect((await replay({ since: afterwards })).body).toEqual({ replaying: 0 });
    expect((await replay({ since: longAgo, until: between, events: ['message.received'] })).body).toEqual({
      replaying: 1,
    });
    await until('the first to arrive', () => idsPosted().at(-1) === first);
    expect((await replay({ since: between, until: null })).body).toEqual({ replaying: 1 });
    await until('the second to arrive', () => idsPosted().at(-1) === second);
    await allDelivered();
  });

  test('a replayed delivery that fails again is kept again, and not replayed a second time', async () => {
    const ids = await givenUp(2);
    inbox.answerAlways(503);
    const before = inbox.arrivals.length;
    expect((await replay()).body).toEqual({ replaying: 2 });
    await until('all attempts anew', () => inbox.arrivals.length === before + 6);
    const again = await until('both to be given up again', async () => {
      const { deliveries, replay: progress } = await failed();
      return deliveries.length === 2 && !progress.is_running ? deliveries : null;
    });
    expect(again.map(({ id, can_retry }: { id: string; can_retry: boolean }) => [id, can_retry])).toEqual(
      ids.toReversed().map((id) => [id, true]),
    );
    expect(inbox.arrivals).toHaveLength(before + 6);
    inbox.answerAlways(200);
    expect((await replay()).body).toEqual({ replaying: 2 });
    await allDelivered();
  });

  test.each([
    [{}, ['body', 'since'], 'missing'],
    [{ since: 'yesterday' }, ['body', 'since'], 'value_error'],
    [{ since: longAgo, until: 7 }, ['body', 'until'], 'string_type'],
    [{ since: longAgo, events: ['message.unknown'] }, ['body', 'events', 0], 'enum'],
  ])('%j is 422', async (body, loc, type) => {
    const answer = await replay(body);
    expect([answer.status, answer.body.detail]).toEqual([422, [{ loc, msg: expect.any(String), type }]]);
  });

  test('without a webhook_url it is 409', async () => {
    await givenUp(1);
    await ask('PATCH', '', { webhook_url: null });
    expect((await replay()).status).toBe(409);
  });
});
