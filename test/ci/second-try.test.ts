/** How `.ci/run` reads jest's reports: if a file is run a second time, alone, that result counts. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

type Word = 'passed' | 'failed' | 'pending';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-try-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A report as jest writes it: file names with the outcomes of their tests. */
function report(name: string, files: Record<string, Word[]>): string {
  const path = join(folder, name);
  const testResults = Object.entries(files).map(([file, words]) => ({
    name: resolve(file),
    status: words.length === 0 || words.includes('failed') ? 'failed' : 'passed',
    assertionResults: words.map((status) => ({ status })),
  }));
  writeFileSync(path, JSON.stringify({ testResults }));
  return path;
}

const run = (...args: string[]): string =>
  execFileSync(process.execPath, ['.ci/second-try.mjs', ...args], { encoding: 'utf8' });

test('the failed files are named, also one that could not be loaded', () => {
  const first = report('a.json', {
    'test/good.test.ts': ['passed', 'pending'],
    'test/bad.test.ts': ['passed', 'failed'],
    'test/unloaded.test.ts': [],
  });
  expect(run('failed', first)).toBe('test/bad.test.ts\ntest/unloaded.test.ts\n');
  expect(run('count', first, join(folder, 'none.json'))).toBe('2 passed, 2 failed\n');
});

test('a file that passes alone counts as passed, and is named', () => {
  const first = report('b1.json', {
    'test/good.test.ts': ['passed'],
    'test/slow.test.ts': ['passed', 'failed'],
  });
  const second = report('b2.json', { 'test/slow.test.ts': ['passed', 'passed'] });
  expect(run('count', first, second)).toBe('passed only alone:\n  test/slow.test.ts\n3 passed, 0 failed\n');
});

test('a file that fails twice counts as failed, by its second run', () => {
  const first = report('c1.json', {
    'test/bad.test.ts': ['failed', 'failed'],
    'test/slow.test.ts': ['failed'],
  });
  const second = report('c2.json', {
    'test/bad.test.ts': ['passed', 'failed'],
    'test/slow.test.ts': ['passed'],
  });
  expect(run('count', first, second)).toBe('passed only alone:\n  test/slow.test.ts\n2 passed, 1 failed\n');
});

test('a missing or empty report is a failure', () => {
  expect(run('count', join(folder, 'none.json'))).toBe('0 passed, 1 failed\n');
  expect(run('count', report('d.json', {}))).toBe('0 passed, 1 failed\n');
});
