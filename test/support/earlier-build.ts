/**
 * Builds an earlier commit of this repository in the same way as `prepare-run.js` builds the current sources, with the packages that
 * are installed here. The build is kept for an hour after its last use.
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
/** Files that the compiled code reads from beside itself, in this tree and in earlier ones. */
const beside = [
  'ownership/scripts',
  'cluster/scripts',
  'pages/styles',
  'portal/styles',
  'features/docs/verify',
  'features/docs/clients/node',
  'features/docs/clients/python',
  'portal/docs/verify',
].map((at) => `src/${at}`);

/** Whether this checkout's history contains the commit: an archive has no history, a shallow clone only a part. */
export function isInHistory(commit: string): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root, stdio: 'ignore' });
    return true;
  } catch {
    return false; // no git, no repository or no such commit
  }
}

/** Builds the commit if no build is cached; returns the path of its `main.js`. */
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
  for (const at of beside.filter((each) => existsSync(join(making, each))))
    await cp(join(making, at), join(dist, at), { recursive: true });
  await run(process.execPath, [join(making, 'config/bundle.mjs'), dist], { cwd: making });
  try {
    await rename(making, folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // another run was first
  }
}
