/** [operator-interface §4, live feed after a reconnect] */
import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { makeLog } from '../../../src/kernel/log.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { until } from '../../support/until.ts';
import {
  envelope,
  eventOf,
  heardUntilCaughtUp,
  missedOf,
  next,
  openedForTest,
  signaturesAs,
  stalledSubscriber,
} from './support.ts';
import type { MissedEvent } from '../../../src/features/deliveries/missed.ts';

const { closeLater, served, client } = openedForTest();

const since = '2026-01-01T00:00:00.000Z';
const back = (url: string, apiKey = 'key-a', at: unknown = since) =>
  client(url, apiKey, { auth: { apiKey, since: at } });
const content = (id: string) => ({ envelope: envelope(id), signatures: signaturesAs('sha256=s') });

/** A log with these pages; records the queries. */
function logOf(...pages: MissedEvent[][]) {
  const asked: [accountId: string, since: number][] = [];
  async function* missed(accountId: string, from: number): AsyncGenerator<MissedEvent[]> {
    asked.push([accountId, from]);
    yield* pages;
  }
  return { asked, missed };
}

describe('a subscriber that reconnects', () => {
  test('gets pending events as events, ended ones as log entries, and then the end of the catch-up', async () => {
    const { asked, missed } = logOf([missedOf('m1'), missedOf('m2', content('m2'))], [missedOf('m3')]);
    const { url } = await served({ missed });
    const socket = back(url);
    const [event, entry] = [next(socket, 'event'), next(socket, 'logged')];
    expect(await heardUntilCaughtUp(socket)).toEqual([
      'catching_up',
      'delivered m1',
      'event m2',
      'delivered m3',
    ]);
    expect(asked).toEqual([['account-a', Date.parse(since)]]);
    const at = '2026-01-01T00:00:00.000Z';
    expect(await event).toEqual([
      envelope('m2'),
      {
        webhook_id: 'delivery of m2',
        signature: 'sha256=s',
        webhook_timestamp: 1_767_225_600,
        webhook_signature: 'v1,sha256=s',
        at,
      },
    ]);
    expect(await entry).toEqual([
      {
        webhook_id: 'delivery of m1',
        event: 'message.received',
        channel_id: 'channel-1',
        channel_type: 'chatapp',
        message_id: 'm1',
        state: 'delivered',
        created_at: at,
      },
    ]);
  });

  test('misses no event that happens during the catch-up', async () => {
    let goOn = (): void => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    const { url, feed } = await served({
      async *missed() {
        yield [missedOf('old')];
        await held;
      },
    });
    const socket = back(url);
    const heard = heardUntilCaughtUp(socket);
    await next(socket, 'logged');
    feed.publish('account-a', eventOf('new'));
    await next(socket, 'event');
    goOn();
    expect(await heard).toEqual(['catching_up', 'delivered old', 'event new']);
  });

  test('for the first time has missed nothing, and gets its starting time', async () => {
    const { asked, missed } = logOf([missedOf('m1')]);
    const { url } = await served({ missed });
    const socket = client(url, 'key-a');
    const [caughtUp] = await next(socket, 'caught_up');
    expect([caughtUp, asked]).toEqual([{ at: expect.stringMatching(/^\d{4}-.*Z$/) }, []]);
  });

  test.each([['yesterday'], [5], [{}], ['x'.repeat(50)]])(
    'with an invalid time (%j) is refused',
    async (at) => {
      const { url } = await served();
      const [error] = await next(back(url, 'key-a', at), 'connect_error');
      expect(error).toMatchObject({ data: { code: 'bad_since' } });
    },
  );

  test('is disconnected if the log cannot be read, so that it reconnects with the same time', async () => {
    const lines: string[] = [];
    const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) });
    const { url } = await served({
      log,
      // eslint-disable-next-line require-yield
      async *missed() {
        throw new Error('store away');
      },
    });
    const socket = back(url);
    expect((await next(socket, 'disconnect'))[0]).toMatch(/^transport/);
    expect(lines).toEqual(['live.not-caught-up']);
  });
});

const big = {
  ...content('m'),
  envelope: { ...envelope('m'), data: { message_id: 'm', text: 'x'.repeat(10_000) } },
};

describe('bounds [faults: I11]', () => {
  test('a subscriber that does not read is waited for: a week of log entries is never in memory', async () => {
    let read = 0;
    const page = Array.from({ length: 100 }, (_, count) => missedOf(`m${count}`, big));
    const { url, port } = await served({
      async *missed() {
        for (; read < 50; read += 1) yield page;
      },
    });
    const slow = await stalledSubscriber(port, 'key-a', since);
    closeLater(() => slow.destroy());
    const quick = back(url, 'key-b');
    await until('the slow one to be waited for', () => read > 0);
    await heardUntilCaughtUp(quick);
    expect(read).toBe(50);
    slow.resume();
    await once(slow, 'data');
  });

  test('subscribers that do not read block others only briefly: they are disconnected, and may reconnect [faults: 178]', async () => {
    const clock = new FakeClock();
    const page = Array.from({ length: 100 }, (_, count) => missedOf(`m${count}`, big));
    const { url, port, keys } = await served({
      clock,
      async *missed(accountId) {
        for (let read = 0; read < (accountId === 'account-a' ? 1 : 50); read += 1) yield page;
      },
    });
    const slow = await Promise.all(
      Array.from({ length: 4 }, async (_, n) => {
        keys.set(`slow-${n}`, `slow-${n}`);
        return stalledSubscriber(port, `slow-${n}`, since);
      }),
    );
    for (const each of slow) closeLater(() => each.destroy());
    const quick = back(url);
    let heard: string[] | null = null;
    void heardUntilCaughtUp(quick).then((all) => (heard = all));
    await until('the one that reads to catch up', async () => {
      await clock.pass(1_000);
      return heard !== null;
    });
    expect(heard).toHaveLength(101);
  });

  test('an account catches up one connection at a time', async () => {
    let running = 0;
    let most = 0;
    const { url } = await served({
      async *missed() {
        running += 1;
        most = Math.max(most, running);
        yield [missedOf('m1')];
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      },
    });
    await Promise.all(Array.from({ length: 8 }, () => heardUntilCaughtUp(back(url))));
    expect([most, running]).toEqual([1, 0]);
  });
});
