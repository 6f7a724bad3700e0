/** The built service with everything around it: upstream, baselines, a receiver, and channels connected through the real flow. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashOf } from '../src/kernel/ids.ts';
import { call } from '../test/support/api.ts';
import { freePort } from '../test/support/ports.ts';
import { adminToken, environment } from '../test/support/service.ts';
import type { Service, Simulator } from '../test/support/service.ts';
import { newAccount, setupCode } from '../test/support/world.ts';
import { openReceiver } from './load/receiver.ts';
import type { Receiver } from './load/receiver.ts';
import { appSecret } from './load/upstream-posts.ts';
import type { Programs, Program } from './programs.ts';
import { startRedis } from './redis.ts';

export interface BenchChannel {
  id: string;
  key: string;
  phoneNumberId: string;
}

export interface World {
  programs: Programs;
  stub: Program;
  service: Program;
  echo: Program;
  /** null: there is none for the store in use yet. */
  floor: Program | null;
  /** null: no redis-server on this machine. */
  naive: { program: Program; redis: Program } | null;
  receiver: Receiver;
  /** Sends, and the statuses of what it sent; no webhooks. */
  sender: BenchChannel;
  /** Receives; its `message.received` go to the receiver. */
  inbound: BenchChannel;
  close(): Promise<void>;
}

/** A sender of its own for each, so that the stub keeps their messages apart. */
export const floorPhone = '422300000000990';
export const naivePhone = '422300000000991';
const apiKey = 'mip_live_bench-key-of-the-baselines-0123456789abcde';

export async function openWorld(programs: Programs, profileDir: string | null): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const receiver = await openReceiver();
  const simulator = await startSimulator(programs);
  const stub = await programs.node('stub', 'dist/bench/upstream-stub.js', { SIMULATOR_URL: simulator.url });
  const service = await startService(programs, join(folder, 'service'), {
    upstreamUrl: stub.url,
    dialogUrl: simulator.url,
    flags: profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`],
  });
  const baseline = baselineStarter(programs, stub, receiver);
  const usesMongo = process.env['MONGODB_URI'] !== undefined;
  return {
    programs,
    stub,
    service,
    receiver,
    echo: await baseline('echo', {}),
    floor: usesMongo ? null : await baseline('floor', { DATA_DIR: join(folder, 'floor') }),
    naive: await startNaive(programs, baseline),
    sender: await connect(service, simulator, '422300000000002', null),
    inbound: await connect(service, simulator, '422300000000102', receiver.url),
    async close() {
      await programs.stopAll();
      receiver.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function startSimulator(programs: Programs): Promise<Simulator> {
  const program = await programs.node('simulator', 'dist/src/simulator/main.js', { SIMULATOR_PORT: '0' });
  return {
    url: program.url,
    stop: () => program.stop(),
    async control(path, body) {
      const answer = await call(body === undefined ? 'GET' : 'POST', `${program.url}/control/${path}`, {
        body,
      });
      if (answer.status >= 400) throw new Error(`control/${path} answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
  };
}

/** Configured by its environment alone; a store or Redis named in ours is passed on. */
export async function startService(
  programs: Programs,
  dataDir: string,
  options: { upstreamUrl: string; dialogUrl: string; flags: readonly string[] },
): Promise<Program> {
  const port = String(await freePort());
  const passedOn = Object.entries(process.env).filter(([name]) => passed.has(name));
  const env = await environment(options.upstreamUrl, {
    PORT: port,
    DATA_DIR: dataDir,
    UPSTREAM_DIALOG_URL: options.dialogUrl,
    UPSTREAM_APP_SECRET: appSecret,
    ...Object.fromEntries(passedOn.map(([name, value = '']) => [name, value])),
  });
  delete env['WEBHOOK_RETRY_DELAYS_MS']; // the tests' short ladder; here the default
  const url = `http://127.0.0.1:${port}`;
  const args = [...options.flags, 'dist/src/main.js'];
  const ready = { answers: `${url}/readyz` };
  return { ...(await programs.start({ name: 'service', command: process.execPath, args, env, ready })), url };
}

const passed = new Set(['MONGODB_URI', 'REDIS_URL', 'CLUSTER_SECRET', 'INTERNAL_PORT', 'INTERNAL_URL']);

type Baseline = (name: 'echo' | 'floor' | 'naive', env: Record<string, string>) => Promise<Program>;

function baselineStarter(programs: Programs, stub: Program, receiver: Receiver): Baseline {
  return (name, env) =>
    programs.node(name, `dist/bench/baseline/${name}.js`, {
      UPSTREAM_URL: stub.url,
      RECEIVER_URL: receiver.url,
      UPSTREAM_APP_SECRET: appSecret,
      FLOOR_CHANNEL_ID: 'b5e0c6d2-0000-4000-8000-000000000001',
      FLOOR_UPSTREAM_PATH: `/v25.0/${floorPhone}/messages`,
      FLOOR_API_KEY_HASH: hashOf(apiKey),
      NAIVE_UPSTREAM_PATH: `/v25.0/${naivePhone}/messages`,
      NAIVE_API_KEY: apiKey,
      ...env,
    });
}

async function startNaive(programs: Programs, baseline: Baseline): Promise<World['naive']> {
  const redis = await startRedis(programs);
  if (redis === null) return null;
  return { redis, program: await baseline('naive', { NAIVE_REDIS_URL: redis.url }) };
}

/** What the baselines are asked with. */
export const baselineHeaders = { 'x-api-key': apiKey };

async function connect(
  program: Program,
  simulator: Simulator,
  phoneNumberId: string,
  webhookUrl: string | null,
): Promise<BenchChannel> {
  const service = asService(program);
  const { key } = await newAccount(service);
  const code = await setupCode(service, simulator, key, 'chatapp', phoneNumberId);
  const webhook =
    webhookUrl === null ? {} : { webhook_url: webhookUrl, webhook_events: ['message.received'] };
  const answer = await service.call('POST', '/api/v1/channels/exchange-code', {
    key,
    body: { code, ...webhook },
  });
  if (answer.status !== 200) throw new Error(`exchange-code answered ${answer.status}: ${answer.text}`);
  return { id: answer.body.channel_id, key, phoneNumberId };
}

function asService({ url, stop }: Program): Service {
  return {
    url,
    env: {},
    stop,
    call: (method, path, options) => call(method, url + path, options),
    admin: (method, path, body) =>
      call(method, `${url}/admin/v1${path}`, { body, headers: { authorization: `Bearer ${adminToken}` } }),
  };
}

/** The tags of the sends from this number since the last time somebody asked. */
export async function takeTags({ stub }: World, sender: string): Promise<string[]> {
  const answer = await call('POST', `${stub.url}/stub/taken`, { body: { sender } });
  return answer.body.taken;
}

export async function setUpstreamDelay({ stub }: World, ms: number): Promise<void> {
  await call('POST', `${stub.url}/stub/delay`, { body: { ms } });
}
