/**
 * `npm run bench -- --table`: writes the latest full figures as the table of bench/README.md, with date, machine and commit, and three of
 * its rows into docs/performance.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { budgetOf, digitsOf, rangeOf } from './report.ts';
import type { BenchResult, Figure, RunResult } from './result.ts';
import { fullResults } from './results.ts';
import { root } from './world/programs.ts';

const [begin, end] = ['<!-- latest: begin -->', '<!-- latest: end -->'];
const [quoteBegin, quoteEnd] = ['<!-- figures: begin -->', '<!-- figures: end -->'];
/** The most interesting figures; other rows replace those that were not measured. */
const askedFirst = [
  '| 1 | sends per core to naive |',
  '| 3 | ingests per core to stock Express |',
  '| 4 | events per core to naive |',
];

export function writeTable(tell: (line: string) => void): number {
  const runs = fullResults();
  const [latest] = runs.toReversed();
  if (latest === undefined) {
    tell('there is no full run in bench/results: `npm run bench` makes one');
    return 1;
  }
  const file = join(root, 'bench/README.md');
  const table = tableOfRuns(runs);
  writeFileSync(file, replaced(readFileSync(file, 'utf8'), table));
  const front = join(root, 'docs/performance.md');
  writeFileSync(front, replaced(readFileSync(front, 'utf8'), quoteOf(table), quoteBegin, quoteEnd));
  tell('bench/README.md has the latest table, docs/performance.md three lines of it');
  return 0;
}

export function replaced(page: string, table: string, from = begin, to = end): string {
  const [start, stop] = [page.indexOf(from), page.indexOf(to)];
  if (start < 0 || stop < start) throw new Error(`the page has no ${from} … ${to}`);
  return `${page.slice(0, start)}${from}\n\n${table}\n\n${page.slice(stop)}`;
}

/** Date and machine, column titles, three rows. */
export function quoteOf(table: string): string {
  const lines = table.split('\n');
  const rows = lines.filter((line) => /^\| \d/.test(line));
  const first = rows.filter((row) => askedFirst.some((start) => row.startsWith(start)));
  const rest = rows.filter((row) => !first.includes(row));
  return [...lines.slice(0, 4), ...[...first, ...rest].slice(0, 3)].join('\n');
}

/** Each bench from its last run of the latest day: a suite may be run in parts, and the head names the commit of each. */
export function tableOfRuns(runs: readonly RunResult[]): string {
  const latest = runs.at(-1);
  if (latest === undefined) return '';
  const day = latest.at.slice(0, 10);
  const same = runs.filter(({ at, cpu }) => at.startsWith(day) && cpu === latest.cpu);
  const latestOf = new Map<string, { bench: BenchResult; commit: string }>();
  for (const { benches, commit } of same)
    for (const bench of benches) latestOf.set(bench.id, { bench, commit });
  const parts = [...latestOf.values()].toSorted((a, b) => byId(a.bench, b.bench));
  const rows = parts.flatMap(({ bench }) => rowsOf(bench));
  const head = `${day} · ${latest.cores} cores, ${latest.cpu} · Node ${latest.node} · ${commitsOf(parts)}`;
  const titles =
    '| bench | figure | target | median (min–max) | store | verdict |\n|---|---|---|---|---|---|';
  return [head, '', titles, ...rows].join('\n');
}

/** If there are several commits, names the benches of each. */
function commitsOf(parts: readonly { bench: BenchResult; commit: string }[]): string {
  const commits = [...new Set(parts.map(({ commit }) => commit))];
  if (commits.length === 1) return `commit ${commits[0]}`;
  const idsOf = (wanted: string): string =>
    parts.flatMap(({ bench, commit }) => (commit === wanted ? [bench.id] : [])).join(', ');
  const each = commits.map((commit) => `${commit} (${idsOf(commit)})`);
  return `commits ${each.join(', ')}`;
}

function byId(a: BenchResult, b: BenchResult): number {
  return a.id.localeCompare(b.id, 'en', { numeric: true });
}

/** Only the figures with a target; the others are on the page of the run. */
function rowsOf({ id, store, figures }: BenchResult): string[] {
  return figures
    .filter(({ budget }) => budget !== null)
    .map(
      (figure) =>
        `| ${id} | ${figure.name} | ${budgetOf(figure.budget)} | ${valueOf(figure)} | ${store} | ${wordOf(figure)} |`,
    );
}

function valueOf(figure: Figure): string {
  const digits = digitsOf(figure.median);
  return `${figure.median.toFixed(digits)} (${rangeOf(figure, digits)})`;
}

function wordOf({ verdict }: Figure): string {
  return { ok: 'met', beyond: 'missed', invalid: 'INVALID', 'no budget': '' }[verdict];
}
