/** The processes of a run: started, counted, and all of them stopped whatever happens. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../../test/support/until.ts';

export const root = join(import.meta.dirname, '../..');

export interface Program {
  name: string;
  pid: number;
  url: string;
  /** SIGTERM, and SIGKILL when it does not end within 10 s. */
  stop: () => Promise<void>;
}

interface Launch {
  name: string;
  command: string;
  args: readonly string[];
  env: Record<string, string>;
}

interface Launched {
  program: Program;
  /** The last lines it wrote. */
  output: readonly string[];
  hasEnded: () => boolean;
}

interface Start extends Launch {
  /** It is ready once this URL answers 200, or once it says this on stdout. */
  ready: { answers: string } | { says: RegExp };
}

const saysItsUrl = /http:\/\/[\w.]+:\d+/;

const lines = 40;

export class Programs {
  readonly #running = new Map<number, Program>();

  /** Of everything that runs now, this process included. */
  pids(): number[] {
    return [process.pid, ...this.#running.keys()];
  }

  /** Resolves when the program is ready; rejects with the end of its output when it ends first. */
  async start({ ready, ...launch }: Start): Promise<Program> {
    const { program, output, hasEnded } = this.launch(launch);
    await until(`${launch.name} to be ready`, () => hasEnded() || isReady(ready, output), 20_000);
    if (hasEnded()) throw new Error(`${launch.name} ended: ${output.join('\n')}`);
    return { ...program, url: saysItsUrl.exec(output.join('\n'))?.[0] ?? '' };
  }

  /** Starts it and does not wait. */
  launch({ name, command, args, env }: Launch): Launched {
    const child = spawn(command, args, {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const pid = child.pid ?? 0;
    const program: Program = { name, pid, url: '', stop: () => this.#stop(pid, child) };
    this.#running.set(pid, program);
    child.once('exit', () => this.#running.delete(pid));
    return { program, output: collect(child), hasEnded: () => isOver(child) };
  }

  /** A program of ours that says its URL; `file` from the root of the project. */
  node(name: string, file: string, env: Record<string, string>): Promise<Program> {
    return this.start({ name, command: process.execPath, args: [file], env, ready: { says: saysItsUrl } });
  }

  /** `but`: pids that go on. */
  async stopAll(but: ReadonlySet<number> = new Set()): Promise<void> {
    const ending = [...this.#running.values()].filter(({ pid }) => !but.has(pid));
    await Promise.all(ending.map((program) => program.stop()));
  }

  /** For an exit that can't wait. */
  killAll(): void {
    for (const pid of this.#running.keys()) kill(pid);
  }

  /** SIGSTOP: it holds its connections and answers nothing, until it is thawed. */
  freeze(pid: number): void {
    process.kill(pid, 'SIGSTOP');
  }

  thaw(pid: number): void {
    if (this.#running.has(pid)) process.kill(pid, 'SIGCONT');
  }

  /** SIGKILL now; gone from the books once it is gone. */
  async kill(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await until(`${pid} to be gone`, () => !this.#running.has(pid));
  }

  async #stop(pid: number, child: ChildProcess): Promise<void> {
    if (!isOver(child)) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(late);
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended already: that is what was wanted.
  }
}

function collect(child: ChildProcess): string[] {
  const output: string[] = [];
  const keep = (chunk: Buffer): void => {
    output.push(...chunk.toString().split('\n').filter(Boolean));
    output.splice(0, output.length - lines);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return output;
}

function isOver(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function isReady(ready: Start['ready'], output: readonly string[]): Promise<boolean> {
  if ('says' in ready) return output.some((line) => ready.says.test(line));
  return (await fetch(ready.answers)).status === 200;
}
