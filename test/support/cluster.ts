/**
 * The whole service as a cluster: N processes with a Redis and a MongoDB of their own behind a load balancer, with a simulator and
 * a webhook receiver. Each node reaches its servers through proxies, so that a test can cut it off.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseNode } from '../../src/ownership/placement.ts';
import { call } from './api.ts';
import { Balancer } from './balancer.ts';
import { ClusterNode } from './cluster-node.ts';
import { Inbox } from './inbox.ts';
import { describeWithMongo, MongoServer } from './mongo-server.ts';
import type { MongoSource } from './mongo-server.ts';
import { freePort } from './ports.ts';
import { Proxy } from './proxy.ts';
import { describeWithRedis, RedisServer } from './redis-server.ts';
import { adminToken, bootSimulator, environment } from './service.ts';
import type { Service, Simulator } from './service.ts';
import { laxWorld } from './upstream-app.ts';
import { until } from './until.ts';
import { World } from './world.ts';
import type { Channel } from './world.ts';

/** Timeout of a `beforeAll` that starts a cluster. */
export const clusterHookMs = 120_000;

/** Duration of the nodes' leases: for this long nobody can take over the channels of a frozen node. */
export const leaseTtlMs = 4_000;

/** A `describe` whose tests need a MongoDB and a Redis that they may kill. [operator-interface §1, npm test] */
export function describeCluster(name: string, body: (source: MongoSource) => void): void {
  describeWithMongo(name, 'own', (source) => {
    describeWithRedis('over MongoDB and Redis', () => body(source));
  });
}

interface StartCluster {
  nodes?: number;
  /** Overrides of what `environment` and this file set. */
  env?: Record<string, string>;
  /** A Redis to use instead of the cluster's own. */
  redisUrl?: string;
  /** The `main.js` of another build, for all nodes; a test can change it per node afterwards (`ClusterNode.main`). */
  main?: string;
}

export class ServiceCluster {
  readonly redis: RedisServer;
  readonly mongo: MongoServer;
  readonly simulator: Simulator;
  readonly inbox: Inbox;
  readonly balancer: Balancer;
  readonly nodes: ClusterNode[] = [];
  /** The service as a client sees it, through the load balancer. */
  readonly world: World;
  readonly #env: Record<string, string>;
  readonly #folder: string;
  readonly #redisUrl: string | undefined;
  /** All, also those that are not in `nodes`. */
  readonly #made: ClusterNode[] = [];

  private constructor(
    parts: { redis: RedisServer; mongo: MongoServer; simulator: Simulator; inbox: Inbox; balancer: Balancer },
    env: Record<string, string>,
    { folder, redisUrl }: { folder: string; redisUrl: string | undefined },
  ) {
    this.redis = parts.redis;
    this.mongo = parts.mongo;
    this.simulator = parts.simulator;
    this.inbox = parts.inbox;
    this.balancer = parts.balancer;
    this.#env = env;
    this.#folder = folder;
    this.#redisUrl = redisUrl;
    this.world = new World(behind(this.balancer, env), this.simulator, this.inbox);
  }

  static async start(source: MongoSource, options: StartCluster = {}): Promise<ServiceCluster> {
    // Upstream retries a webhook soon, and for as long as a test may take.
    const settings = { status_delay_ms: 5, retry_schedule_ms: Array<number>(600).fill(100) };
    const [redis, mongo, simulator, inbox, balancer, folder] = await Promise.all([
      RedisServer.start(),
      MongoServer.start(source),
      bootSimulator({ ...laxWorld, settings }),
      Inbox.open(),
      Balancer.open(),
      mkdtemp(join(tmpdir(), 'trunkline-cluster-')),
    ]);
    const callback = `${balancer.url}/upstream/webhooks`;
    await simulator.control('settings', { callback_url: callback });
    const env = { ...ownEnv(balancer, folder), ...options.env };
    const cluster = new ServiceCluster({ redis, mongo, simulator, inbox, balancer }, env, {
      folder,
      redisUrl: options.redisUrl,
    });
    try {
      const ids = Array.from({ length: options.nodes ?? 3 }, (_, index) => `node-${index + 1}`);
      for (const id of ids) cluster.nodes.push(await cluster.make(id));
      if (options.main !== undefined) for (const node of cluster.nodes) node.main = options.main;
      await Promise.all(cluster.nodes.map((node) => node.start()));
      await balancer.useNodes(cluster.nodes.map(({ url }) => url));
      await cluster.linked();
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  /** Adds a node; resolves once it is ready and behind the load balancer. */
  async add(overrides: Record<string, string> = {}): Promise<ClusterNode> {
    const node = await this.make(`node-${this.nodes.length + 1}`, overrides);
    this.nodes.push(node);
    await node.start();
    await this.balancer.useNodes(this.nodes.map(({ url }) => url));
    return node;
  }

  /** Makes a node without starting it or adding it to `nodes`. */
  async make(id: string, overrides: Record<string, string> = {}): Promise<ClusterNode> {
    const proxies = { redis: await Proxy.start(this.redis.port), mongo: await Proxy.start(this.mongo.port) };
    const env = await environment(this.simulator.url, {
      ...this.#env,
      NODE_ID: id,
      INTERNAL_PORT: String(await freePort()),
      REDIS_URL: this.#redisUrl ?? `redis://127.0.0.1:${proxies.redis.port}`,
      MONGODB_URI: `mongodb://127.0.0.1:${proxies.mongo.port}/trunkline?directConnection=true`,
      ...overrides,
    });
    const node = new ClusterNode(id, env, proxies);
    this.#made.push(node);
    return node;
  }

  /** Resolves once every running node lists every other as live. */
  async linked(withinMs = 60_000): Promise<void> {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    await until(
      `${running.length} nodes to know each other`,
      async () => {
        const lists = await Promise.all(running.map((node) => node.admin('GET', '/nodes')));
        return lists.every(({ body }) => body?.nodes?.length === running.length);
      },
      withinMs,
    );
  }

  /** The node that owns the channel, by what `askedOf` answers; waits until the channel has an owner. */
  async ownerOf(channel: Pick<Channel, 'id'>, askedOf = this.live()): Promise<ClusterNode> {
    return until('an owner of the channel', async () => {
      const { status, body } = await askedOf.admin('GET', `/channels/${channel.id}`);
      return status === 200 && this.nodes.find(({ id }) => id === body.node_id);
    });
  }

  /** The nodes that do not own the channel. */
  async nonOwnersOf(channel: Pick<Channel, 'id'>): Promise<ClusterNode[]> {
    const owner = await this.ownerOf(channel);
    return this.nodes.filter((node) => node !== owner);
  }

  /** The running node to which placement assigns the channel. */
  chosenFor({ id }: Pick<Channel, 'id'>): ClusterNode | undefined {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    const chosen = chooseNode(
      id,
      running.map((node) => ({ nodeId: node.id })),
    );
    return running.find((node) => node.id === chosen?.nodeId);
  }

  /** The first node that runs. */
  live(): ClusterNode {
    const running = this.nodes.find(({ isRunning }) => isRunning);
    if (running === undefined) throw new Error('no node runs');
    return running;
  }

  /** Undoes what a test did: resolves once every node runs, reaches its servers, is ready and knows the others. */
  async heal(): Promise<void> {
    for (const { proxies } of this.nodes) {
      proxies.redis.heal();
      proxies.mongo.heal();
    }
    for (const node of this.nodes) node.thaw();
    await Promise.all(this.nodes.map((node) => (node.isRunning ? node.ready() : node.start())));
    await this.linked();
  }

  /**
   * Resolves once each channel is on the node where rebalancing wants it. Rebalancing starts a second after `linked`: without this
   * wait, a channel could move in the middle of a test. Without `CHANNELS_FOLLOW_SENDS=0` a channel may follow its sends elsewhere.
   */
  async settled(channels: readonly Pick<Channel, 'id'>[]): Promise<void> {
    const isHome = async (channel: Pick<Channel, 'id'>): Promise<boolean> =>
      (await this.ownerOf(channel)) === this.chosenFor(channel);
    await until('channels to be on their chosen nodes', async () =>
      (await Promise.all(channels.map(isHome))).every(Boolean),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.#made.map((node) => node.kill9()));
    await this.balancer.close();
    await this.simulator.stop();
    await this.inbox.close();
    await Promise.all(this.#made.flatMap(({ proxies }) => [proxies.redis.close(), proxies.mongo.close()]));
    await Promise.all([this.redis.stop(), this.mongo.stop()]);
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function ownEnv(balancer: Balancer, folder: string): Record<string, string> {
  return {
    DATA_DIR: folder,
    BASE_URL: balancer.url,
    CLUSTER_SECRET: 'a-cluster-secret-of-the-tests-0001',
    LEASE_TTL_MS: String(leaseTtlMs),
    LOG_LEVEL: 'info',
  };
}

function behind(balancer: Balancer, env: Record<string, string>): Service {
  const headers = { authorization: `Bearer ${adminToken}` };
  const ask: Service['call'] = (method, path, options) => call(method, `${balancer.url}${path}`, options);
  return {
    url: balancer.url,
    env,
    call: ask,
    admin: (method, path, body) => ask(method, `/admin/v1${path}`, { body, headers }),
    stop: () => Promise.resolve(),
  };
}
