/** The metrics for operators: names by convention, labels with few values. [operator-interface §5] */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ChannelJournal } from '../../src/storage/journal/channel-journal.ts';
import type { WebhookResult } from '../../src/rules/outside.ts';
import type { Write } from '../../src/storage/journal/writes.ts';
import { makeMetrics } from '../../src/app/metrics/index.ts';
import {
  instrumentFiles,
  instrumentJobs,
  instrumentPosts,
  instrumentSends,
  instrumentStore,
} from '../../src/app/metrics/instrument.ts';
import { makeInProcessJobs } from '../../src/jobs/in-process.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { canceledResult } from '../../src/rules/webhooks/delivery.ts';
import { FencedError, StoreUnavailable } from '../../src/kernel/faults.ts';
import { silentLog } from '../support/silent-log.ts';
import { joinFigures, metricTable } from '../../src/kernel/metrics.ts';
import { settingsOf } from '../actors/support/turns.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';
import { World, person } from '../support/world.ts';
import { samplesOf, sumOf } from './prometheus.ts';

const file = { mediaId: 'm', url: null, mimeType: null, filename: null, sha256: null, voice: false };
const fresh = () => makeMetrics();
const seriesOf = async (metrics: ReturnType<typeof fresh>) => samplesOf((await metrics.text()).body);

describe('the table of metrics', () => {
  const rows = Object.entries(metricTable);

  test('counters end in _total and nothing else does, distributions end in _seconds', () => {
    const endings = { counter: /_total$/, histogram: /_seconds$/, gauge: /(?<!_total)$/ };
    expect(rows.filter(([name, { kind }]) => !endings[kind].test(name)).map(([name]) => name)).toEqual([]);
  });

  test('no label can name one channel, account, message, person or address', () => {
    const labels = rows.flatMap(([, row]) => ('labels' in row ? [...row.labels] : []));
    expect([...new Set(labels)].toSorted()).toEqual([
      'answer',
      'channel_type',
      'code',
      'error',
      // Of upstream's files: settings list them, and others are counted together.
      'host',
      'kind',
      'listener',
      'name',
      'outcome',
      'reason',
      'result',
      'route',
      'source',
      'status',
      'why',
    ]);
  });

  test('every metric exists before anything has happened', async () => {
    const { body } = await fresh().text();
    const typed = [...body.matchAll(/^# TYPE trunkline_(.+)$/gm)].map(([, said = '']) => said);
    expect(typed.toSorted()).toEqual(rows.map(([name, { kind }]) => `${name} ${kind}`).toSorted());
  });
});

test('a duration is counted in the buckets of its row', async () => {
  const metrics = fresh();
  metrics.observe('delivery_end_to_end_seconds', 700);
  metrics.observe('upstream_call_seconds', 0.002);
  const series = await seriesOf(metrics);
  const below = (name: string, le: string) => sumOf(series, `${name}_bucket`, { le });
  expect([below('delivery_end_to_end_seconds', '300'), below('delivery_end_to_end_seconds', '1200')]).toEqual(
    [0, 1],
  );
  expect([below('upstream_call_seconds', '0.001'), below('upstream_call_seconds', '0.0025')]).toEqual([0, 1]);
});

test('a gauge that is no longer set is 0, not its last value [faults: 162]', async () => {
  const metrics = fresh();
  let channels = 1;
  metrics.gauges(() => (channels === 0 ? {} : { deliveries_pending: 41_340 }));
  expect(sumOf(await seriesOf(metrics), 'deliveries_pending')).toBe(41_340);
  channels = 0;
  expect(sumOf(await seriesOf(metrics), 'deliveries_pending')).toBe(0);
});

describe('ten thousand channels make no more series than one [faults: I11]', () => {
  const channels = Array.from({ length: 10_000 }, (_, index) => `channel-${index}`);
  const labelsAre = async (metrics: ReturnType<typeof fresh>) => (await seriesOf(metrics)).length;

  test('sends, webhooks, files and commits', async () => {
    const metrics = fresh();
    const measuring = { metrics, clock };
    const sends = instrumentSends(
      { send: async () => ({ outcome: 'accepted', upstreamId: 'u' }) },
      measuring,
    );
    const posts = instrumentPosts(
      { post: async () => ({ ok: false, status: null, reason: 'timeout' }) },
      measuring,
    );
    const files = instrumentFiles(
      { fetch: async () => ({ outcome: 'failed', error: 'gone', mayPass: false }) },
      measuring,
    );
    const store = instrumentStore(
      storeThat(async (writes) => writes.map(() => ({ applied: true }))),
      measuring,
    );
    const touch = async (channelId: string): Promise<void> => {
      const { channel } = settingsOf({ channel: { id: channelId } });
      const content = { type: 'text', text: 'hello' } as const;
      await sends.send({ channel, messageId: channelId, recipient: channelId, content, timeoutMs: 1 });
      const post = { deliveryId: channelId, attempt: 1, since: 0, isFailing: false, body: new Uint8Array() };
      await posts.post({
        ...post,
        channelId,
        url: `https://${channelId}.example`,
        secret: null,
      });
      await files.fetch({ channel, type: 'image', file }, new AbortController().signal);
      const write: Write = { write: 'recordUnknown', messageId: channelId };
      await store.commit(channelId, 1, [write]);
    };
    await touch('the first');
    const before = await labelsAre(metrics);

    for (const channelId of channels) await touch(channelId);

    expect(await labelsAre(metrics)).toBe(before);
    expect(sumOf(await seriesOf(metrics), 'upstream_sends_total', { outcome: 'accepted' })).toBe(10_001);
    expect(sumOf(await seriesOf(metrics), 'delivery_attempts_total', { result: 'timeout' })).toBe(10_001);
  });

  test('a label with ids nevertheless: the first few values, then all others together', async () => {
    const metrics = fresh();
    for (const kind of channels) metrics.increment('mails_total', { kind, outcome: 'sent' });
    const samples = (await seriesOf(metrics)).filter(({ name }) => name === 'trunkline_mails_total');
    expect(samples.length).toBeLessThanOrEqual(401);
    expect(sumOf(samples, 'mails_total')).toBe(10_000);
    expect(sumOf(samples, 'mails_total', { kind: 'other' })).toBe(9_600);
  });

  test('a status of a route beyond the bound of series is counted nevertheless, because alerts look for 500', async () => {
    const metrics = fresh();
    for (const route of channels) metrics.increment('http_requests_total', { route, status: '200' });
    metrics.increment('http_requests_total', { route: 'late', status: '500' });
    const samples = (await seriesOf(metrics)).filter(({ name }) => name === 'trunkline_http_requests_total');
    expect(sumOf(samples, 'http_requests_total', { route: 'other', status: '500' })).toBe(1);
    expect(samples.length).toBe(402);
  });

  test('a second label with ids: all values together', async () => {
    const metrics = fresh();
    for (const status of channels) metrics.increment('http_requests_total', { route: status, status });
    const samples = (await seriesOf(metrics)).filter(({ name }) => name === 'trunkline_http_requests_total');
    expect(samples.length).toBe(451);
    expect(sumOf(samples, 'http_requests_total')).toBe(10_000);
  });

  test.each(['"} 1\nevil 1', 'a b', 'x'.repeat(81), '\u0000'])('an invalid label value: %j', async (kind) => {
    const metrics = fresh();
    metrics.increment('mails_total', { kind, outcome: 'sent' });
    expect(sumOf(await seriesOf(metrics), 'mails_total', { kind: 'other', outcome: 'sent' })).toBe(1);
  });
});

describe('a failed commit is counted by its reason, a successful one by what it wrote', () => {
  test.each([
    [new FencedError('x'), 'fenced'],
    [new StoreUnavailable('x'), 'unavailable'],
    [new Error('x'), 'other'],
  ])('%p', async (error, word) => {
    const metrics = fresh();
    const store = instrumentStore(
      storeThat(() => Promise.reject(error)),
      { metrics, clock },
    );
    await expect(store.commit('c', 1, [])).rejects.toBe(error);
    expect(sumOf(await seriesOf(metrics), 'store_errors_total', { error: word })).toBe(1);
  });

  test('a write that did not apply is not counted', async () => {
    const metrics = fresh();
    const store = instrumentStore(
      storeThat(async () => [{ applied: false }]),
      { metrics, clock },
    );
    await store.commit('c', 1, [{ write: 'recordUnknown', messageId: 'm' }]);
    expect(sumOf(await seriesOf(metrics), 'sends_recorded_total')).toBe(0);
  });
});

test('a failed delivery is counted once that is stored, and taken back when it is replayed', async () => {
  const time = new FakeClock();
  const gaveUp: [string, number, number][] = [];
  const attempt = { attempts: 8, firstTriedAt: 1, nextDueAt: 2, lastResult: '500', attemptLog: null };
  const ends = (['failed', 'delivered', 'pending'] as const).map((state): Write => ({
    write: 'recordAttempt',
    deliveryId: state,
    attempt: { ...attempt, state },
  }));
  let applied = false;
  const store = instrumentStore(
    storeThat(async (writes) => writes.map(() => ({ applied }))),
    { metrics: fresh(), clock: time, gaveUp: (...counted) => gaveUp.push(counted) },
  );
  await store.commit('c', 1, ends);
  expect(gaveUp).toEqual([]);
  applied = true;
  await store.commit('c', 1, ends);
  expect(gaveUp).toEqual([['c', time.now(), 1]]);
  const kept = { keptSince: 7, keptBytes: 1 };
  await store.commit('c', 1, [
    { write: 'recordAttempt', deliveryId: 'kept', attempt: { ...attempt, state: 'failed', kept } },
    { write: 'reviveDelivery', deliveryId: 'kept', keptSince: 7, at: 9 },
  ]);
  expect(gaveUp.slice(1)).toEqual([
    ['c', 7, 1],
    ['c', 7, -1],
  ]);
});

test('a delivery whose receiver no longer asks for it is canceled, not given up: nobody was mailed', async () => {
  const metrics = fresh();
  const gaveUp: unknown[] = [];
  const store = instrumentStore(
    storeThat(async (writes) => writes.map(() => ({ applied: true }))),
    { metrics, clock, gaveUp: (...counted) => gaveUp.push(counted) },
  );
  const lastResult = canceledResult;
  const attempt = { state: 'failed', attempts: 0, firstTriedAt: 1, nextDueAt: 1, attemptLog: null } as const;
  const canceled = { ...attempt, lastResult };
  await store.commit('c', 1, [{ write: 'recordAttempt', deliveryId: 'd', attempt: canceled }]);
  const series = await seriesOf(metrics);
  const steps = ['canceled', 'given_up'].map((outcome) =>
    sumOf(series, 'deliveries_recorded_total', { outcome }),
  );
  expect([steps, gaveUp]).toEqual([[1, 0], []]);
  // A replay would take back what was counted.
  const kept = { keptSince: 7, keptBytes: 1 };
  await store.commit('c', 1, [
    { write: 'recordAttempt', deliveryId: 'd', attempt: { ...canceled, kept } },
    { write: 'reviveDelivery', deliveryId: 'd', keptSince: 7, at: 9 },
  ]);
  expect(gaveUp).toEqual([
    ['c', 7, 1],
    ['c', 7, -1],
  ]);
});

describe('the latency of an event', () => {
  const post = {
    channelId: 'c',
    deliveryId: 'd',
    url: 'https://receiver.example',
    secret: null,
    isFailing: false,
    body: new Uint8Array(),
  };

  /** The observed latency of a POST that takes 200 ms, of an event that arrived `ago` ms before it. */
  async function observed(said: WebhookResult, attempt: number, ago: number) {
    const metrics = fresh();
    const time = new FakeClock();
    const posting = {
      post: async () => {
        time.advance(200);
        return said;
      },
    };
    const since = time.now() - ago;
    await instrumentPosts(posting, { metrics, clock: time }).post({ ...post, attempt, since });
    const samples = await seriesOf(metrics);
    const of = (name: string) => [sumOf(samples, `${name}_count`), sumOf(samples, `${name}_sum`)];
    return { first: of('delivery_first_attempt_seconds'), whole: of('delivery_end_to_end_seconds') };
  }
  const none = [0, 0];
  const refused: WebhookResult = { ok: false, status: 503, reason: 'status' };
  const busy: WebhookResult = { ok: false, status: null, reason: 'busy' };

  test.each([
    ['taken at once', { ok: true, status: 200 } as const, 1, 800, { first: [1, 0.8], whole: [1, 1] }],
    ['taken by a retry', { ok: true, status: 200 } as const, 2, 300_000, { first: none, whole: [1, 300.2] }],
    ['refused', refused, 1, 800, { first: [1, 0.8], whole: none }],
    ['without a place, so not tried', busy, 1, 800, { first: none, whole: none }],
    [
      'of a clock that was put back',
      { ok: true, status: 200 } as const,
      1,
      -5_000,
      { first: [1, 0], whole: [1, 0.2] },
    ],
  ])('%s', async (_, said, attempt, ago, expected) => {
    expect(await observed(said, attempt, ago)).toEqual(expected);
  });
});

test("of an age the node's maximum is reported, of a number the sum", () => {
  const one = { deliveries_pending: 2, deliveries_oldest_pending_seconds: 30 };
  const other = { deliveries_pending: 3, deliveries_oldest_pending_seconds: 7 };
  expect(joinFigures([one, other, {}])).toEqual({
    deliveries_pending: 5,
    deliveries_oldest_pending_seconds: 30,
  });
});

test('a job counts as done or failed, by its name', async () => {
  const metrics = fresh();
  const jobs = instrumentJobs(makeInProcessJobs({ clock, log: silentLog }), { metrics, clock });
  const ended: string[] = [];
  jobs.handle('fails', async () => {
    ended.push('fails');
    throw new Error('x');
  });
  jobs.handle('works', async () => void ended.push('works'));
  await jobs.enqueue('fails', null);
  await jobs.enqueue('works', null);
  await until('both have run', () => ended.length >= 2);
  await jobs.stop();
  const samples = await seriesOf(metrics);
  expect(sumOf(samples, 'job_runs_total', { name: 'fails', outcome: 'failed' })).toBeGreaterThan(0);
  expect(sumOf(samples, 'job_runs_total', { name: 'works', outcome: 'done' })).toBe(1);
});

describe('a node that has sent, received and delivered', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.open();
  });
  afterAll(() => world.close());

  test('reports it at /metrics', async () => {
    const channel = await world.connected('chatapp');
    await world.service.call('POST', '/api/v1/messages/send', {
      key: channel.key,
      body: { channel_id: channel.id, recipient: person.chatapp, text: 'hello' },
    });
    await world.inbox.event('message.delivered');
    await world.service.call('GET', '/api/v1/nothing', { key: channel.key }).catch(() => undefined);
    const scrape = async () => samplesOf(await (await fetch(`${world.service.url}/metrics`)).text());
    await until(
      'the deliveries are on record',
      async () => sumOf(await scrape(), 'deliveries_pending') === 0,
    );

    const samples = await scrape();

    const least = {
      http_requests_total: { route: 'sendText', status: '200' },
      http_request_seconds_count: { route: 'sendText' },
      sends_recorded_total: { outcome: 'sent' },
      upstream_sends_total: { channel_type: 'chatapp', outcome: 'accepted' },
      upstream_send_seconds_count: { channel_type: 'chatapp' },
      upstream_calls_total: { answer: '2xx' },
      deliveries_recorded_total: { outcome: 'delivered' },
      delivery_attempts_total: { result: 'delivered' },
      delivery_attempt_seconds_count: {},
      delivery_first_attempt_seconds_count: {},
      delivery_end_to_end_seconds_count: {},
      store_commit_seconds_count: {},
      channels_owned: {},
      nodes_live: {},
      lease_valid: {},
      store_reachable: {},
    };
    const silent = Object.entries(least).filter(([name, labels]) => sumOf(samples, name, labels) < 1);
    expect(silent).toEqual([]);
    expect(sumOf(samples, 'http_requests_total', { route: 'none', status: '404' })).toBeGreaterThan(0);
    expect(
      samples.filter(({ labels }) => Object.values(labels).some((value) => value.includes(channel.id))),
    ).toEqual([]);
  });
});

function storeThat(
  commit: (writes: readonly Write[]) => Promise<{ applied: boolean }[]>,
): Pick<ChannelJournal, 'commit'> {
  return { commit: (_channelId, _epoch, writes) => commit(writes) };
}
