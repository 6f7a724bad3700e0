/** The service compiled once for a run: N processes of it start in the time that one takes from its sources. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** Inside the checkout: what is compiled must find its packages. */
const home = join(root, 'node_modules/.cache');

let building: Promise<string> | null = null;

/**
 * The path of the compiled `main.js`; the folder is removed when this process ends. `TRUNKLINE_DIST` names one that is there
 * already. Types are checked elsewhere.
 */
export function builtMain(): Promise<string> {
  building ??= build();
  return building;
}

async function build(): Promise<string> {
  const given = process.env['TRUNKLINE_DIST'];
  const folder = given ?? (await compiled());
  const main = join(folder, 'src/main.js');
  await stat(main);
  return main;
}

async function compiled(): Promise<string> {
  await mkdir(home, { recursive: true });
  const folder = await mkdtemp(join(home, 'trunkline-'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--noCheck', '--outDir', folder], {
    cwd: root,
  });
  for (const at of ['src/cluster/scripts', 'src/portal/styles', 'src/portal/docs/verify'])
    await cp(join(root, at), join(folder, at), { recursive: true });
  return folder;
}

/** For an `afterAll`. */
export async function removeBuilt(): Promise<void> {
  if (building === null || process.env['TRUNKLINE_DIST'] !== undefined) return;
  const main = await building;
  building = null;
  await rm(join(main, '../..'), { recursive: true, force: true });
}
