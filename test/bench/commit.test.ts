/** A source archive has no `.git`: the bench works there too, also if it is unpacked within another checkout. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { circumstances, commitOf } from '../../bench/results.ts';
import { closeAfterEach } from '../support/closing.ts';

const closing = closeAfterEach();

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'bench-commit-'));
  closing(() => rmSync(made, { recursive: true }));
  return made;
}

const git = (tree: string, ...args: string[]) =>
  spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: tree,
    encoding: 'utf8',
  });
const hasGit = git('.', '--version').status === 0;

test('the circumstances of this tree can be read with and without git', () => {
  expect(circumstances('smoke').commit).toMatch(/^([0-9a-f]{7,}\+?|unknown)$/);
});

test('a tree without .git has no commit', () => {
  expect(commitOf(folder())).toBe('unknown');
});

(hasGit ? describe : describe.skip)('with git', () => {
  function checkout(): string {
    const tree = folder();
    writeFileSync(join(tree, 'file'), 'as committed');
    for (const args of [['init'], ['add', '.'], ['commit', '--message', 'first']])
      expect(git(tree, ...args).status).toBe(0);
    return tree;
  }

  test('a checkout has its commit, and + with changes', () => {
    const tree = checkout();
    const head = git(tree, 'rev-parse', '--short', 'HEAD').stdout.trim();
    expect(commitOf(tree)).toBe(head);
    writeFileSync(join(tree, 'file'), 'changed');
    expect(commitOf(tree)).toBe(`${head}+`);
  });

  test('an archive that is unpacked within a checkout is not that checkout', () => {
    const archive = join(checkout(), 'archive');
    mkdirSync(archive);
    expect(commitOf(archive)).toBe('unknown');
  });
});
