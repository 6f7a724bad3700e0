/** The ways in which Redis can fail for all nodes at once, and how a test knows that it has failed. [architecture §7] */
import type { ServiceCluster } from '../../support/cluster.ts';
import type { Proxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';

export interface RedisOutage {
  name: string;
  begin(cluster: ServiceCluster): Promise<void>;
  /** Resolves once the outage has hit every node. */
  struck(cluster: ServiceCluster): Promise<unknown>;
  end(cluster: ServiceCluster): Promise<void>;
}

/** An outage of the server itself: killed or frozen. */
function ofServer(
  name: string,
  begin: (cluster: ServiceCluster) => Promise<void>,
  end: (cluster: ServiceCluster) => Promise<void>,
): RedisOutage {
  const struck = async ({ redis }: ServiceCluster): Promise<void> => {
    if (await redis.answers()) throw new Error(`Redis answers: ${name} did not strike`);
  };
  return { name, begin, struck, end };
}

/** An outage between every node and the server. */
function onTheWay(name: string, begin: (proxy: Proxy) => void): RedisOutage {
  const before = new WeakMap<Proxy, number>();
  return {
    name,
    async begin({ nodes }) {
      for (const { proxies } of nodes) {
        before.set(proxies.redis, proxies.redis.fired);
        begin(proxies.redis);
      }
    },
    struck: ({ nodes }) =>
      until(`${name} to strike every node`, () =>
        nodes.every(({ proxies }) => proxies.redis.fired > (before.get(proxies.redis) ?? 0)),
      ),
    async end({ nodes }) {
      for (const { proxies } of nodes) proxies.redis.heal();
    },
  };
}

/** Each is tested for longer than a lease, so that no node is sure of its lease. */
export const longOutages: readonly RedisOutage[] = [
  ofServer(
    'killed, and back empty',
    ({ redis }) => redis.kill9(),
    ({ redis }) => redis.restart('empty'),
  ),
  ofServer(
    'hanging',
    async ({ redis }) => redis.freeze(),
    async ({ redis }) => redis.thaw(),
  ),
  // Longer than the timeout of a command.
  onTheWay('answering a second late', (proxy) => proxy.delay(1_000, ['down'])),
  ...[
    "OOM command not allowed when used memory > 'maxmemory'",
    'LOADING Redis is loading the dataset in memory',
    "READONLY You can't write against a read only replica.",
  ].map(answering),
];

export const redisOutages: readonly RedisOutage[] = [
  ...longOutages,
  ofServer(
    'killed, and back with its memory',
    ({ redis }) => redis.kill9(),
    ({ redis }) => redis.restart('same'),
  ),
  onTheWay('out of reach', (proxy) => proxy.blackHole()),
  onTheWay('answering half a second late', (proxy) => proxy.delay(500, ['down'])),
  answering('MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk'),
];

function answering(error: string): RedisOutage {
  return onTheWay(`answering ${error}`, (proxy) => proxy.answerWith(error));
}
