/** Every metric, and every log line of level error, is on the operators' page. */
import { expect, test } from '@jest/globals';
import { metricTable } from '../../src/kernel/metrics.ts';
import { filesIn, asText } from './pages.ts';

const page = asText('docs/operating/monitoring.md');
const product = ['src', 'actors', 'config']
  .flatMap((folder) => filesIn(folder, ['.ts']))
  .filter((file) => !file.startsWith('src/simulator/') && !file.startsWith('src/app/demo/'))
  .map(asText);

/** The matches of the pattern's first group in the product that the page does not name. */
function lacking(pattern: RegExp): string[] {
  const names = product.flatMap((text) => [...text.matchAll(pattern)].map(([, name = '']) => name));
  expect(names.length).toBeGreaterThan(5);
  return [...new Set(names)].filter((name) => !page.includes(`\`${name}\``));
}

test('the page has exactly the existing metrics', () => {
  const [section = ''] = page.split('## 6. Log');
  const named = [...section.matchAll(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \|/gm)].map(
    ([, name = '', kind = '']) => `${name} ${kind}`,
  );
  const there = Object.entries(metricTable).map(([name, { kind }]) => `${name} ${kind}`);
  expect(named.toSorted()).toEqual(there.toSorted());
});

test('the page has every error event of the log', () => {
  expect(lacking(/\b#?log\.error\([^;]*?'([a-z-]+\.[a-z_-]+)'/g)).toEqual([]);
});
