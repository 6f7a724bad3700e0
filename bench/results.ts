/** Results as files: JSON for programs, one page for people. They hold for one machine only, so they are not kept in the repository. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Options } from './options.ts';
import { pageOf } from './page.ts';
import type { RunResult } from './result.ts';
import { root } from './world/programs.ts';

const folder = join(root, 'bench/results');

export function circumstances(mode: RunResult['mode']): Omit<RunResult, 'benches' | 'skipped'> {
  const processors = cpus();
  return {
    at: new Date().toISOString(),
    commit: commitOf(root),
    mode,
    node: process.versions.node,
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    seconds: 0,
  };
}

/** For a source archive, where git is missing or does not know the tree. */
const noCommit = 'unknown';

/** Whether the tree itself is a git checkout; a tree unpacked inside another checkout is not. */
export function isCheckout(tree: string): boolean {
  return existsSync(join(tree, '.git'));
}

/** `ref`: the commit to compare with. The profiler takes time of the service, so a run with it is no full one: the table leaves it out. */
export function modeOf(
  { smoke, profileDir }: Pick<Options, 'smoke' | 'profileDir'>,
  ref: string | null,
): RunResult['mode'] {
  if (ref !== null) return 'compare';
  if (profileDir !== null) return 'profile';
  return smoke ? 'smoke' : 'full';
}

/** A `+` at the end means uncommitted changes. */
export function commitOf(tree: string): string {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: tree, encoding: 'utf8' });
  const head = git('rev-parse', '--short', 'HEAD');
  if (!isCheckout(tree) || head.status !== 0) return noCommit;
  const isChanged = git('status', '--porcelain', '--untracked-files=no').stdout.trim() !== '';
  return `${head.stdout.trim()}${isChanged ? '+' : ''}`;
}

export function write(result: RunResult): string[] {
  mkdirSync(folder, { recursive: true });
  const name = `${result.at.replaceAll(/[:.]/g, '-')}-${result.mode}`;
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(join(folder, `${name}.html`), pageOf(result));
  return [`bench/results/${name}.json`, `bench/results/${name}.html`];
}

/** JSON writes NaN as null. */
export function parseResult(text: string): RunResult {
  const numbers = new Set(['median', 'min', 'max']);
  return JSON.parse(text, (key, value: unknown) => (value === null && numbers.has(key) ? NaN : value));
}

/** The stored full runs, oldest first. */
export function fullResults(): RunResult[] {
  const names = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('-full.json'));
  return names.toSorted().map((name) => parseResult(readFileSync(join(folder, name), 'utf8')));
}

/** 1: a figure is beyond its budget, or a bench broke. 2: a budget could not be judged (for the smoke this prints a line and returns 0). */
export function exitCodeOf({ benches, skipped, mode }: RunResult, tell: (line: string) => void): number {
  const verdicts = benches.flatMap(({ figures }) => figures.map(({ verdict }) => verdict));
  if (verdicts.includes('beyond') || skipped.some(({ isBroken }) => isBroken === true)) return 1;
  if (!verdicts.includes('invalid')) return 0;
  tell('INVALID (noisy): others took the CPU; figures so marked say nothing either way');
  return mode === 'smoke' ? 0 : 2;
}
