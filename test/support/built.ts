/**
 * The compiled service, simulator and contract check (made by `prepare-run.js`). They are loaded outside jest's module registry,
 * once for each worker: otherwise each test file would load some 800 sources again. A test that inspects internals imports the
 * sources instead: the two have separate module state.
 */
import { join } from 'node:path';
import vm from 'node:vm';
import type { readSettings } from '../../config/settings.ts';
import type { startApp } from '../../src/app/build.ts';
import type { systemClock } from '../../src/kernel/clock.ts';
import type { makeLog } from '../../src/kernel/log.ts';
import type { startSimulator } from '../../src/simulator/server.ts';
import type { Contract } from './contract.ts';

const load: <Exports>(path: string) => Promise<Exports> = vm.runInThisContext('(path) => import(path)', {
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});

/** The absolute path of a compiled file, given as in `src/main.js`. */
export function builtFile(path: string): string {
  const folder = process.env['TRUNKLINE_DIST'];
  if (folder === undefined) throw new Error('nothing is compiled: run the tests with npm test');
  return join(folder, path);
}

interface BuiltService {
  startApp: typeof startApp;
  readSettings: typeof readSettings;
  systemClock: typeof systemClock;
  makeLog: typeof makeLog;
}

export async function builtService(): Promise<BuiltService> {
  const [app, settings, clock, log] = await Promise.all([
    load<Pick<BuiltService, 'startApp'>>(builtFile('src/app/build.js')),
    load<Pick<BuiltService, 'readSettings'>>(builtFile('config/settings.js')),
    load<Pick<BuiltService, 'systemClock'>>(builtFile('src/kernel/clock.js')),
    load<Pick<BuiltService, 'makeLog'>>(builtFile('src/kernel/log.js')),
  ]);
  return { ...app, ...settings, ...clock, ...log };
}

export function builtSimulator(): Promise<{ startSimulator: typeof startSimulator }> {
  return load(builtFile('src/simulator/server.js'));
}

export function builtContract(): Promise<{ Contract: typeof Contract }> {
  return load(builtFile('test/support/contract.js'));
}
