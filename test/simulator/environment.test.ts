/** With an invalid value the simulator does not start: it prints one line that names the variable and not the value. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { builtFile } from '../support/built.ts';

const root = join(import.meta.dirname, '../..');

test.each([
  ['SIMULATOR_WEBHOOK_RETRY_MS', '200,soon', 'made of numbers that are not negative'],
  ['SIMULATOR_WEBHOOK_RETRY_MS', '200,,1000', 'made of numbers that are not negative'],
  ['SIMULATOR_STATUS_DELAY_MS', '20,30', 'one number that is not negative'],
  ['SIMULATOR_PORT', '-1', 'made of numbers that are not negative'],
])(
  '%s=%s is rejected',
  (name, value, what) => {
    const { status, stderr } = spawnSync(process.execPath, [builtFile('src/simulator/main.js')], {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '', [name]: value },
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([status, stderr]).toEqual([1, `simulator: ${name} must be ${what}\n`]);
  },
  70_000,
);
