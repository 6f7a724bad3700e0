/** [upstream §2.2, §7; operator-interface §4] A channel's health and people's profiles are the same from every node. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { toldOf } from '../support/events.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('health and profiles on three nodes', (source) => {
  let cluster: ServiceCluster;
  let pagechat: Channel;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, { env: { HEALTH_CHECK_INTERVAL_MS: '300' } });
    pagechat = await cluster.world.connect(await newAccount(cluster.world.service), 'pagechat');
  }, clusterHookMs);
  afterAll(() => cluster.close());
  afterEach(() => cluster.heal());

  // oxlint-disable-next-line typescript/no-explicit-any
  async function ask(node: ClusterNode, path: string): Promise<any> {
    const answer = await fetch(`${node.url}/api/v1/channels/${pagechat.id}/${path}`, {
      headers: { 'x-api-key': pagechat.key },
    });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return answer.json();
  }

  const healthOf = (node: ClusterNode) => ask(node, 'health');

  async function told(from: string): Promise<void> {
    await until('the event', () => toldOf(cluster.world, pagechat, from).length > 0, 40_000);
  }

  test('every node says that the channel is well and when it was heard', async () => {
    const from = newPerson('pagechat');
    await cluster.world.write(pagechat, { text: 'hello' }, from);
    await told(from);
    for (const node of cluster.nodes) {
      await until('the node to say so', async () => (await healthOf(node)).last_inbound_at !== null, 90_000);
      expect(await healthOf(node)).toMatchObject({
        can_send: true,
        can_receive: true,
        problems: [],
        token: 'valid',
        upstream_subscription: true,
      });
    }
  });

  test('a profile is had from every node, and of one person every node knows the same', async () => {
    const from = newPerson('pagechat');
    await cluster.world.write(pagechat, { text: 'who am I?' }, from);
    await told(from);
    const all = await Promise.all(cluster.nodes.map((node) => ask(node, `profile/${from}`)));
    const [first] = all;
    expect(first.profile).toMatchObject({ first_name: expect.any(String) });
    expect(all.map(({ profile, user_id: id }) => [profile, id])).toEqual(
      cluster.nodes.map(() => [first.profile, from]),
    );
    for (const node of cluster.nodes) expect((await ask(node, `profile/${from}`)).cached).toBe(true);
  });

  test('a lost subscription is made again although the owner has died, and every node says so', async () => {
    const { token } = await cluster.simulator.control('tokens', { asset: pagechat.upstream });
    await (await cluster.ownerOf(pagechat)).kill9();
    const path = `${cluster.simulator.url}/v25.0/${pagechat.upstream}/subscribed_apps`;
    const lost = await fetch(path, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
    expect(await lost.json()).toEqual({ success: true });
    const from = newPerson('pagechat');
    await until(
      'somebody to hear of it',
      async () => (await cluster.world.write(pagechat, { text: 'anybody there?' }, from)).webhooks === 1,
      60_000,
    );
    await told(from);
    const live = cluster.nodes.filter(({ isRunning }) => isRunning);
    for (const node of live)
      await until(
        'the node to say so',
        async () => (await healthOf(node)).upstream_subscription === true,
        30_000,
      );
  });
});
