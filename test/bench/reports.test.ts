import { describe, expect, test } from '@jest/globals';
import { pageOf } from '../../bench/page.ts';
import { asText } from '../../bench/report.ts';
import { exitCodeOf, parseResult } from '../../bench/results.ts';
import type { BenchResult, Figure, RunResult } from '../../bench/result.ts';
import { summaryOf } from '../../bench/summary.ts';
import { quoteOf, replaced, tableOfRuns } from '../../bench/table.ts';

const spread = { median: 1.4, min: 1.3, max: 1.6 };
const figure = (over: Partial<Figure> = {}): Figure => ({
  name: 'CPU to floor',
  ...spread,
  budget: { most: 1.25 },
  verdict: 'beyond',
  ...over,
});
const bench = (id: string, figures: Figure[]): BenchResult => ({
  id,
  title: 'send & <receive>',
  unit: 'send',
  store: 'embedded (SQLite)',
  rows: [
    {
      server: 'service',
      cpuUs: spread,
      besideUs: null,
      perSecond: spread,
      p50Ms: spread,
      p99Ms: spread,
      failed: 0,
    },
  ],
  figures,
  rounds: 5,
  invalidRounds: 1,
  notes: ['a note'],
});
const run = (over: Partial<RunResult> = {}): RunResult => ({
  at: '2026-01-02T03:04:05.000Z',
  commit: 'abc1234',
  mode: 'full',
  node: '20.0.0',
  cpu: 'a processor',
  cores: 2,
  seconds: 60,
  benches: [bench('1', [figure()])],
  skipped: [{ id: '2', why: 'there is no redis-server on this machine' }],
  ...over,
});

describe('the page of a run', () => {
  const page = pageOf(run());

  test('is one file: no script, no address outside of it', () => {
    expect(page).not.toMatch(/<script|https?:|src=|href=|@import|url\(/);
  });

  test('shows every figure with its median, range, budget, verdict and a plot', () => {
    for (const part of ['CPU to floor', '1.40', '1.30–1.60', '≤ 1.25', 'BEYOND', '<svg', 'stroke-dasharray'])
      expect(page).toContain(part);
  });

  test('names what was skipped and why, and escapes text', () => {
    expect(page).toContain('Bench 2 was skipped: there is no redis-server on this machine.');
    expect(page).toContain('send &amp; &lt;receive&gt;');
  });

  test('a figure that is no number still has a page', () => {
    expect(pageOf(run({ benches: [bench('1', [figure({ median: NaN, min: NaN, max: NaN })])] }))).not.toMatch(
      /(x|x1|x2|width)="(NaN|Infinity|-)/,
    );
  });
});

describe('the last screen of a run', () => {
  test('names what is ahead, shows what is behind with its target, and says what was not judged, and why', () => {
    const met = figure({ name: 'CPU to echo', verdict: 'ok' });
    const noisy = figure({ name: 'p99', verdict: 'invalid' });
    const free = figure({ name: 'p50', budget: null, verdict: 'no budget' });
    const lines = summaryOf(run({ benches: [bench('1', [figure(), met, noisy, free])] })).split('\n');
    expect(lines).toEqual([
      'ahead of its target: 1: 1 CPU to echo',
      'behind: 1',
      '  figure          median    min–max  target',
      '  1 CPU to floor    1.40  1.30–1.60  ≤ 1.25',
      'unjudged: 2: 1 p99 · 2 (there is no redis-server on this machine)',
    ]);
  });

  test('is empty for a comparison, which has no targets', () => {
    const ratio = figure({ budget: null, verdict: 'no budget' });
    expect(summaryOf(run({ mode: 'compare', benches: [bench('1', [ratio])] }))).toBe('');
  });
});

describe('the table of the README', () => {
  test('has date, machine and commit, and a line for each figure with a target', () => {
    const untold = figure({ name: 'CPU to echo', budget: null, verdict: 'no budget' });
    const table = tableOfRuns([run({ benches: [bench('1', [figure(), untold])] })]);
    expect(table.split('\n')[0]).toBe('2026-01-02 · 2 cores, a processor · Node 20.0.0 · commit abc1234');
    expect(table).toContain('| 1 | CPU to floor | ≤ 1.25 | 1.40 (1.30–1.60) | embedded (SQLite) | missed |');
    expect(table).not.toContain('CPU to echo');
  });

  test('a suite that was run in parts is combined, for one day and machine only, in the order of the numbers', () => {
    const older = run({ at: '2026-01-01T00:00:00.000Z', benches: [bench('3', [figure()])] });
    const parts = [
      older,
      run({ commit: 'old', benches: [bench('11', [figure()])] }),
      run({ benches: [bench('4b', [figure()])] }),
    ];
    const table = tableOfRuns(parts);
    expect(table).toContain(' · commits abc1234 (4b), old (11)');
    const ids = table.split('\n').flatMap((line) => /^\| (\d+b?) /.exec(line)?.[1] ?? []);
    expect(ids).toEqual(['4b', '11']);
  });

  test('the page of performance gets three lines of it: the most asked ones first, then the others in order', () => {
    const named = (name: string) => figure({ name });
    const benches = [
      bench('1', [named('CPU to floor'), named('sends per core to naive')]),
      bench('4', [named('CPU to floor'), named('events per core to naive')]),
    ];
    const names = quoteOf(tableOfRuns([run({ benches })]))
      .split('\n')
      .flatMap((line) => /^\| (\d \| [^|]+) \|/.exec(line)?.[1] ?? []);
    expect(names).toEqual([
      '1 | sends per core to naive',
      '4 | events per core to naive',
      '1 | CPU to floor',
    ]);
  });

  test('a figure that is no number is read back as none', () => {
    const written = JSON.stringify(
      run({ benches: [bench('1', [figure({ median: NaN, min: NaN, max: Infinity })])] }),
    );
    expect(tableOfRuns([parseResult(written)])).toContain('| NaN (NaN–NaN) |');
  });

  test('replaces the previous one and nothing else', () => {
    const page = 'above\n<!-- latest: begin -->\nold\n<!-- latest: end -->\nbelow\n';
    expect(replaced(page, 'new')).toBe(
      'above\n<!-- latest: begin -->\n\nnew\n\n<!-- latest: end -->\nbelow\n',
    );
    expect(() => replaced('nothing', 'new')).toThrow('latest: begin');
  });
});

describe('the exit code', () => {
  const told: string[] = [];
  const code = (mode: RunResult['mode'], ...verdicts: Figure['verdict'][]): number => {
    const figures = verdicts.map((verdict) => figure({ verdict }));
    return exitCodeOf(run({ mode, benches: [bench('1', figures)] }), (line) => told.push(line));
  };

  test('is 1 beyond a budget and 0 within all', () => {
    expect(code('full', 'ok', 'beyond', 'invalid')).toBe(1);
    expect(code('full', 'ok', 'no budget')).toBe(0);
  });

  test('a noisy machine is reported; it fails a full run with 2 and the smoke run not at all', () => {
    expect(code('full', 'ok', 'invalid')).toBe(2);
    expect(code('smoke', 'ok', 'invalid')).toBe(0);
    expect(told.at(-1)).toMatch(/^INVALID \(noisy\)/);
  });
});

test('the text has a table of the servers, one of the figures, and the number of excluded rounds', () => {
  const text = asText(bench('1', [figure()]));
  expect(text).toContain('store: embedded (SQLite) (5 rounds, 1 INVALID and left out)');
  expect(text).toMatch(/CPU to floor +1\.40 +1\.30–1\.60 +≤ 1\.25 +BEYOND/);
});
