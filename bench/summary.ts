/** The last screen of a run: which targets are met, which are missed and by how much, and what could not be judged. */
import { budgetOf, digitsOf, rangeOf, tableOf } from './report.ts';
import type { Figure, RunResult, Verdict } from './result.ts';

interface Judged extends Figure {
  bench: string;
}

/** A comparison has no targets: its last screen is its ratios. Empty then. */
export function summaryOf({ benches, skipped }: RunResult): string {
  const all = benches.flatMap(({ id, figures }) => figures.map((figure) => ({ ...figure, bench: id })));
  const judged = (as: Verdict): Judged[] => all.filter(({ verdict }) => verdict === as);
  const [ahead, behind, invalid] = [judged('ok'), judged('beyond'), judged('invalid')];
  if (ahead.length + behind.length + invalid.length === 0) return '';
  const unjudged = [...invalid.map(nameOf), ...skipped.map(({ id, why }) => `${id} (${why})`)];
  return [
    `ahead of its target: ${countOf(ahead.map(nameOf))}`,
    `behind: ${behind.length}`,
    ...(behind.length === 0 ? [] : [tableOf(['figure', 'median', 'min–max', 'target'], behind.map(cellsOf))]),
    `unjudged: ${countOf(unjudged)}`,
  ].join('\n');
}

function nameOf({ bench, name }: Judged): string {
  return `${bench} ${name}`;
}

function cellsOf(figure: Judged): string[] {
  const digits = digitsOf(figure.median);
  return [nameOf(figure), figure.median.toFixed(digits), rangeOf(figure, digits), budgetOf(figure.budget)];
}

function countOf(names: readonly string[]): string {
  return names.length === 0 ? '0' : `${names.length}: ${names.join(' · ')}`;
}
