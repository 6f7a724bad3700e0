/** The report: a table of what was believed and seen, the open questions, and a file with the shape of every exchange. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openQuestions, settledHow } from './questions.ts';
import type { Finding } from './run.ts';
import type { Exchange } from './service.ts';

/** Two tables as Markdown: what was tried, differences first, and what that says of the open questions. */
export function tableOf(findings: readonly Finding[]): string {
  const order = ['differs', 'recorded', 'as believed', 'skipped'];
  const tried = findings
    .toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
    .map(({ step, settles, believed, seen, verdict }) => [verdict, step, settles ?? '', believed, seen]);
  const open = openQuestions.map((question) => [question.id, question.asks, settledHow(question, findings)]);
  return [
    ...markdown(['verdict', 'step', 'settles', 'believed', 'seen'], tried),
    '',
    ...markdown(['question', 'asks', 'settled'], open),
    '',
  ].join('\n');
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '/').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}

/** Writes `table.md` and `exchanges.json`. Neither has an id, a text, a token, a number or an address of anybody. */
export function writeReport(
  folder: string,
  findings: readonly Finding[],
  exchanges: readonly Exchange[],
): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'table.md'), tableOf(findings));
  writeFileSync(join(folder, 'exchanges.json'), `${JSON.stringify(exchanges, null, 2)}\n`);
}
