/** The service and the baselines side by side, each with its own messages. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../test/support/ports.ts';
import { hashSecret } from '../../src/kernel/ids.ts';
import { appSecret } from '../load/upstream-posts.ts';
import type { ListedChannel } from '../baseline/floor-world.ts';
import { cloneChannels, connect, phones } from './channels.ts';
import type { BenchChannel } from './channels.ts';
import { startService } from './testbed.ts';
import type { Testbed } from './testbed.ts';
import type { Program } from './programs.ts';
import { hasRedis, startRedis } from './redis.ts';

export interface World {
  testbed: Testbed;
  store: string;
  service: Program;
  echo: Program;
  floor: Program;
  /** null in a world without `many`. */
  contract: Program | null;
  /** null: this machine has no redis-server. */
  naive: { program: Program; redis: Program } | null;
  /** Servers shared by the service and the floor (MongoDB, Redis); their CPU is printed separately. */
  servers: readonly Program[];
  /** Sends, and gets the statuses of its sends; has no webhook. */
  sender: BenchChannel;
  /** Receives inbound messages; its `message.received` events go to the receiver. */
  inbound: BenchChannel;
  /** A thousand copies of `inbound`; empty if only ratios on one channel are needed. */
  many: readonly BenchChannel[];
  close(): Promise<void>;
}

/** The channel of the loads on one channel, at the baselines. */
export const baselineChannelId = 'b5e0c6d2-0000-4000-8000-000000000001';
/** A separate sender for each baseline, so that the stub keeps their messages apart. */
export const floorPhone = '422300000000990';
export const naivePhone = '422300000000991';
export const contractPhone = '422300000000992';
const floorChannel = { id: baselineChannelId, phone: floorPhone };
const contractChannel = { id: baselineChannelId, phone: contractPhone };
const apiKey = 'mip_live_bench-key-of-the-baselines-0123456789abcde';
/** Headers of all requests to baselines. */
export const baselineHeaders = { 'x-api-key': apiKey };

interface WorldOptions {
  /** Number of channels in addition to the two that are connected. */
  clones: number;
  /** Store of the service and the floor; by default the embedded one. */
  shared?: { mongodbUri: (database: string) => string; redisUrl: string; servers: readonly Program[] };
}

export async function openWorld(testbed: Testbed, { clones, shared }: WorldOptions): Promise<World> {
  const dataDir = join(testbed.folder, `world-${Math.floor(performance.now())}`);
  await mkdir(dataDir);
  const env: Record<string, string> =
    shared === undefined
      ? {}
      : {
          ...clusterOfOne,
          MONGODB_URI: shared.mongodbUri('bench_service'),
          REDIS_URL: shared.redisUrl,
          INTERNAL_PORT: String(await freePort()),
        };
  const at = { dataDir: join(dataDir, 'service'), env };
  const first = await startService(testbed, at);
  const sender = await connect(testbed, first, phones.sender, null);
  const webhook = { url: testbed.receiver.url, events: ['message.received'] };
  const inbound = await connect(testbed, first, phones.inbound, webhook);
  let [service, many]: [Program, BenchChannel[]] = [first, []];
  if (clones > 0) {
    await first.stop();
    many = await cloneChannels(at.dataDir, inbound, clones);
    service = await startService(testbed, at);
  }
  const floorStore: Record<string, string> =
    shared === undefined ? {} : { FLOOR_MONGODB_URI: shared.mongodbUri('bench_floor') };
  const [echo, floor, contract, naive] = [
    await startBaseline(testbed, 'echo', {}),
    await startWithStore(testbed, 'floor', join(dataDir, 'floor'), [floorChannel, ...many], floorStore),
    clones === 0
      ? null
      : await startWithStore(testbed, 'contract', join(dataDir, 'contract'), [contractChannel, ...many]),
    await startNaive(testbed),
  ];
  const withThem = [contract, naive?.program, naive?.redis].filter((program) => program != null);
  const started = [service, echo, floor, ...withThem];
  return {
    testbed,
    store: shared === undefined ? 'embedded (SQLite)' : 'MongoDB and Redis',
    service,
    echo,
    floor,
    contract,
    naive,
    servers: shared?.servers ?? [],
    sender,
    inbound,
    many,
    close: async () => void (await Promise.all(started.map((program) => program.stop()))),
  };
}

/** A cluster of one node: has everything that several nodes need, but no peer. */
const clusterOfOne = { CLUSTER_SECRET: 'a-cluster-secret-of-the-bench-0001' };

type Baseline = 'echo' | 'floor' | 'contract' | 'naive';

function startBaseline(
  { programs, stub, receiver }: Testbed,
  name: Baseline,
  env: Record<string, string>,
): Promise<Program> {
  return programs.node(name, `dist/bench/baseline/${name}.js`, {
    UPSTREAM_URL: stub.url,
    RECEIVER_URL: receiver.url,
    UPSTREAM_APP_SECRET: appSecret,
    FLOOR_API_KEY_HASH: hashSecret(apiKey),
    NAIVE_UPSTREAM_PATH: `/v25.0/${naivePhone}/messages`,
    NAIVE_API_KEY: apiKey,
    ...env,
  });
}

/** With the channels that loads name. */
async function startWithStore(
  testbed: Testbed,
  name: 'floor' | 'contract',
  dataDir: string,
  channels: readonly ListedChannel[],
  env: Record<string, string> = {},
): Promise<Program> {
  const file = `${dataDir}-channels.json`;
  await writeFile(file, JSON.stringify(channels));
  return startBaseline(testbed, name, { DATA_DIR: dataDir, FLOOR_CHANNELS_FILE: file, ...env });
}

export async function startNaive(testbed: Testbed): Promise<World['naive']> {
  if (!hasRedis()) return null;
  const redis = await startRedis(testbed.programs);
  return { redis, program: await startBaseline(testbed, 'naive', { NAIVE_REDIS_URL: redis.url }) };
}
