/**
 * [faults: I9] Each entry point for untrusted bytes is fuzzed for a few seconds, starting with the corpus. `npm run fuzz -- --target upstream
 * --minutes 60` runs longer.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { targetNames, mistakenNames } from './target-names.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const minutes = Number(process.env['FUZZ_MINUTES'] ?? 0.03);
const seed = process.env['FUZZ_SEED'] ?? String(Math.floor(Date.now() / 1_000) % 1_000_000);

jest.setTimeout(300_000 + targetNames.length * minutes * 60_000);

test(`every entry point is fuzzed for ${minutes} minutes without a finding (seed ${seed})`, async () => {
  const asked = ['--target', 'all', '--minutes', String(minutes), '--seed', seed];
  const { stdout } = await run('npm', ['run', '--silent', 'fuzz', '--', ...asked], { cwd: root }).catch(
    ({ stdout: said, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${said}\n${stderr}`);
    },
  );
  const tried = [...stdout.matchAll(/^(\w+): seed \d+, [1-9]\d* inputs, .* 0 found$/gm)];
  expect(tried.map(([, target]) => target)).toEqual(targetNames);
});

test('an entry point that throws, one that blocks and one that hangs are found', async () => {
  const asked = ['--target', mistakenNames.join(), '--minutes', '2', '--most', '1', '--seed', seed];
  const failed = run('npm', ['run', '--silent', 'fuzz', '--', ...asked], { cwd: root });
  const said = /throwing: .*0x99 is not expected.*blocking: a turn takes long.*hanging: it hangs/s;
  await expect(failed).rejects.toMatchObject({ stdout: expect.stringMatching(said) });
});
