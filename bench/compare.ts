/** `npx tsx bench/compare.ts <before.json> <after.json>`: two results as one table. Ratios first; absolutes only hint. */
import { readFileSync } from 'node:fs';
import type { Spread } from './measure/stats.ts';
import { tableOf } from './report.ts';
import type { BenchResult, RunResult } from './result.ts';

export function compare(before: RunResult, after: RunResult): string {
  const warnings = differences(before, after).map((what) => `not comparable: ${what}`);
  const rows = before.benches.flatMap((one) => {
    const other = after.benches.find(({ id }) => id === one.id);
    return other === undefined ? [] : rowsOf(one, other);
  });
  const head = ['bench', 'figure', before.commit, after.commit, 'change', 'beyond noise'];
  return [...warnings, tableOf(head, rows)].join('\n');
}

/** A ratio compares runs on the same store only; another machine or another length says something else too. */
function differences(before: RunResult, after: RunResult): string[] {
  const names = ['store', 'mode', 'node', 'cpu', 'cores'] as const;
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name]} → ${after[name]}`);
}

function rowsOf(before: BenchResult, after: BenchResult): string[][] {
  const figures = before.figures.flatMap((figure) => {
    const other = after.figures.find(({ name }) => name === figure.name);
    return other === undefined ? [] : [{ name: figure.name, before: figure, after: other }];
  });
  const cpu = before.rows.flatMap(({ server, cpuUs }) => {
    const other = after.rows.find((row) => row.server === server)?.cpuUs ?? null;
    return cpuUs === null || other === null
      ? []
      : [{ name: `CPU µs, ${server}`, before: cpuUs, after: other }];
  });
  return [...figures, ...cpu].map((pair) => [before.id, pair.name, ...changeOf(pair.before, pair.after)]);
}

/** Beyond noise: the two ranges do not even touch. */
export function changeOf(before: Spread, after: Spread): string[] {
  const percent = (after.median / before.median - 1) * 100;
  const isApart = after.min > before.max || after.max < before.min;
  return [
    numberOf(before),
    numberOf(after),
    `${percent >= 0 ? '+' : ''}${percent.toFixed(1)} %`,
    isApart ? 'yes' : '',
  ];
}

function numberOf({ median }: Spread): string {
  return median.toFixed(Math.abs(median) >= 100 ? 0 : 2);
}

function read(file: string): RunResult {
  return JSON.parse(readFileSync(file, 'utf8'));
}

if (process.argv[1] === import.meta.filename) {
  const [before, after] = process.argv.slice(2);
  if (before === undefined || after === undefined)
    throw new Error('usage: compare.ts <before.json> <after.json>');
  process.stdout.write(`${compare(read(before), read(after))}\n`);
}
