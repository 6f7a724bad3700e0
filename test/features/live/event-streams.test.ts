/** [faults: 418, 419] The stream of live events for the portal's page. */
import { expect, test } from '@jest/globals';
import { newId } from '../../../src/kernel/ids.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';
import { envelope as envelopeOf, eventOf, missedOf, openedForTest, signaturesAs } from './support.ts';
import type { LiveFeedOptions } from '../../../src/features/live/feed.ts';

const { closeLater, served } = openedForTest();

async function streamServer(over: Partial<LiveFeedOptions> = {}) {
  const clock = new FakeClock();
  const sessions = new Map([['session-a', 'account-a']]);
  const { url, feed } = await served({
    clock,
    authenticate: async ({ by, secret }) => {
      const accountId = by === 'session' ? sessions.get(secret) : undefined;
      return accountId === undefined ? null : { accountId, mayRead: true };
    },
    streamSessionIn: ({ headers }) => headers.cookie ?? null,
    ...over,
  });
  return { url: `${url}/portal/live/events`, feed, clock, sessions };
}

interface Reader {
  status: number;
  headers: Headers;
  /** What has arrived. */
  text: () => string;
  isEnded: () => boolean;
}

async function read(url: string, headers: Record<string, string> = { cookie: 'session-a' }): Promise<Reader> {
  const leaving = new AbortController();
  closeLater(() => leaving.abort());
  const answer = await fetch(url, { headers, signal: leaving.signal });
  let [text, isEnded] = ['', false];
  const pour = async (): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of answer.body ?? []) text += decoder.decode(bytes, { stream: true });
  };
  void pour()
    .catch(() => undefined)
    .finally(() => (isEnded = true));
  return { status: answer.status, headers: answer.headers, text: () => text, isEnded: () => isEnded };
}

const arrived = (reader: Reader, part: string) => until(part, () => reader.text().includes(part));
/** The names of what arrived, with the id of each line's message. */
const heard = (reader: Reader): string[] =>
  [...reader.text().matchAll(/event: (\w+)\n(?:id: .*\n)?data: (.*)\n\n/g)].map(([, name = '', data = '']) =>
    name === 'line' ? String(JSON.parse(data).messageId) : name,
  );

test('[faults: 176] an event arrives with the time from which its reader goes on, and without what a person wrote or its signature', async () => {
  const { url, feed } = await streamServer();
  const reader = await read(url);
  expect([
    reader.status,
    reader.headers.get('content-type'),
    reader.headers.get('x-accel-buffering'),
  ]).toEqual([200, 'text/event-stream; charset=utf-8', 'no']);
  await arrived(reader, 'caught_up');
  expect([feed.hasSubscribers('account-a'), feed.hasSubscribers('account-b')]).toEqual([true, false]);
  const { envelope, ...event } = eventOf('m-1', 'sha256=s');
  const withText = { ...envelope, data: { ...envelope.data, type: 'text', text: 'secret words' } };
  feed.publish('account-b', eventOf('foreign'));
  feed.publish('account-a', { ...event, envelope: withText });
  await arrived(reader, 'm-1');
  expect(heard(reader)).toEqual(['caught_up', 'm-1']);
  expect(reader.text()).not.toMatch(/secret words|sha256=s|foreign/);
  const at = '2026-01-01T00:00:00.000Z';
  const line = { id: 'delivery of m-1', since: at, at, event: 'message.received', type: 'chatapp' };
  const said = JSON.stringify({ ...line, channelId: 'channel-1', messageId: 'm-1', words: 'text' });
  expect(reader.text()).toContain(`event: line\nid: ${at}\ndata: ${said}\n\n`);
});

test('a reader that connects again gets what it missed since its last event, not since its first', async () => {
  const asked: number[] = [];
  const { url } = await streamServer({
    async *missed(_accountId, since) {
      asked.push(since);
      const data = { message_id: 'm-1', type: 'text', text: 'secret words' };
      yield [
        missedOf('m-1', { envelope: { ...envelopeOf('m-1'), data }, signatures: signaturesAs('sha256=s') }),
      ];
    },
  });
  const at = '2026-01-01T00:00:00.000Z';
  const first = await read(`${url}?since=2025-01-01T00:00:00.000Z`);
  await arrived(first, 'caught_up');
  expect(heard(first)).toEqual(['catching_up', 'm-1', 'caught_up']);
  expect(first.text()).not.toMatch(/secret words|sha256=s/);
  const again = await read(`${url}?since=2025-01-01T00:00:00.000Z`, {
    cookie: 'session-a',
    'last-event-id': at,
  });
  await arrived(again, 'caught_up');
  expect(asked.map((since) => new Date(since).toISOString())).toEqual(['2025-01-01T00:00:00.000Z', at]);
});

test('an event that comes before what was missed does not move the place where its reader goes on', async () => {
  let goOn = (): void => undefined;
  const { url, feed } = await streamServer({
    async *missed() {
      await new Promise<void>((resolve) => (goOn = resolve));
      yield [missedOf('m-1')];
    },
  });
  const reader = await read(`${url}?since=2025-01-01T00:00:00.000Z`);
  await arrived(reader, 'catching_up');
  feed.publish('account-a', eventOf('m-2'));
  await arrived(reader, 'm-2');
  goOn();
  await arrived(reader, 'caught_up');
  expect(heard(reader)).toEqual(['catching_up', 'm-2', 'm-1', 'caught_up']);
  const ids = [...reader.text().matchAll(/id: (.*)/g)].map(([, id]) => id);
  expect(ids).toEqual(['2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z']);
});

test('a stream ends with its session, and with its node', async () => {
  const { url, clock, sessions, feed } = await streamServer();
  sessions.set('session-b', 'account-a');
  const [one, two] = [await read(url), await read(url, { cookie: 'session-b' })];
  await arrived(one, 'caught_up');
  await arrived(two, 'caught_up');
  sessions.delete('session-a');
  await clock.pass(5_000);
  await until('the end of the session', () => one.isEnded());
  expect(two.isEnded()).toBe(false);
  await feed.close();
  await until('the end of the node', () => two.isEnded());
  expect((await read(url, { cookie: 'session-b' })).status).toBe(503);
});

test('a quiet stream is kept open by what proxies see', async () => {
  const { url, clock } = await streamServer();
  const reader = await read(url);
  await arrived(reader, 'caught_up');
  for (let beat = 0; beat < 2; beat += 1) await clock.pass(20_000);
  await arrived(reader, ':\n\n:\n\n');
});

test('a session has four streams, an account twenty; one that ends makes room', async () => {
  const { url, sessions } = await streamServer();
  const own = await Promise.all(Array.from({ length: 4 }, () => read(url)));
  expect(own.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await read(url)).status).toBe(429);
  const others = Array.from({ length: 16 }, () => newId());
  for (const session of others) sessions.set(session, 'account-a');
  const statuses = await Promise.all(others.map(async (cookie) => (await read(url, { cookie })).status));
  expect(new Set(statuses)).toEqual(new Set([200]));
  sessions.set('one-more', 'account-a').set('session-b', 'account-b');
  expect((await read(url, { cookie: 'one-more' })).status).toBe(429);
  expect((await read(url, { cookie: 'session-b' })).status).toBe(200);
});

test('what is no request for a stream is refused', async () => {
  const { url } = await streamServer();
  expect((await read(url, {})).status).toBe(401);
  expect((await read(url, { cookie: 'unknown' })).status).toBe(401);
  expect((await read(`${url}?since=yesterday`)).status).toBe(422);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});
