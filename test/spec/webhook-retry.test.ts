/** [spec: Delivery and retry of webhooks; faults: 54, 56, 62, 64, 65, I4, I10] With a short retry schedule; the default is the real one. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Inbox, isSigned } from '../support/inbox.ts';
import type { Arrival } from '../support/inbox.ts';
import { listen } from '../support/listener.ts';
import { mailsOf, newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const delaysMs = [60, 120, 200, 200, 200, 200, 200];
/** Long enough that an answer on a busy machine is never mistaken for a timeout. */
const timeoutMs = 5_000;

const world = sharedWorld({
  WEBHOOK_RETRY_DELAYS_MS: delaysMs.join(','),
  WEBHOOK_TIMEOUT_MS: String(timeoutMs),
  WEBHOOK_DEADLINE_MS: '15000',
});
let inbox: Inbox;
let account: Account;
let channel: Channel;
// Each test has its own account, channel and receiver, because the service remembers a failing receiver.
beforeEach(async () => {
  inbox = await Inbox.open();
  ({ account, channel } = await connectTo(inbox.url));
});
afterEach(() => inbox.close());

async function connectTo(webhookUrl: string): Promise<{ account: Account; channel: Channel }> {
  const owner = await newAccount(world.service);
  const upstream = (await newBusiness(world.simulator)).pages[0]?.id ?? '';
  return { account: owner, channel: await world.connect(owner, 'pagechat', { upstream, webhookUrl }) };
}

const patch = (body: Record<string, unknown>) =>
  world.service.call('PATCH', `/api/v1/channels/${channel.id}`, { key: channel.key, body });

/** Makes a person write a text that occurs nowhere else. */
async function write(text = 'hello', to = channel): Promise<string> {
  const from = newPerson('pagechat');
  await world.write(to, { text, wait: true }, from);
  return from;
}

const attempts = (arrivals: readonly Arrival[]): number[] =>
  arrivals.map(({ headers }) => Number(headers['x-webhook-attempt']));

const pending = async (of = channel): Promise<number> =>
  (await world.service.admin('GET', `/channels/${of.id}`)).body.deliveries_pending;

const ended = (): Promise<true> => until('the delivery to end', async () => (await pending()) === 0);

const kindsOfMail = async (): Promise<string[]> =>
  (await mailsOf(world, account.accountId)).map(({ kind }) => kind);

describe('retries', () => {
  test.each([302, 307, 400, 401, 404, 410, 429, 500, 503])(
    '%i is retried until 2xx; same bytes, same id',
    async (status) => {
      inbox.answerNext(status);
      await write();
      const [first, second] = await inbox.next(2);
      expect(attempts(inbox.arrivals)).toEqual([1, 2]);
      expect(second?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
      expect(second?.headers['x-webhook-id']).toBe(first?.headers['x-webhook-id']);
      await ended();
      expect(inbox.arrivals).toHaveLength(2);
    },
  );

  test.each([200, 201, 204, 299])('%i is delivered: no retry', async (status) => {
    inbox.answerNext(status);
    await write();
    await inbox.next(1);
    await ended();
    expect(inbox.arrivals).toHaveLength(1);
  });

  test('a connection that is reset is retried', async () => {
    inbox.answerNext('reset');
    await write();
    await inbox.next(2);
    await ended();
    expect(attempts(inbox.arrivals)).toEqual([1, 2]);
  });

  test('an endpoint that has not answered within the time is retried; its slot is free again at once', async () => {
    inbox.answerNext('hang');
    await write();
    const [first, second] = await inbox.next(2);
    const gapMs = (second?.at ?? 0) - (first?.at ?? 0);
    // On a busy machine, the test may see the first POST late.
    expect(gapMs).toBeGreaterThanOrEqual(timeoutMs);
    await ended();
    expect(inbox.arrivals).toHaveLength(2);
  });

  test('the final status within the time limit decides: a 2xx whose body never ends is delivered', async () => {
    let calls = 0;
    const slow = await listen((_, response) => {
      calls += 1;
      response.writeContinue();
      response.writeHead(200);
      response.write('thinking');
    });
    await patch({ webhook_url: slow.url });
    await write();
    await ended();
    expect(calls).toBe(1);
    await slow.close();
  });

  test('an unreachable endpoint is retried, and gets the event once it is reachable', async () => {
    const { port } = new URL(inbox.url);
    await inbox.close();
    await write();
    inbox = await Inbox.open(Number(port));
    const [arrival] = await inbox.next(1);
    expect(Number(arrival?.headers['x-webhook-attempt'])).toBeGreaterThan(1);
  });

  test('a redirect is not followed', async () => {
    const target = await Inbox.open();
    let calls = 0;
    const redirecting = await listen((_, response) => {
      calls += 1;
      response.writeHead(calls === 1 ? 307 : 200, { location: target.url }).end();
    });
    await patch({ webhook_url: redirecting.url });
    await write();
    await ended();
    expect([calls, target.arrivals.length]).toEqual([2, 0]);
    await redirecting.close();
    await target.close();
  });
});

/** A line about a delivery; the lines before them say what to do. */
const isOfADelivery = (line: string): boolean => line.includes('no more attempts');

describe('an endpoint that fails permanently', () => {
  test('gets 8 attempts on the schedule, a warning after the 3rd and one alert', async () => {
    const text = 'words-that-must-not-stay-4711';
    inbox.answerAlways(500);
    await write(text);
    await inbox.next(3);
    await until('the warning', async () => (await kindsOfMail()).includes('webhook-warning'));
    const warnedAfter = inbox.arrivals.length;
    await inbox.next(8);
    await ended();
    expect(attempts(inbox.arrivals)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(warnedAfter).toBeLessThan(8);
    expect(new Set(inbox.arrivals.map(({ raw }) => raw.toString())).size).toBe(1);
    expect(new Set(inbox.arrivals.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1);
    for (const [retry, delayMs] of delaysMs.entries()) {
      const gapMs = (inbox.arrivals[retry + 1]?.at ?? 0) - (inbox.arrivals[retry]?.at ?? 0);
      expect(gapMs).toBeGreaterThanOrEqual(delayMs - 5); // a loaded machine is late, never early
    }
    expect((await kindsOfMail()).toSorted()).toEqual(['webhook-alert', 'webhook-warning']);
    const [alert] = (await mailsOf(world, account.accountId)).filter(({ kind }) => kind === 'webhook-alert');
    expect(alert?.lines.filter(isOfADelivery)).toHaveLength(1);
    expect(JSON.stringify(await mailsOf(world, account.accountId))).not.toContain(text);
  });

  test('several deliveries that fail have a line each in the alerts', async () => {
    inbox.answerAlways(500);
    await Promise.all([write(), write(), write()]);
    await until('the deliveries', async () => (await pending()) === 3);
    await ended();
    const alerts = (await mailsOf(world, account.accountId)).filter(({ kind }) => kind === 'webhook-alert');
    expect(alerts.flatMap(({ lines }) => lines.filter(isOfADelivery))).toHaveLength(3);
  });
});

describe('settings are read at each attempt', () => {
  test('the retry is signed with the rotated secret', async () => {
    inbox.answerNext('hang'); // time for the change, on a busy machine too
    await write();
    const [first] = await inbox.next(1);
    expect((await patch({ webhook_secret: 'rotated-between-attempts' })).status).toBe(200);
    const last = (await inbox.next(2)).at(-1);
    expect(first !== undefined && isSigned(first, channel.webhookSecret)).toBe(true);
    expect(last !== undefined && isSigned(last, 'rotated-between-attempts')).toBe(true);
    expect(last?.raw.equals(first?.raw ?? Buffer.alloc(0))).toBe(true);
  });

  test('the retry goes to the changed webhook_url', async () => {
    const other = await Inbox.open();
    inbox.answerAlways(500);
    await write();
    await inbox.next(1);
    await patch({ webhook_url: other.url });
    const [arrival] = await other.next(1);
    expect(Number(arrival?.headers['x-webhook-attempt'])).toBeGreaterThan(1);
    await ended();
    await other.close();
  });

  test('an event that is disabled meanwhile is not retried', async () => {
    inbox.answerAlways(500);
    await write();
    await inbox.next(1);
    await patch({ webhook_events: [] });
    await ended();
    expect(inbox.arrivals.length).toBeLessThan(8);
    expect(await kindsOfMail()).not.toContain('webhook-alert');
  });
});

describe('a receiver that recovers', () => {
  test('gets everything: each event is answered 2xx exactly once', async () => {
    inbox.answerAlways(503);
    const people = await Promise.all(Array.from({ length: 40 }, () => write()));
    await until('40 pending', async () => (await pending()) === 40);
    inbox.answerAlways(200);
    await ended();
    const delivered = inbox.arrivals.filter(({ answered }) => answered === 200);
    expect(delivered).toHaveLength(40);
    expect(new Set(delivered.map(({ event }) => event.data['from']))).toEqual(new Set(people));
    expect(await kindsOfMail()).not.toContain('webhook-alert');
  });
});

describe('a dead receiver of one channel', () => {
  test("does not delay another channel, whose events arrive while all of the first one's wait", async () => {
    inbox.answerAlways('hang');
    const healthy = await connectTo(world.inbox.url);
    await Promise.all(Array.from({ length: 60 }, () => write()));
    for (let n = 0; n < 20; n += 1) {
      const from = await write('hello', healthy.channel);
      expect(await world.inbox.next(1, ({ event }) => event.data['from'] === from)).toHaveLength(1);
    }
    expect(await pending()).toBeGreaterThan(0);
    inbox.answerAlways(200);
  });
});
