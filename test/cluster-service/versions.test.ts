/**
 * [operating/upgrade; faults: 32, I1, I2, I4] Two builds on one store and one Redis: a cluster is upgraded node by node from the oldest
 * build that upgrade.md allows beside the current one, and downgraded again, while clients send and people write. Between the two builds are
 * new indexes, new fields of records, and messages between nodes that the older build does not know.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { builtFile } from '../support/built.ts';
import { earlierBuild, isInHistory } from '../support/earlier-build.ts';
import { ledger, newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { Storm } from './support/storm.ts';

jest.setTimeout(240_000);

/** Its nodes use TLS between each other [operating/upgrade, "at once"], and every later step of the schema is applied to its data. */
const oldest = 'db2f9a7c';

const describeVersions: typeof describeCluster = isInHistory(oldest)
  ? describeCluster
  : (name) => test.skip(`${name} (the history of this checkout lacks ${oldest})`, () => undefined);

describeVersions('two builds on one store', (source) => {
  let cluster: ServiceCluster;
  let channels: Channel[];
  let earlier: string;
  /** Sends of new kinds that an owner of the earlier build has refused. */
  let refused = 0;
  beforeAll(async () => {
    earlier = await earlierBuild(oldest);
    cluster = await ServiceCluster.start(source, { main: earlier, nodes: 2 });
    const account = await newAccount(cluster.world.service);
    channels = [
      await cluster.world.connect(account, 'chatapp'),
      await cluster.world.connect(account, 'pagechat'),
      await cluster.world.connect(account, 'photoapp'),
    ];
    // One at least stays on the node that is upgraded last, which refuses new kinds until then.
    const last = cluster.nodes.at(-1);
    while (!channels.some((channel) => cluster.chosenFor(channel) === last))
      channels.push(await ownChannel(cluster.world, 'pagechat'));
  }, clusterHookMs);
  afterAll(() => cluster.close());

  async function goOver(node: ClusterNode, main: string, storm: Storm): Promise<void> {
    expect(await node.terminate()).toBe(0);
    node.main = main;
    await node.start();
    await cluster.linked();
    await storm.flows(1, 60_000);
  }

  test('upgrade and downgrade under load: no failed request, nothing lost, nothing sent twice', async () => {
    await cluster.simulator.control('settings', { webhook_timeout_ms: 60_000 });
    const storm = new Storm(cluster, channels, { clients: 3, contents: ['text', 'media', 'template'] });
    try {
      await storm.flows(1, 60_000);
      for (const node of cluster.nodes) {
        await goOver(node, builtFile('src/main.js'), storm);
        await sendNewKinds(node);
      }
      for (const node of cluster.nodes) await goOver(node, earlier, storm);
    } finally {
      await storm.stop();
    }
    process.stderr.write(`two builds: ${storm.counts()}; longest gap ${storm.longestGap()} ms\n`);
    expect(refused).toBeGreaterThan(0);
    expect(storm.ended.filter(({ code }) => code !== 200)).toEqual([]);
    await storm.settled();
    expect(await storm.findings(180_000)).toEqual([]);
    expect(await copiesOfEach(storm)).toEqual(new Set([1]));
  });

  /**
   * Through a node of the new build: what the earlier one does not know is sent as it is by an owner of the new build, and refused by one of
   * the earlier. [faults: 401]
   */
  async function sendNewKinds(node: ClusterNode): Promise<void> {
    const before = await owners(node);
    const answers = await Promise.all(channels.map((channel) => sendInteractive(node, channel)));
    const after = await owners(node);
    const news = cluster.nodes.filter(({ main }) => main !== earlier).map(({ id }) => id);
    // A channel that has moved meanwhile shows nothing.
    for (const [at, owner] of before.entries()) {
      if (owner !== after[at]) continue;
      expect(answers[at]).toEqual(news.includes(owner) ? [200, [['accepted', true]]] : [503, []]);
    }
    refused += answers.filter(([status]) => status === 503).length;
  }

  /** The answer, and what reached upstream: with more than a text has. */
  async function sendInteractive(
    node: ClusterNode,
    { id, key, type }: Channel,
  ): Promise<[number, unknown[]]> {
    const recipient = newPerson(type);
    const interactive_type = type === 'chatapp' ? 'buttons' : 'quick_replies';
    const buttons = [{ id: 'yes', title: 'Yes' }];
    const body = { channel_id: id, recipient, text: 'Shall we?', interactive_type, buttons };
    const { status } = await node.call('POST', '/api/v1/messages/send-interactive', { key, body });
    const copies = await ledger(cluster.simulator, { recipient, outcome: 'all' });
    return [status, copies.map(({ outcome, more }) => [outcome, more !== null])];
  }

  function owners(node: ClusterNode): Promise<string[]> {
    return Promise.all(
      channels.map(async ({ id }) => (await node.admin('GET', `/channels/${id}`)).body.node_id),
    );
  }

  /** The number of copies that upstream has accepted. */
  async function copiesOfEach(storm: Storm): Promise<Set<number>> {
    const counts = new Map(storm.ended.map(({ recipient }) => [recipient, 0]));
    for (const { upstream } of channels) {
      const { sends } = await cluster.simulator.control(`sends?channel=${upstream}&limit=1000000`);
      for (const { recipient } of sends) counts.set(recipient, (counts.get(recipient) ?? 0) + 1);
    }
    return new Set(counts.values());
  }
});
