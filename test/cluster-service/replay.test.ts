/** [operator-interface §3: Additive paths; faults: I4, I5] kill -9 of the owner during a replay: the next owner continues it. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(180_000);

const events = 160;
/** How many of them the receiver accepts before it stops answering. */
const taken = 60;

describeCluster('a replay of failed deliveries', (source) => {
  let cluster: ServiceCluster;
  let channel: Channel;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, {
      env: { WEBHOOK_RETRY_DELAYS_MS: '20,20', WEBHOOK_TIMEOUT_MS: '60000' },
    });
    channel = await cluster.world.connect(await newAccount(cluster.world.service), 'pagechat');
    await ask('PATCH', '', { failed_retention_days: 7 });
  }, clusterHookMs);
  afterAll(() => cluster.close());

  const ask = (method: string, path: string, body?: unknown) =>
    cluster.world.service.call(method, `/api/v1/channels/${channel.id}${path}`, { key: channel.key, body });
  const deliveries = async (query: string): Promise<{ id: string }[]> =>
    (await ask('GET', `/deliveries?limit=1000&${query}`)).body.deliveries;
  const posts = () =>
    cluster.inbox.arrivals.map(({ headers, raw, answered }) => ({
      id: String(headers['x-webhook-id']),
      body: raw.toString('base64'),
      answered,
    }));

  test('whose owner is killed: nothing is lost, each delivery keeps its id and bytes, and the order is kept', async () => {
    cluster.inbox.answerAlways(503);
    for (let n = 0; n < events; n += 1)
      await cluster.world.write(channel, { text: `hello ${n}`, wait: true }, newPerson('pagechat'));
    const failed = await until(
      'all to be given up',
      async () => {
        const found = await deliveries('state=failed');
        return found.length === events ? found : null;
      },
      60_000,
    );
    const ids = failed.map(({ id }) => id).toReversed(); // the oldest first
    const bodies = new Map(posts().map(({ id, body }) => [id, body]));
    cluster.inbox.clear();

    cluster.inbox.answerAlways('hang');
    cluster.inbox.answerNext(...Array<number>(taken).fill(200));
    const asked = await ask('POST', '/deliveries/replay', { since: '2020-01-01T00:00:00Z' });
    expect([asked.status, asked.body]).toEqual([202, { replaying: events }]);
    await cluster.inbox.next(taken + limits.posts);
    expect((await ask('GET', '/deliveries?limit=1')).body.replay).toMatchObject({ is_running: true });
    await (await cluster.ownerOf(channel)).kill9();
    cluster.inbox.answerAlways(200);

    await until(
      'all to be delivered, and the replay to be over',
      async () => {
        const { replay } = (await ask('GET', '/deliveries?limit=1')).body;
        return !replay.is_running && (await deliveries('state=delivered')).length === events;
      },
      90_000,
    );
    const arrived = posts();
    expect(new Set(arrived.map(({ id }) => id))).toEqual(new Set(ids));
    for (const { id, body } of arrived) expect([id, body]).toEqual([id, bodies.get(id)]);
    // A delivery that was accepted, but not yet recorded as delivered when its node was killed, comes once more.
    for (const id of ids) {
      const times = arrived.filter((each) => each.id === id && each.answered === 200).length;
      expect([id, times === 1 || times === 2]).toEqual([id, true]);
    }
    // This many POSTs are in flight together, so a delivery is at most that far from its place.
    const inOrder = [...new Set(arrived.map(({ id }) => id))];
    const places = new Map(ids.map((id, n) => [id, n]));
    const furthest = Math.max(...inOrder.map((id, n) => Math.abs((places.get(id) ?? NaN) - n)));
    expect(furthest).toBeLessThanOrEqual(limits.replayed);
    expect((await ask('GET', '/deliveries?limit=1')).body.replay).toMatchObject({
      total: events,
      begun: events,
      is_running: false,
    });
  });
});
