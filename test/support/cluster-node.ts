/** One node of a cluster as a process, which a test can kill, freeze, stop gracefully and cut off from Redis and MongoDB. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { call } from './api.ts';
import type { Answer, CallOptions } from './api.ts';
import { builtFile } from './built.ts';
import { eachLine } from './each-line.ts';
import type { Proxy } from './proxy.ts';
import { adminToken } from './service.ts';
import type { Service } from './service.ts';
import { NeverComes, until } from './until.ts';

/** A start takes two seconds on an idle machine; other tests may use the CPU at the same time. */
const startWithinMs = 60_000;

interface NodeProxies {
  redis: Proxy;
  mongo: Proxy;
}

export class ClusterNode implements Service {
  readonly id: string;
  readonly url: string;
  readonly env: Record<string, string>;
  /** The proxies between this node and its servers. */
  readonly proxies: NodeProxies;
  /** The lines of its log, over all its starts. */
  readonly lines: string[] = [];
  /** The `main.js` of the build that the next start runs. */
  main = builtFile('src/main.js');
  /** Duration of the last start, from spawn to the first 200 of `/readyz`. */
  startMs = 0;
  #process: ChildProcess | null = null;
  #errorsTaken = 0;
  #gone: Promise<number | null> = Promise.resolve(null);

  constructor(id: string, env: Record<string, string>, proxies: NodeProxies) {
    this.id = id;
    this.env = env;
    this.proxies = proxies;
    this.url = `http://127.0.0.1:${env['PORT']}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get isRunning(): boolean {
    const child = this.#process;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }

  call(method: string, path: string, options?: CallOptions): Promise<Answer> {
    return call(method, `${this.url}${path}`, options);
  }

  admin(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { authorization: `Bearer ${adminToken}` };
    return this.call(method, `/admin/v1${path}`, { body, headers });
  }

  /** The answer of `GET /metrics` (Prometheus text), with the admin token. */
  async metrics(): Promise<string> {
    const headers = { authorization: `Bearer ${adminToken}` };
    return (await this.call('GET', '/metrics', { headers })).text;
  }

  async isReady(): Promise<boolean> {
    const answer = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(1_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  }

  /** Resolves once the node is ready; rejects with its log if the process ends before. */
  async start(): Promise<void> {
    const startedAt = performance.now();
    this.spawn(this.main);
    await this.ready();
    this.startMs = performance.now() - startedAt;
  }

  async ready(): Promise<void> {
    await until(
      `${this.id} to be ready`,
      () => {
        if (!this.isRunning) throw new NeverComes(`the process ended: ${this.lines.slice(-20).join('\n')}`);
        return this.isReady();
      },
      startWithinMs,
    );
  }

  /** kill -9; resolves when the process is gone. */
  async kill9(): Promise<void> {
    if (!this.isRunning) return;
    this.#process?.kill('SIGCONT');
    this.#process?.kill('SIGKILL');
    await this.#gone;
  }

  /** SIGSTOP. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  /** Resolves once a request gets no answer for a second, although the connection is accepted: the process stands still. */
  async silent(): Promise<void> {
    const isTimeout = (error: unknown): boolean => Object(error).name === 'TimeoutError';
    await until(`${this.id} to be silent`, () => this.isReady().then(() => false, isTimeout));
  }

  /** SIGCONT. */
  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  /** SIGTERM; resolves with the exit code. */
  terminate(): Promise<number | null> {
    this.#process?.kill('SIGTERM');
    return this.#gone;
  }

  /** Resolves with the exit code once the process has ended by itself. */
  ended(): Promise<number | null> {
    return this.#gone;
  }

  async stop(): Promise<void> {
    await this.kill9();
  }

  /** The log lines of this event, parsed. */
  logged(event: string): Record<string, unknown>[] {
    return this.lines
      .filter((line) => line.includes(`"${event}"`))
      .map((line): Record<string, unknown> => JSON.parse(line));
  }

  /** The log lines of level error since the last call. */
  takeErrors(): string[] {
    const from = this.#errorsTaken;
    this.#errorsTaken = this.lines.length;
    return this.lines.slice(from).filter((line) => line.includes('"level":"error"'));
  }

  spawn(main: string): void {
    const child = spawn(process.execPath, [main], {
      env: { PATH: process.env['PATH'] ?? '', ...this.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const said of [child.stdout, child.stderr]) eachLine(said, (line) => void this.lines.push(line));
    this.#gone = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    this.#process = child;
  }
}
