/** Results as text: one table per bench, then the verdicts of the budgets. */
import type { Spread } from './measure/stats.ts';
import type { BenchResult, Budget, Figure, Row, RunResult } from './result.ts';

export function headOf({
  at,
  commit,
  mode,
  node,
  cpu,
  cores,
}: Omit<RunResult, 'benches' | 'skipped'>): string {
  return `bench ${mode} · ${at} · commit ${commit} · Node ${node} · ${cores} cores, ${cpu}`;
}

export function asText(result: BenchResult): string {
  const invalid = result.invalidRounds > 0 ? `, ${result.invalidRounds} INVALID and left out` : '';
  const lines = [
    `${result.id} · ${result.title} · store: ${result.store} (${result.rounds} rounds${invalid})`,
  ];
  if (result.rows.length > 0) lines.push(tableOf(headings(result.unit), result.rows.map(cellsOf)));
  lines.push(tableOf(['figure', 'median', 'min–max', 'budget', ''], result.figures.map(figureCells)));
  return [...lines, ...result.notes.map((note) => `  ${note}`)].join('\n');
}

export function headings(unit: string): string[] {
  return [
    'server',
    `CPU µs/${unit}`,
    'min–max',
    'its servers',
    `${unit}${unit.endsWith('s') ? 'es' : 's'}/s`,
    'p50 ms',
    'p99 ms',
    'failed',
  ];
}

export function cellsOf({ server, cpuUs, besideUs, perSecond, p50Ms, p99Ms, failed }: Row): string[] {
  return [
    server,
    medianOf(cpuUs, 0),
    rangeOf(cpuUs, 0),
    besideUs === null ? '' : `+${medianOf(besideUs, 0)}`,
    medianOf(perSecond, 0),
    medianOf(p50Ms, 1),
    medianOf(p99Ms, 1),
    `${failed}`,
  ];
}

function figureCells({ name, median, min, max, budget, verdict }: Figure): string[] {
  const digits = digitsOf(median);
  const word = { ok: 'ok', beyond: 'BEYOND', invalid: 'INVALID', 'no budget': '' }[verdict];
  return [name, median.toFixed(digits), rangeOf({ median, min, max }, digits), budgetOf(budget), word];
}

export function digitsOf(value: number): number {
  return Math.abs(value) >= 100 ? 0 : 2;
}

export function budgetOf(budget: Budget | null): string {
  if (budget === null) return '';
  return 'most' in budget ? `≤ ${round(budget.most)}` : `≥ ${round(budget.least)}`;
}

function round(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function medianOf(spread: Spread | null, digits: number): string {
  return spread?.median.toFixed(digits) ?? '';
}

export function rangeOf(spread: Spread | null, digits: number): string {
  return spread === null ? '' : `${spread.min.toFixed(digits)}–${spread.max.toFixed(digits)}`;
}

/** Aligns the first column left and the others right. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return all.map((row) => `  ${line(row)}`.trimEnd()).join('\n');
}
