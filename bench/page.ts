/**
 * A run as one HTML page without scripts or external resources, with plots as inline SVG, so that the file can be sent on alone. Each
 * figure is a bar from its smallest to its largest round with a stroke at the median, on its own scale, and its budget as a line.
 */
import { budgetOf, cellsOf, digitsOf, headings, rangeOf } from './report.ts';
import type { BenchResult, Budget, Figure, Row, RunResult } from './result.ts';
import type { Spread } from './measure/stats.ts';

const width = 260;
const height = 18;
const colours = { ok: '#2a7d4f', beyond: '#b3261e', invalid: '#8a6d00', 'no budget': '#5b6770' } as const;

export function pageOf(run: RunResult): string {
  const title = `Trunkline bench, ${run.mode}, commit ${run.commit}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style></head><body>
<h1>${escaped(title)}</h1>
<p>${escaped(`${run.at} · Node ${run.node} · ${run.cores} cores, ${run.cpu} · ${run.seconds} s`)}</p>
<p>Trust ratios, not absolutes: each is taken inside one round, in which every server carried the same load. A bar goes from the
smallest to the largest round, its stroke is the median, the dashed line the budget. INVALID: other processes took over 0.3 core.</p>
${summaryOf(run)}
${run.benches.map(sectionOf).join('\n')}
${run.skipped.map(({ id, why }) => `<p>Bench ${escaped(id)} was skipped: ${escaped(why)}.</p>`).join('\n')}
</body></html>
`;
}

const style = `body{font:14px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:76rem;padding:0 1rem;color:#1c2024;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2.2rem}table{border-collapse:collapse;margin:.6rem 0}
th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #e3e6e8;font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left}td.plot{padding:0 .7rem}small{color:#5b6770}`;

function summaryOf({ benches }: RunResult): string {
  const figures = benches.flatMap((bench) => bench.figures);
  const count = (verdict: Figure['verdict']): number =>
    figures.filter((figure) => figure.verdict === verdict).length;
  return `<p><b>${count('ok')} within budget, ${count('beyond')} beyond, ${count('invalid')} invalid</b>, ${count('no budget')} without one.</p>`;
}

function sectionOf(result: BenchResult): string {
  const { id, title, store, rounds, invalidRounds, unit } = result;
  const invalid = invalidRounds === 0 ? '' : `, ${invalidRounds} of them invalid and left out`;
  return `<h2>${escaped(id)} · ${escaped(title)}</h2>
<small>store: ${escaped(store)} · ${rounds} rounds${invalid}</small>
${result.rows.length === 0 ? '' : rowsTable(unit, result.rows)}
<table><tr><th>figure</th><th>median</th><th>min–max</th><th>budget</th><th></th><th></th></tr>
${result.figures.map(figureRow).join('\n')}</table>
${result.notes.map((note) => `<p><small>${escaped(note)}</small></p>`).join('\n')}`;
}

function rowsTable(unit: string, rows: readonly Row[]): string {
  const most = Math.max(0, ...rows.flatMap(({ cpuUs }) => (cpuUs === null ? [] : finite(cpuUs.max))));
  const head = [...headings(unit), 'CPU'].map((name) => `<th>${escaped(name)}</th>`).join('');
  const body = rows.map((row) => {
    const cells = cellsOf(row).map((cell) => `<td>${escaped(cell)}</td>`);
    const plot = row.cpuUs === null ? '' : barOf(row.cpuUs, null, most, colours['no budget']);
    return `<tr>${cells.join('')}<td class="plot">${plot}</td></tr>`;
  });
  return `<table><tr>${head}</tr>\n${body.join('\n')}</table>`;
}

function figureRow(figure: Figure): string {
  const { name, median, budget, verdict } = figure;
  const digits = digitsOf(median);
  const word = verdict === 'no budget' ? '' : verdict === 'ok' ? 'ok' : verdict.toUpperCase();
  const limit = budget === null ? 0 : limitOf(budget);
  const most = 1.15 * Math.max(...finite(figure.max), ...finite(median), limit);
  return `<tr><td>${escaped(name)}</td><td>${median.toFixed(digits)}</td><td>${rangeOf(figure, digits)}</td>
<td>${budgetOf(budget)}</td><td style="color:${colours[verdict]}">${word}</td>
<td class="plot">${barOf(figure, budget, most, colours[verdict])}</td></tr>`;
}

/** The scale is from 0 to `most`; negative values (of differences) are drawn at 0. */
function barOf(spread: Spread, budget: Budget | null, most: number, colour: string): string {
  const x = (value: number): string => {
    const share = most > 0 && Number.isFinite(value) ? Math.min(1, Math.max(0, value / most)) : 0;
    return (share * width).toFixed(1);
  };
  const from = x(spread.min);
  const wide = Math.max(2, Number(x(spread.max)) - Number(from)).toFixed(1);
  const limit =
    budget === null
      ? ''
      : `<line x1="${x(limitOf(budget))}" x2="${x(limitOf(budget))}" y1="0" y2="${height}" stroke="#1c2024" stroke-dasharray="3 2"/>`;
  return `<svg width="${width}" height="${height}" role="img" aria-label="from ${spread.min.toPrecision(3)} to ${spread.max.toPrecision(3)}">
<line x1="0" x2="${width}" y1="${height / 2}" y2="${height / 2}" stroke="#e3e6e8"/>
<rect x="${from}" y="4" width="${wide}" height="${height - 8}" fill="${colour}" opacity=".45"/>
<line x1="${x(spread.median)}" x2="${x(spread.median)}" y1="2" y2="${height - 2}" stroke="${colour}" stroke-width="2"/>${limit}</svg>`;
}

function limitOf(budget: Budget): number {
  return 'most' in budget ? budget.most : budget.least;
}

function finite(value: number): number[] {
  return Number.isFinite(value) ? [value] : [];
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one);
}
