/**
 * Before a run: what pages load, and the service, the simulator, the contract's check and a writer to be killed as JavaScript. Test
 * files load these instead of some 800 sources each; processes and threads start from bundles, as those of a release do.
 * `TRUNKLINE_DIST` says where all this is; one that is given is taken as it is. Types are checked elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
/** Inside the checkout: what is compiled must find its packages. */
const home = join(root, 'node_modules/.cache/trunkline');
const keptMs = 3_600_000;
/** What the compiled files come from. */
const sources = [
  'actors',
  'config',
  'src',
  'test/support',
  'test/stores',
  'docs/clients.md',
  'tsconfig.json',
  'node_modules/typescript/package.json',
  'node_modules/esbuild/package.json',
];
/** Read by the compiled files where they stand. */
const beside = ['src/cluster/scripts', 'src/portal/styles', 'src/portal/docs/verify', 'docs/clients.md'];
const clientFiles = 'src/portal/client';

export default function prepareRun() {
  // Node 20 may wait for ever, spinning, for what a killed cluster has left half open, when there is nothing left to do.
  process.once('beforeExit', () => process.exit());
  compile('src/portal/client');
  process.env.TRUNKLINE_DIST ??= compiled();
}

function compile(project, ...more) {
  run(join(root, 'node_modules/typescript/bin/tsc'), '-p', project, ...more);
}

function run(script, ...given) {
  execFileSync(process.execPath, [script, ...given], { cwd: root, stdio: 'inherit' });
}

/** The folder of these very sources: runs at the same time, of other checkouts too, don't meet. */
function compiled() {
  const folder = join(home, digestOfSources());
  mkdirSync(home, { recursive: true });
  if (!existsSync(folder)) make(folder);
  const now = new Date();
  utimesSync(folder, now, now);
  removeOld(now.getTime());
  return folder;
}

function make(folder) {
  const making = join(home, randomUUID());
  compile('test/support/tsconfig.compiled.json', '--noCheck', '--outDir', making);
  for (const at of beside) cpSync(join(root, at), join(making, at), { recursive: true });
  cpSync(join(root, 'dist', clientFiles), join(making, clientFiles), { recursive: true });
  run(join(root, 'config/bundle.mjs'), making);
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(folder)) throw error; // another run was first
  }
}

function removeOld(now) {
  for (const name of readdirSync(home)) {
    const folder = join(home, name);
    const age = now - (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now);
    if (age > keptMs) rmSync(folder, { recursive: true, force: true });
  }
}

function digestOfSources() {
  const hash = createHash('sha256');
  for (const source of sources) {
    const at = join(root, source);
    const names = statSync(at).isDirectory()
      ? readdirSync(at, { recursive: true, encoding: 'utf8' }).toSorted()
      : [''];
    for (const name of names) {
      const file = join(at, name);
      if (statSync(file).isFile()) hash.update(`${source}/${name}\0`).update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex').slice(0, 32);
}
