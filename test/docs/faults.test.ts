/** The fault tables name the tests of each row, and those tests exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/faults.md'), 'utf8');

interface Row {
  number: string;
  shownBy: string;
}

/** The tables whose last column names tests. */
function rows(): Row[] {
  const found: Row[] = [];
  let isShown = false;
  for (const line of page.split('\n')) {
    if (line.startsWith('| # |')) isShown = line.trimEnd().endsWith('| shown by |');
    const [, number] = /^\| (I?\d+) \|/.exec(line) ?? [];
    if (!isShown || number === undefined) continue;
    const cells = line.trimEnd().split(/(?<!\\)\|/);
    found.push({ number, shownBy: cells.at(-2)?.trim() ?? '' });
  }
  return found;
}

const all = rows();
const testsIn = ({ shownBy }: Row): string[] =>
  [...shownBy.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

describe('the fault tables', () => {
  test('have a column with the tests of each row', () => {
    expect(all.length).toBeGreaterThan(130);
  });

  test('give each row a number of its own', () => {
    const numbers = all.map(({ number }) => number);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  test('name at least one test for each row, or say what replaces it', () => {
    const bare = all.filter((row) => testsIn(row).length === 0 && !row.shownBy.includes('('));
    expect(bare).toEqual([]);
  });

  test('name existing tests with tests in them', () => {
    const missing = all.flatMap((row) => {
      const absent = testsIn(row).filter((name) => {
        const file = join(root, 'test', `${name}.test.ts`);
        return (
          !existsSync(file) ||
          !/\b(test|describe\w*|suite\w*|conformance\w*)\b/.test(readFileSync(file, 'utf8'))
        );
      });
      return absent.map((name) => `${row.number}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});
