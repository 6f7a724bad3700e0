/**
 * An earlier build of this repository, made of its history as `prepare-run.js` makes today's: with the packages that are installed
 * here. Kept beside today's for an hour, for the next run.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newSecret } from '../../src/kernel/ids.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const home = join(root, 'node_modules/.cache/trunkline');
const parts = ['actors', 'config', 'src', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
/** Read by the compiled files where they stand. */
const beside = ['src/cluster/scripts', 'src/portal/styles', 'src/portal/docs/verify'];

/** Whether the history of this checkout goes back so far: an archive has none, a shallow clone may not. */
export function isInHistory(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false; // no git, no repository, or no such commit: all the same to who asks
  }
}

/** The `main.js` of that build. */
export async function earlierBuild(commit: string): Promise<string> {
  const folder = join(home, `earlier-${commit}`);
  if (!existsSync(folder)) await make(commit, folder);
  const now = new Date();
  await utimes(folder, now, now);
  return join(folder, 'dist/src/main.js');
}

async function make(commit: string, folder: string): Promise<void> {
  const making = join(home, `earlier-${newSecret(8)}`);
  await mkdir(making, { recursive: true });
  const packed = join(making, 'sources.tar');
  await run('git', ['archive', '--output', packed, commit, ...parts], { cwd: root });
  await run('tar', ['-xf', packed, '-C', making]);
  const dist = join(making, 'dist');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(making, 'tsconfig.build.json');
  await run(process.execPath, [tsc, '-p', project, '--noCheck', '--outDir', dist], { cwd: making });
  for (const at of beside) await cp(join(making, at), join(dist, at), { recursive: true });
  await run(process.execPath, [join(making, 'config/bundle.mjs'), dist], { cwd: making });
  try {
    await rename(making, folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // another run was first
  }
}
