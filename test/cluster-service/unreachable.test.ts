/** [faults: 300] Nodes that find each other in Redis and can't reach each other, because of INTERNAL_HOST or INTERNAL_URL. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { adminToken } from '../support/service.ts';
import { until } from '../support/until.ts';
import { Operator } from '../pages/visitor.ts';
import { samplesOf, sumOf } from '../operations/prometheus.ts';

jest.setTimeout(120_000);

/** Addresses that no machine has, so that nothing is dialled. */
const elsewhere = (id: string): string => `http://${id}.invalid:3100`;

describeCluster('a node that the others can not reach', (source) => {
  let cluster: ServiceCluster;
  beforeAll(async () => {
    const env = { INTERNAL_HOST: '0.0.0.0', INTERNAL_URL: elsewhere('node-1') };
    cluster = await ServiceCluster.start(source, { nodes: 1, env });
  }, clusterHookMs);
  afterAll(() => cluster.close());

  test.each([
    [{ INTERNAL_URL: 'http://localhost:3100' }, 'INTERNAL_URL must be the address at which the other nodes reach this one'],
    [{ INTERNAL_HOST: '127.0.0.1' }, 'INTERNAL_HOST must be an address of this machine that the other nodes reach, or 0.0.0.0'],
  ])('does not start with %j: one line says why', async (setting, must) => {
    const node = await cluster.make('node-2', setting);
    node.spawn(node.main);
    expect(await node.ended()).toBe(1);
    expect(node.lines.filter((line) => !line.startsWith('{'))).toEqual([
      `trunkline: ${must}: it is a loopback address, and node node-1 is at wss://node-1.invalid:3100`,
    ]);
  }); // oxfmt-ignore

  test('is told of by every node: in the log, as a metric, in the list of nodes and in the console', async () => {
    await cluster.add({ INTERNAL_URL: elsewhere('node-2') });
    const unlinked = async (node: ClusterNode): Promise<number> =>
      sumOf(samplesOf(await node.metrics()), 'peers_without_link', {});
    await until('both to count the other', async () => {
      const counts = await Promise.all(cluster.nodes.map(unlinked));
      return counts.every((count) => count === 1);
    });
    for (const [index, node] of cluster.nodes.entries()) {
      const other = index === 0 ? 'node-2' : 'node-1';
      // The nodes that did not start had another address, and may have been seen before they ended.
      const line = await until(`${node.id} to log it`, () =>
        node.logged('peer.unlinked').find(({ url }) => url === `wss://${other}.invalid:3100`),
      );
      expect(line).toMatchObject({ level: 'warn', node: other });
      const { body } = await node.admin('GET', '/nodes');
      expect(
        body.nodes.map((each: Record<string, unknown>) => [
          each['node_id'],
          each['linked'],
          each['peers_without_link'],
        ]),
      ).toEqual([
        [node.id, true, 1],
        [other, false, null],
      ]);
    }
    const visitor = new Operator({ service: cluster.live() });
    await visitor.ask('/operators/enter');
    await visitor.post('/operators/enter', { token: adminToken });
    const { text } = await visitor.ask('/operators');
    expect(text).toContain('no link to it: check INTERNAL_URL');
    expect(text).toContain('reaches one node less than live');
  });
});
