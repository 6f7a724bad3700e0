/** [performance §3] All measurements are in one table; a figure elsewhere is quoted from it, whole. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const asText = (path: string): string => readFileSync(join(root, path), 'utf8');

function between(text: string, begin: string, end: string): string[] {
  const inside = text.slice(text.indexOf(begin) + begin.length, text.indexOf(end));
  return inside.split('\n').filter((line) => /^\| \d/.test(line));
}

test('the three lines that the page of performance quotes are lines of the latest table of the bench', () => {
  const table = between(asText('bench/README.md'), '<!-- latest: begin -->', '<!-- latest: end -->');
  const quoted = between(asText('docs/performance.md'), '<!-- figures: begin -->', '<!-- figures: end -->');
  expect(quoted).toHaveLength(3);
  for (const line of quoted) expect(table).toContain(line);
});
