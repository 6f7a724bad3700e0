/** A redis-server that belongs to one test, which can kill, restart and freeze it. Test files share none. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from '@jest/globals';
import { findProgram } from './executables.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';
import { areServicesRequired } from './required.ts';

const howToGet = 'install redis-server 6.2 or newer on the PATH, or set REDIS_SERVER_BINARY';

function find(): string | null {
  const named = process.env['REDIS_SERVER_BINARY'];
  if (named !== undefined && named !== '') return named;
  return findProgram('redis-server');
}

const binary = find();

/** A Redis that works answers within this time. */
const answersWithinMs = 500;

/**
 * A `describe` whose tests need a Redis that they may kill. Without a redis-server it is skipped, and its title says how to get one;
 * with `REQUIRE_SERVICES=1` it fails. A `REDIS_URL` is not used: a test must not kill a Redis that others use. [operator-interface §1]
 */
export function describeWithRedis(name: string, body: () => void): void {
  if (binary !== null) {
    describe(name, body);
  } else if (areServicesRequired) {
    describe(name, () => {
      test('a redis-server is there', () => {
        throw new Error(`no redis-server: ${howToGet}`);
      });
    });
  } else {
    describe.skip(`${name} (skipped, no redis-server: ${howToGet})`, body);
  }
}

export class RedisServer {
  readonly port: number;
  readonly #folder: string;
  readonly #options: Readonly<Record<string, string>>;
  #process: ChildProcess | null = null;

  private constructor(port: number, folder: string, options: Readonly<Record<string, string>>) {
    this.port = port;
    this.#folder = folder;
    this.#options = options;
  }

  /** `options`: directives of `redis.conf`; they override those of `#spawn`. */
  static async start(options: Readonly<Record<string, string>> = {}): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-redis-'));
    const server = new RedisServer(await freePort(), folder, options);
    await server.#spawn();
    return server;
  }

  /** Starts a Sentinel with this configuration. It is the same program; it writes what it learns into its configuration file. */
  static async startSentinel(config: string): Promise<RedisServer> {
    const folder = mkdtempSync(join(tmpdir(), 'trunkline-sentinel-'));
    const server = new RedisServer(await freePort(), folder, {});
    const file = join(folder, 'sentinel.conf');
    writeFileSync(file, `port ${server.port}\nbind 127.0.0.1\ndir ${folder}\n${config}`);
    await server.#run([file, '--sentinel']);
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill9(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const gone = new Promise<void>((resolve) => running.once('exit', () => resolve()));
    running.kill('SIGCONT');
    running.kill('SIGKILL');
    await gone;
  }

  /** Kills the process if it runs, and starts it on the same port, empty or with the same data (each write is in its file before its answer). */
  async restart(memory: 'empty' | 'same'): Promise<void> {
    await this.kill9();
    if (memory === 'empty') rmSync(join(this.#folder, 'appendonlydir'), { recursive: true, force: true });
    await this.#spawn();
  }

  /** SIGSTOP: the kernel still accepts connections, but nothing answers. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill9();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #spawn(): Promise<void> {
    const options = {
      port: this.port,
      bind: '127.0.0.1',
      dir: this.#folder,
      save: '',
      appendonly: 'yes',
      appendfsync: 'no',
      ...this.#options,
    };
    await this.#run(Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]));
  }

  async #run(args: string[]): Promise<void> {
    this.#process = spawn(binary ?? 'redis-server', args, { stdio: 'ignore' });
    await until('redis-server to answer', () => this.answers());
  }

  /** Whether it answers a `PING`, also with an error that a password is missing. */
  answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = net.connect({ host: '127.0.0.1', port: this.port }, () => socket.write('PING\r\n'));
      socket.setTimeout(answersWithinMs, () => socket.destroy());
      socket.once('data', (bytes) => {
        socket.destroy();
        resolve(/^(\+PONG|-NOAUTH)/.test(String(bytes)));
      });
      socket.once('error', () => resolve(false));
      socket.once('close', () => resolve(false));
    });
  }
}
