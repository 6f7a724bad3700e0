/** [docs/operating/capacity.md] The table of what an account can store names a bound and existing tests in each row. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/operating/capacity.md'), 'utf8');

function rows(): string[][] {
  const [, after = ''] = page.split('## What an account can store\n');
  const [section = ''] = after.split('\n## ');
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| what |'));
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('each row has a bound and names tests that exist', () => {
  expect(rows().length).toBeGreaterThan(15);
  for (const [what = '', bound = '', , shownBy = ''] of rows()) {
    expect([what, bound]).not.toContain('');
    const tests = [...shownBy.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((name) => !existsSync(join(root, 'test', `${name}.test.ts`)))).toEqual([]);
  }
});
