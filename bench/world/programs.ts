/** The processes of a run: started here, listed for the CPU accounts, and stopped at the end in any case. */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../../test/support/until.ts';

export const root = join(import.meta.dirname, '../..');

export interface Program {
  name: string;
  pid: number;
  url: string;
  /** Sends SIGTERM, and SIGKILL if the process has not ended within 10 s. */
  stop: () => Promise<void>;
}

interface Launch {
  name: string;
  command: string;
  args: readonly string[];
  env: Record<string, string>;
  /** The user who runs it; by default the one who runs the bench. */
  owner?: { uid: number; gid: number } | undefined;
}

interface Launched {
  program: Program;
  /** The last lines of its output. */
  output: readonly string[];
  hasEnded: () => boolean;
}

interface Start extends Launch {
  /** The program is ready once this URL answers 200, or once it prints a line that matches. */
  ready: { answers: string } | { says: RegExp };
}

const saysItsUrl = /http:\/\/[\w.]+:\d+/;

const lines = 40;

export class Programs {
  readonly #running = new Map<number, Program>();

  /** The pids of all running programs and of this process. */
  pids(): number[] {
    return [process.pid, ...this.#running.keys()];
  }

  /** Resolves when the program is ready; rejects with its last output if it ends before. */
  async start({ ready, ...launch }: Start): Promise<Program> {
    const { program, output, hasEnded } = this.launch(launch);
    await until(`${launch.name} to be ready`, () => hasEnded() || isReady(ready, output), 20_000);
    if (hasEnded()) throw new Error(`${launch.name} ended: ${output.join('\n')}`);
    return { ...program, url: saysItsUrl.exec(output.join('\n'))?.[0] ?? '' };
  }

  /** Starts the program without waiting until it is ready. */
  launch({ name, command, args, env, owner }: Launch): Launched {
    const child = spawn(command, args, {
      cwd: root,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...owner,
    });
    const pid = child.pid ?? 0;
    const program: Program = { name, pid, url: '', stop: () => this.#stop(pid, child) };
    this.#running.set(pid, program);
    child.once('exit', () => this.#running.delete(pid));
    return { program, output: collect(child), hasEnded: () => isOver(child) };
  }

  /** Starts a program of the bench that prints its URL; `file` is relative to the project's root. */
  node(name: string, file: string, env: Record<string, string>): Promise<Program> {
    return this.start({ name, command: process.execPath, args: [file], env, ready: { says: saysItsUrl } });
  }

  /** `but`: pids to keep running. */
  async stopAll(but: ReadonlySet<number> = new Set()): Promise<void> {
    const ending = [...this.#running.values()].filter(({ pid }) => !but.has(pid));
    await Promise.all(ending.map((program) => program.stop()));
  }

  /** For an exit that cannot wait. */
  killAll(): void {
    for (const pid of this.#running.keys()) kill(pid);
  }

  /** SIGSTOP: the process keeps its connections open and answers nothing until `thaw`. */
  freeze(pid: number): void {
    process.kill(pid, 'SIGSTOP');
  }

  thaw(pid: number): void {
    if (this.#running.has(pid)) process.kill(pid, 'SIGCONT');
  }

  /** Sends SIGKILL; resolves once the process has ended. */
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
    // The process has already ended.
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
