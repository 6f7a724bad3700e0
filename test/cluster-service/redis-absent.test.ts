/** [operator-interface §1; architecture §7] A node that starts while its Redis is down. */
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { builtFile } from '../support/built.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { until } from '../support/until.ts';

jest.setTimeout(120_000);

/** Long enough for dozens of connection attempts of a dozen connections. */
const outageMs = 4_000;

describeCluster('Redis is down when a node starts', (source) => {
  let cluster: ServiceCluster;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, { nodes: 1 });
  }, clusterHookMs);
  afterAll(() => cluster.close());

  test('the node is not ready and logs one line that says why; once Redis is up, it logs one line and is ready', async () => {
    const node = cluster.live();
    await node.kill9();
    await cluster.redis.kill9();
    const from = node.lines.length;
    const told = (): { msg: string; level: string; why?: string; host?: string }[] =>
      node.lines.slice(from).flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    const names = (): string[] => told().map(({ msg }) => msg);

    node.spawn(builtFile('src/main.js'));
    await until('the node to answer that it is not ready', () =>
      node.isReady().then(
        (isReady) => !isReady,
        () => false,
      ),
    );
    await wait(outageMs);
    const during = told();
    await cluster.redis.restart('empty');
    await until('the node to say that it is ready', () => names().includes('node.ready'));
    await until('the end of the outage to be told', () => names().includes('redis.back'));

    expect(during.map(({ msg }) => msg)).not.toContain('node.ready');
    const alarming = during.filter(({ level }) => level === 'warn' || level === 'error');
    const host = new URL(node.env['REDIS_URL'] ?? '').host;
    expect(alarming).toEqual([expect.objectContaining({ msg: 'redis.away', host })]);
    expect(JSON.stringify(during)).not.toContain('stack');
    expect(names().filter((name) => name.startsWith('redis.'))).toEqual(['redis.away', 'redis.back']);
    await node.ready();
  });
});
