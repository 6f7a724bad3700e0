/** [test/README.md, tiers] What `npm test`, `npm run test:services` and `npm run test:long` run, asked of jest itself. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from '@jest/globals';
import { allFiles, tierOf, tiers } from '../support/tiers.js';

const root = join(import.meta.dirname, '../..');
const read = (name: string): string => readFileSync(join(root, name), 'utf8');
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;
const scriptOf = (tier: string): string => (tier === 'fast' ? 'test' : `test:${tier}`);

/** The files that the script would run, given these arguments. */
function filesOf(tier: string, ...given: string[]): string[] {
  const { TEST_TIER: _, ...env } = process.env;
  const args = ['run', '--silent', scriptOf(tier), '--', '--listTests', ...given];
  const said = execFileSync('npm', args, {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return said
    .trim()
    .split('\n')
    .map((path) => relative(root, path));
}

test('the three commands run every file, each file once', () => {
  const run = tiers.flatMap((tier) => filesOf(tier));
  expect(run.toSorted()).toEqual(allFiles().toSorted());
});

test('a command runs the files that it names, whatever their tier', () => {
  const named = ['test/spec/echoes.test.ts', 'test/storm/storm.test.ts', 'test/stores/mongo.test.ts'];
  expect(named.map(tierOf)).toEqual(['fast', 'long', 'services']);
  expect(filesOf('fast', ...named).toSorted()).toEqual(named.toSorted());
});

test('CI runs the three commands', () => {
  for (const tier of tiers) expect(scripts[scriptOf(tier)]).toContain(`TEST_TIER=${tier} `);
  const run = [...read('.ci/run').matchAll(/^begin \S+ (?:beside )?run_tests (\S+)/gm)].map(
    ([, script]) => script,
  );
  expect(run).toEqual(tiers.map(scriptOf));
});

const skipped = /\b(?:describe|test)\.skip\b/;
/** It needs Linux's list of locks. */
const known = ['test/stores/embedded/checkpoints.test.ts'];

test('the fast tier needs only Node: no test of it is skipped where a server or a browser is missing', () => {
  const skipping = allFiles().filter((file) => tierOf(file) === 'fast' && skipped.test(read(file)));
  expect(skipping).toEqual(known);
});
