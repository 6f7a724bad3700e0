/** Parts that every bench needs: upstream, a receiver, and a way to start the built service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '../../test/support/api.ts';
import { freePort } from '../../test/support/ports.ts';
import { adminToken, environment } from '../../test/support/service.ts';
import type { Service, Simulator } from '../../test/support/service.ts';
import { openReceiver } from '../load/receiver.ts';
import type { Receiver } from '../load/receiver.ts';
import { appSecret } from '../load/upstream-posts.ts';
import { root } from './programs.ts';
import type { Program, Programs } from './programs.ts';

export interface Testbed {
  programs: Programs;
  simulator: Simulator;
  /** Answers sends; passes everything else on to the simulator, which is otherwise idle. */
  stub: Program;
  receiver: Receiver;
  /** Temporary folder of this run; removed at its end. */
  folder: string;
  /** Folder for CPU profiles of the service; null: none are written. */
  profileDir: string | null;
  close(): Promise<void>;
}

export async function openTestbed(programs: Programs, profileDir: string | null): Promise<Testbed> {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-bench-'));
  const receiver = await openReceiver();
  const simulator = await startSimulator(programs);
  const stub = await programs.node('stub', 'dist/bench/upstream-stub.js', { SIMULATOR_URL: simulator.url });
  return {
    programs,
    simulator,
    stub,
    receiver,
    folder,
    profileDir,
    async close() {
      await programs.stopAll();
      receiver.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startSimulator(programs: Programs): Promise<Simulator> {
  // A load would meet the platform's rates, not the service's limits.
  const env = { SIMULATOR_PORT: '0', SIMULATOR_PROFILE: 'lax' };
  const program = await programs.node('simulator', 'dist/src/simulator/main.js', env);
  return {
    url: program.url,
    stop: () => program.stop(),
    async control(path, body) {
      const method = body === undefined ? 'GET' : 'POST';
      const answer = await call(method, `${program.url}/control/${path}`, { body });
      if (answer.status >= 400) throw new Error(`control/${path} answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
  };
}

/**
 * For servers that wait for the loads of others: V8 shrinks the heap of a process that is idle for eight seconds and drops code that it has
 * not run lately, so that the process begins its load with more garbage collections and cold code.
 */
export const staysWarm = ['--no-memory-reducer', '--no-flush-bytecode'] as const;

interface ServiceOptions {
  name?: string;
  dataDir: string;
  /** The tree whose `dist/` is started; by default this one. */
  tree?: string;
  env?: Record<string, string>;
  flags?: readonly string[];
  port?: number;
}

/** The environment of the service under test: as in production, except that its upstream and receivers are on this machine. */
export async function serviceEnv(testbed: Testbed, options: ServiceOptions): Promise<Record<string, string>> {
  const env = await environment(testbed.stub.url, {
    PORT: String(options.port ?? (await freePort())),
    DATA_DIR: options.dataDir,
    UPSTREAM_DIALOG_URL: testbed.simulator.url,
    UPSTREAM_APP_SECRET: appSecret,
    LOG_LEVEL: 'info',
    ...options.env,
  });
  delete env['WEBHOOK_RETRY_DELAYS_MS']; // use the default instead of the tests' short ladder
  return env;
}

/** Resolves when the service is ready. */
export async function startService(testbed: Testbed, options: ServiceOptions): Promise<Program> {
  const env = await serviceEnv(testbed, options);
  const { profileDir, programs } = testbed;
  const profile = profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const args = [...profile, ...(options.flags ?? []), join(options.tree ?? root, 'dist/src/main.js')];
  const url = `http://127.0.0.1:${env['PORT']}`;
  const ready = { answers: `${url}/readyz` };
  const name = options.name ?? 'service';
  return { ...(await programs.start({ name, command: process.execPath, args, env, ready })), url };
}

/** In the shape that the tests' helpers expect. */
export function asService({ url, stop }: Program): Service {
  return {
    url,
    env: {},
    stop,
    call: (method, path, options) => call(method, url + path, options),
    admin: (method, path, body) => admin(url, method, path, body),
  };
}

export function admin(url: string, method: string, path: string, body?: unknown) {
  return call(method, `${url}/admin/v1${path}`, {
    body,
    headers: { authorization: `Bearer ${adminToken}` },
  });
}

/** Returns the tags of the sends from these numbers since the previous call. */
export async function takeTags(
  { stub }: Testbed,
  phones: readonly string[],
): Promise<{ phone: string; tag: string }[]> {
  const answer = await call('POST', `${stub.url}/stub/taken`, { body: { senders: phones } });
  return answer.body.taken;
}

export async function setUpstreamDelay({ stub }: Testbed, ms: number): Promise<void> {
  await call('POST', `${stub.url}/stub/delay`, { body: { ms } });
}
