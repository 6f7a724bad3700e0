/**
 * Jest's global setup: compiles the browser scripts of the pages, the service, the simulator, the contract check and the store writer
 * that tests kill. Each test file loads these instead of some 800 sources; processes and threads start from bundles, as in a release.
 * A test that imports sources gets each as `sources/compile.js` has compiled it.
 * `TRUNKLINE_DIST` is the folder of the result; if it is set already, nothing is compiled into it. `npm run types` checks the types.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileSources } from './sources/compile.js';

const root = join(import.meta.dirname, '../..');
/** Inside the checkout, so that compiled files find its packages. */
const home = join(root, 'node_modules/.cache/trunkline');
const keptMs = 3_600_000;
/** Of `docs/`, that the service shows. `npm run build` copies the same. */
const pages = ['clients', 'contract', 'error-codes', 'operating/decisions'].map((name) => `docs/${name}.md`);
/** The inputs of the compilation: their digest names its folder. */
const sources = [
  'actors',
  'config',
  'src',
  'test/support',
  'test/stores',
  ...pages,
  'tsconfig.json',
  'node_modules/typescript/package.json',
  'node_modules/esbuild/package.json',
  'package-lock.json',
];
/** Of the clients, what is written by hand. */
const clients = ['node', 'python'].map((language) => `src/features/docs/clients/${language}`);
/** Files that the compiled code reads from beside itself. */
const beside = ['src/ownership/scripts', 'src/features/docs/verify', ...clients, ...pages];
const clientFiles = 'src/pages/client';

export default async function prepareRun() {
  // Otherwise Node 20 may spin for ever at its end, on sockets that a killed cluster has left half open.
  process.once('beforeExit', () => process.exit());
  process.env.TRUNKLINE_DIST ??= await compiled();
}

function compile(project, ...more) {
  run(join(root, 'node_modules/typescript/bin/tsc'), '-p', project, ...more);
}

function run(script, ...given) {
  execFileSync(process.execPath, [script, ...given], { cwd: root, stdio: 'inherit' });
}

/** The folder is named by the digest of the sources: concurrent runs of different sources do not share one. */
async function compiled() {
  const folder = join(home, digestOfSources());
  mkdirSync(home, { recursive: true });
  if (existsSync(folder)) putClient(folder);
  else await make(folder);
  const now = new Date();
  utimesSync(folder, now, now);
  removeOld(now.getTime());
  return folder;
}

/** The browser's scripts of these sources, where the sources look for them. Written only if they differ: another run may be reading them. */
function putClient(folder) {
  const place = join(root, 'dist', clientFiles);
  for (const name of readdirSync(join(folder, clientFiles))) {
    const script = readFileSync(join(folder, clientFiles, name));
    const there = join(place, name);
    if (existsSync(there) && readFileSync(there).equals(script)) continue;
    mkdirSync(place, { recursive: true });
    writeFileSync(there, script);
  }
}

async function make(folder) {
  run(join(root, 'config/client.mjs'));
  const making = join(home, randomUUID());
  compile('test/support/tsconfig.compiled.json', '--noCheck', '--outDir', making);
  await compileSources(root, join(making, 'modules'));
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
