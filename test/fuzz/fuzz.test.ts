/**
 * [faults: I9] A few seconds of inputs at each door where bytes of strangers come in, from the corpus on. `npm run fuzz -- --door upstream
 * --minutes 60` for longer.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { doorNames } from './door-names.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const minutes = Number(process.env['FUZZ_MINUTES'] ?? 0.03);
const seed = process.env['FUZZ_SEED'] ?? String(Math.floor(Date.now() / 1_000) % 1_000_000);

jest.setTimeout(300_000 + doorNames.length * minutes * 60_000);

test(`every door is tried for ${minutes} minutes, and nothing is found (seed ${seed})`, async () => {
  const asked = ['--door', 'all', '--minutes', String(minutes), '--seed', seed];
  const { stdout } = await run('npm', ['run', '--silent', 'fuzz', '--', ...asked], { cwd: root }).catch(
    ({ stdout: said, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${said}\n${stderr}`);
    },
  );
  const tried = [...stdout.matchAll(/^(\w+): seed \d+, [1-9]\d* inputs, .* 0 found$/gm)];
  expect(tried.map(([, door]) => door)).toEqual(doorNames);
});

/** A door that has mistakes on purpose. */
test.each([
  ['throws', /0x99 is not expected/],
  ['stands still', /a turn takes long/],
  ['hangs', /it hangs/],
])('a door that %s is found', async (mistake, said) => {
  const asked = ['--door', 'mistaken', '--minutes', '2', '--first', '--seed', seed];
  const env = { ...process.env, FUZZ_MISTAKE: mistake };
  const failed = run('npm', ['run', '--silent', 'fuzz', '--', ...asked], { cwd: root, env });
  await expect(failed).rejects.toMatchObject({ stdout: expect.stringMatching(said) });
});
