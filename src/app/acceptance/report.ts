/** The report: a table of what was believed and seen, and a file with the shape of every exchange. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding, Run } from './run.ts';

/** The table as Markdown, differences first. */
export function tableOf(findings: readonly Finding[]): string {
  const order = ['differs', 'recorded', 'as believed', 'skipped'];
  const rows = findings
    .toSorted((one, other) => order.indexOf(one.verdict) - order.indexOf(other.verdict))
    .map(({ step, settles, believed, seen, verdict }) => [verdict, step, settles ?? '', believed, seen])
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '/')).join(' | ')} |`);
  return ['| verdict | step | settles | believed | seen |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}

/** Writes `table.md` and `exchanges.json`. Neither has an id, a text, a token, a number or an address of anybody. */
export function writeReport(folder: string, { findings, service }: Run): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'table.md'), tableOf(findings));
  writeFileSync(join(folder, 'exchanges.json'), `${JSON.stringify(service.exchanges, null, 2)}\n`);
}
