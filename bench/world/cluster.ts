/** Nodes of the built service with the bench's own MongoDB and Redis. */
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort } from '../../test/support/ports.ts';
import { adminToken } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { hashSecret, newId, newSecret } from '../../src/kernel/ids.ts';
import { apiKeyPrefix } from '../../src/rules/api-key.ts';
import { clonePhone, connect, phones, sealedOf } from './channels.ts';
import type { BenchChannel, Webhook } from './channels.ts';
import { admin, startService } from './testbed.ts';
import type { Testbed } from './testbed.ts';
import type { Program } from './programs.ts';
import { startRedis } from './redis.ts';
import type { Servers } from './servers.ts';

export interface Node extends Program {
  id: string;
}

export interface Cluster {
  nodes: readonly Node[];
  channel: BenchChannel;
  /** The cluster's own Redis and the shared MongoDB. */
  beside: readonly number[];
  uri: string;
  stop(): Promise<void>;
}

interface ClusterOptions {
  name: string;
  nodes: number;
  env?: Record<string, string>;
  webhook?: Webhook | null;
  /** Of Node, for every node. */
  flags?: readonly string[];
}

/**
 * Starts nodes with their own Redis and their own database, so that several clusters can run at once. Resolves when every node knows every
 * other.
 */
export async function startCluster(
  testbed: Testbed,
  servers: Servers,
  { name, nodes: count, env = {}, webhook = null, flags = [] }: ClusterOptions,
): Promise<Cluster> {
  const redis = await startRedis(testbed.programs);
  const uri = servers.mongodbUri(`bench_${name}`);
  const shared = {
    MONGODB_URI: uri,
    REDIS_URL: redis.url,
    CLUSTER_SECRET: 'a-cluster-secret-of-the-bench-0001',
    ...env,
  };
  const nodes: Node[] = [];
  for (let n = 1; n <= count; n += 1) nodes.push(await startNode(testbed, `${name}-${n}`, shared, flags));
  await linked(nodes);
  const [first] = nodes;
  if (first === undefined) throw new Error('a cluster has at least one node');
  const channel = await connect(testbed, first, phones.sender, webhook);
  return {
    nodes,
    channel,
    uri,
    beside: [redis.pid, ...servers.servers.filter(({ name: is }) => is === 'mongo').map(({ pid }) => pid)],
    stop: async () => void (await Promise.all([...nodes, redis].map((program) => program.stop()))),
  };
}

/** Sends that these nodes have passed on over links since they started. */
export async function forwardedBy(nodes: readonly Node[]): Promise<number> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const each = nodes.map(async ({ url }) => {
    const text = await (await fetch(`${url}/metrics`, { headers })).text();
    return Number(/^trunkline_sends_forwarded_total (\d+)$/m.exec(text)?.[1] ?? 0);
  });
  return (await Promise.all(each)).reduce((sum, count) => sum + count, 0);
}

async function startNode(
  testbed: Testbed,
  id: string,
  shared: Record<string, string>,
  flags: readonly string[],
): Promise<Node> {
  const port = await freePort();
  const internal = String(await freePort());
  const env = { ...shared, NODE_ID: id, INTERNAL_PORT: internal };
  const program = await startService(testbed, {
    name: id,
    dataDir: join(testbed.folder, id),
    env,
    port,
    flags,
  });
  return { ...program, id };
}

async function linked(nodes: readonly Node[]): Promise<void> {
  await until(
    'every node to know every other',
    async () => {
      const lists = await Promise.all(nodes.map(({ url }) => admin(url, 'GET', '/nodes')));
      return lists.every(({ body }) => body?.nodes?.length === nodes.length);
    },
    30_000,
  );
}

/** The owner according to the cluster; the request also makes the channel live. */
export async function ownerOf(nodes: readonly Node[], asked: Node, channelId: string): Promise<Node> {
  return until('an owner of the channel', async () => {
    const { status, body } = await admin(asked.url, 'GET', `/channels/${channelId}`);
    return status === 200 && nodes.find(({ id }) => id === body.node_id);
  });
}

/** Gives each of these channels an API key of its own, all of the account that has them. */
export async function keyEach({ uri }: Cluster, channels: readonly BenchChannel[]): Promise<BenchChannel[]> {
  const client = await MongoClient.connect(uri);
  try {
    const keys = client.db().collection<{ _id: string }>('api_keys');
    const original = await keys.findOne({});
    if (original === null) throw new Error('the key is not stored');
    const keyed = channels.map((channel) => ({ ...channel, key: apiKeyPrefix + newSecret() }));
    await keys.insertMany(keyed.map(({ key }) => ({ ...original, _id: newId(), hash: hashSecret(key) })));
    return keyed;
  } finally {
    await client.close();
  }
}

/**
 * Inserts copies of the cluster's channel into its store: the real flow would take 30 ms for each. Their health counts as checked now, as in
 * `cloneChannels`.
 */
export async function cloneInto({ uri, channel }: Cluster, count: number): Promise<BenchChannel[]> {
  const client = await MongoClient.connect(uri);
  try {
    const channels = client.db().collection<{ _id: string; accountId?: string }>('channels');
    const original = await channels.findOne({ _id: channel.id });
    if (original === null) throw new Error('the channel is not stored');
    const clones = Array.from({ length: count }, (_, n) => cloneOf(original, clonePhone(n)));
    await channels.insertMany(clones.map(({ document }) => document));
    const checked = { accountId: original.accountId, checkedAt: Date.now() };
    const health = client.db().collection<{ _id: string }>('channel_health');
    await health.insertMany(clones.map(({ document: { _id } }) => ({ ...checked, _id })));
    return clones.map(({ document, phone }) => ({ id: document._id, key: channel.key, phone }));
  } finally {
    await client.close();
  }
}

/** The clones share the licence: only the index over slots forbids that, so `claims` and `slots` are left out. */
function cloneOf(original: Record<string, unknown> & { _id: string }, phone: string) {
  const { claims: _unique, slots: _alsoUnique, ...free } = original;
  const id = newId();
  const { token, webhook_secret: webhookSecret } = sealedOf(id, original);
  const secret = webhookSecret === null ? {} : { webhookSecret };
  const profile = { ...Object(original['profile']), phoneNumberId: phone };
  return { phone, document: { ...free, _id: id, identity: phone, profile, token, ...secret } };
}
