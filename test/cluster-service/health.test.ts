/** [upstream §2.2, §7; operator-interface §4] Channel health and sender profiles are the same from every node. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { eventsAbout } from '../support/events.ts';
import { channelTypes, connectAll, mailsOf, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('health and profiles on three nodes', (source) => {
  let cluster: ServiceCluster;
  let channels: Channels;
  let pagechat: Channel;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, { env: { HEALTH_CHECK_INTERVAL_MS: '300' } });
    ({ channels } = await connectAll(cluster.world));
    ({ pagechat } = channels);
  }, clusterHookMs);
  afterAll(() => cluster.close());
  afterEach(() => cluster.heal());

  // oxlint-disable-next-line typescript/no-explicit-any
  async function ask(node: ClusterNode, path: string, { id, key } = pagechat): Promise<any> {
    const answer = await fetch(`${node.url}/api/v1/channels/${id}/${path}`, {
      headers: { 'x-api-key': key },
    });
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return answer.json();
  }

  const healthOf = (node: ClusterNode, channel?: Channel) => ask(node, 'health', channel);

  async function told(from: string, channel = pagechat): Promise<void> {
    await until('the event', () => eventsAbout(cluster.world, channel, from).length > 0, 40_000);
  }

  test.each(channelTypes)(
    'every node reports a %s channel as healthy, with the time of its last inbound event',
    async (type) => {
      const channel = channels[type];
      const from = newPerson(type);
      await cluster.world.write(channel, { text: 'hello' }, from);
      await told(from, channel);
      for (const node of cluster.nodes) {
        const isHeard = async () => (await healthOf(node, channel)).last_inbound_at !== null;
        await until('the node to say so', isHeard, 90_000);
        expect(await healthOf(node, channel)).toMatchObject({
          quality_rating: type === 'chatapp' ? 'GREEN' : null,
          can_send: true,
          can_receive: true,
          problems: [],
          token: 'valid',
          upstream_subscription: true,
        });
      }
    },
  );

  test.each([
    ['pagechat', 'first_name'],
    ['photoapp', 'username'],
  ] as const)(
    'a profile on %s is read once in the cluster: every other node has it cached',
    async (type, field) => {
      const channel = channels[type];
      const from = newPerson(type);
      await cluster.world.write(channel, { text: 'who am I?' }, from);
      await told(from, channel);
      const answers = [];
      for (const node of cluster.nodes) answers.push(await ask(node, `profile/${from}`, channel));
      const [first] = answers;
      expect(first.profile).toMatchObject({ [field]: expect.any(String) });
      expect(answers).toEqual([
        { ...first, user_id: from, cached: false },
        { ...first, cached: true },
        { ...first, cached: true },
      ]);
    },
  );

  test('an empty profile is cached for every node too', async () => {
    const nobody = newPerson('pagechat');
    const answers = [];
    for (const node of cluster.nodes) answers.push(await ask(node, `profile/${nobody}`, channels.pagechat));
    expect(answers.map(({ profile, cached }) => [profile, cached])).toEqual([
      [null, false],
      [null, true],
      [null, true],
    ]);
  });

  test('every node answers 404 for a profile on chatapp', async () => {
    const { id, key } = channels.chatapp;
    const answers = await Promise.all(
      cluster.nodes.map(({ url }) =>
        fetch(`${url}/api/v1/channels/${id}/profile/${newPerson('chatapp')}`, {
          headers: { 'x-api-key': key },
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  });

  test('a token that upstream refuses to one node is refused on every node, and its owner gets one mail', async () => {
    const account = await newAccount(cluster.world.service);
    const upstream = (await newBusiness(cluster.simulator)).pages[0]?.id ?? '';
    const own = await cluster.world.connect(account, 'pagechat', { upstream });
    await cluster.simulator.control('tokens/expire', { asset: upstream });
    const statuses = await Promise.all(
      cluster.nodes.map(({ url }) =>
        fetch(`${url}/api/v1/channels/${own.id}/profile/${newPerson('pagechat')}`, {
          headers: { 'x-api-key': account.key },
        }).then(({ status }) => status),
      ),
    );
    expect(statuses).toEqual([502, 502, 502]);
    for (const node of cluster.nodes)
      await until('the node to say so', async () => (await healthOf(node, own)).token === 'refused');
    // Its health is recorded first.
    const mails = await until('the mail', async () => {
      const found = await mailsOf(cluster.world, account.accountId);
      return found.some(({ kind }) => kind === 'reconnect') && found;
    });
    expect(mails.filter(({ kind }) => kind === 'reconnect')).toHaveLength(1);
  });

  test('a lost subscription is restored although the owner was killed, and every node reports it', async () => {
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
