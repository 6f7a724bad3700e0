/**
 * Starts the service under test, in this process (quick) or as a process of its own (for kill -9), and the simulator. Tests use both
 * only through their sockets.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../src/simulator/server.ts';
import { call } from './api.ts';
import type { Answer, CallOptions } from './api.ts';
import { builtContract, builtFile, builtService, builtSimulator } from './built.ts';
import type { Contract } from './contract.ts';
import { eachLine } from './each-line.ts';
import { folderInMemory } from './in-memory.ts';
import { freePort } from './ports.ts';
import { NeverComes, until } from './until.ts';

/** Less than the timeout of a hook. */
const bootWithinMs = 50_000;

export const adminToken = 'test-admin-token-of-32-characters';

/** The environment variables of a service whose upstream is `simulatorUrl`. Webhook retries are short, because tests wait for them. */
export async function environment(
  simulatorUrl: string,
  overrides: Record<string, string> = {},
): Promise<Record<string, string>> {
  const port = overrides['PORT'] ?? String(await freePort());
  return {
    PORT: port,
    BASE_URL: `http://127.0.0.1:${port}`,
    DATA_DIR: overrides['DATA_DIR'] ?? folderInMemory('test'),
    ADMIN_TOKEN: adminToken,
    ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
    UPSTREAM_URL: simulatorUrl,
    UPSTREAM_DIALOG_URL: simulatorUrl,
    WEBHOOK_ALLOW_INSECURE: '1',
    WEBHOOK_RETRY_DELAYS_MS: '50,50,50,50,50,50,50',
    RATE_LIMIT_PER_SECOND: '0',
    LOG_LEVEL: 'error',
    ...overrides,
  };
}

export interface Service {
  url: string;
  env: Record<string, string>;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  stop(): Promise<void>;
}

function over(url: string, env: Record<string, string>, stop: () => Promise<void>): Service {
  const described = makeDescribed(url);
  const headers = { authorization: `Bearer ${adminToken}` };
  return {
    url,
    env,
    call: described,
    admin: (method, path, body) => described(method, `/admin/v1${path}`, { body, headers }),
    stop,
  };
}

/** `call` that throws if the answer differs from the service's own `/openapi.json`. */
function makeDescribed(url: string): Service['call'] {
  let contract: Promise<Contract> | null = null;
  return async (method, path, options) => {
    const answer = await call(method, `${url}${path}`, options);
    contract ??= builtContract().then((built) => built.Contract.of(url));
    const problem = (await contract).problemOf(method, path, answer);
    if (problem !== null) throw new Error(problem);
    return answer;
  };
}

/** Starts the service in this process. `stop` also removes its data, unless the test chose `DATA_DIR`. */
export async function bootService(
  simulatorUrl: string,
  overrides: Record<string, string> = {},
): Promise<Service> {
  const env = await environment(simulatorUrl, overrides);
  const { startApp, readSettings, systemClock, makeLog } = await builtService();
  const starting = startApp(readSettings(env), systemClock, makeLog(env['LOG_LEVEL'] ?? 'error'));
  const app = await started(starting, env);
  return over(`http://127.0.0.1:${env['PORT']}`, env, async () => {
    await app.stop();
    if (overrides['DATA_DIR'] === undefined)
      await rm(env['DATA_DIR'] ?? '', { recursive: true, force: true });
  });
}

/** Rejects before the hook that waits for it is out of time: its timeout would close nothing. */
function started<App>(starting: Promise<App>, env: Record<string, string>): Promise<App> {
  return new Promise((resolve, reject) => {
    const late = new Error(`the service did not start within ${bootWithinMs} ms at ${env['BASE_URL']}`);
    const timer = setTimeout(() => reject(late), bootWithinMs);
    void starting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

export interface ServiceProcess extends Service {
  process: ChildProcess;
  /** The lines of its log so far. */
  lines: string[];
  /** kill -9; resolves when the process is gone. */
  kill9(): Promise<void>;
  /** SIGTERM; resolves with the exit code. */
  terminate(): Promise<number | null>;
}

/** A start takes two seconds on an idle machine; other tests may use the CPU at the same time. */
const startWithinMs = 60_000;
/** Timeout of a `beforeAll` that spawns the service. */
export const spawnHookMs = 90_000;

/** The command that starts a service; `detached`: as the leader of its own process group. */
export interface CommandLine {
  command: string;
  args: string[];
  cwd: string;
  detached: boolean;
}

const compiledService = (): CommandLine => ({
  command: process.execPath,
  args: [builtFile('src/main.js')],
  cwd: join(import.meta.dirname, '../..'),
  detached: false,
});

/** Starts the service as a process; resolves once it is ready. Call it again with the same `env` to restart it with the same data. */
export async function spawnService(
  env: Record<string, string>,
  { command, args, cwd, detached } = compiledService(),
): Promise<ServiceProcess> {
  const child = spawn(command, args, {
    cwd,
    detached,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  for (const said of [child.stdout, child.stderr]) eachLine(said, (line) => void lines.push(line));
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = `http://127.0.0.1:${env['PORT']}`;
  const ready = until(
    `the service to be ready (${url})`,
    async () => {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new NeverComes(`the process ended: ${lines.join('\n')}`);
      return (await fetch(`${url}/readyz`)).status === 200;
    },
    startWithinMs,
  );
  // The caller gets no handle of a service that failed to start, so it is killed here.
  await ready.catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const kill9 = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
  };
  const terminate = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return gone;
  };
  return { ...over(url, env, async () => void (await terminate())), process: child, lines, kill9, terminate };
}

/** Starts a service that must not start; resolves with what it said on stderr. */
export async function refusedStart(env: Record<string, string>): Promise<string> {
  const { command, args, cwd } = compiledService();
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: startWithinMs,
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return code === 1 ? said : `ended with ${code}: ${said}`;
}

export interface Simulator {
  url: string;
  /** `POST /control/{path}`, or GET without a body. Returns the parsed answer; throws if its status is 400 or above. */
  // oxlint-disable-next-line typescript/no-explicit-any
  control(path: string, body?: unknown): Promise<any>;
  stop(): Promise<void>;
}

/** Starts the simulator in this process. `control('settings', { callback_url })` tells it where to POST its webhooks. */
export async function bootSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { startSimulator } = await builtSimulator();
  const simulator = await startSimulator(options);
  return {
    url: simulator.url,
    stop: () => simulator.close(),
    async control(path, body) {
      const method = body === undefined ? 'GET' : 'POST';
      const answer = await call(method, `${simulator.url}/control/${path}`, { body });
      if (answer.status >= 400) throw new Error(`control/${path} answered ${answer.status}: ${answer.text}`);
      return answer.body;
    },
  };
}
