/** [faults: 531] `since` of the live feed on a machine whose time zone is not UTC. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';

const file = pathToFileURL(join(import.meta.dirname, '../../../src/features/live/credential.ts')).href;

test.each([
  ['2026-03-29T10:00:00.123456', '2026-03-29T10:00:00.123Z'],
  ['2026-03-29 10:00:00', '2026-03-29T10:00:00.000Z'],
  ['2026-03-29T10:00:00Z', '2026-03-29T10:00:00.000Z'],
  ['2026-03-29T10:00:00+02:00', '2026-03-29T08:00:00.000Z'],
  ['2026-03-29', '2026-03-29T00:00:00.000Z'],
])('%s is %s there', (since, at) => {
  const script = `const { sinceIn } = await import('${file}');
    console.log(new Date(sinceIn({ since: '${since}' })).toISOString());`;
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = { PATH: process.env['PATH'], TZ: 'America/St_Johns' };
  expect(String(execFileSync(process.execPath, args, { env })).trim()).toBe(at);
});
