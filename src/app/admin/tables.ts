/** Formats an answer of the admin API for operators: single values below each other, lists as tables. Programs use `--json`. */
import { asList, asRecord } from '../../kernel/json.ts';

/** Longer cells of a table are cut off; `--json` shows all. */
const widest = 60;

export function writeTables(answer: unknown): string {
  const members = Object.entries(asRecord(answer) ?? {});
  const single = members.filter(([, value]) => !isTable(value));
  const width = Math.max(0, ...single.map(([name]) => name.length));
  const lines = single.map(([name, value]) => `${name.padEnd(width)}  ${wordFor(value)}`);
  const lists = members.flatMap(([name, value]) => (isTable(value) ? [writeList(name, asList(value))] : []));
  return [...(lines.length > 0 ? [lines.join('\n')] : []), ...lists].join('\n\n');
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => asRecord(each) !== null);
}

function writeList(name: string, items: readonly unknown[]): string {
  const rows = items.map((item) => asRecord(item) ?? {});
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = rows.map((row) => columns.map((column) => cut(wordFor(row[column]))));
  const widths = columns.map((column, at) =>
    Math.max(column.length, ...cells.map((row) => row[at]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd();
  return [`${name}:`, line(columns), ...cells.map(line)].join('\n');
}

function cut(text: string): string {
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text;
}

function wordFor(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(wordFor).join(', ');
  const record = asRecord(value);
  if (record === null) return onOneLine(typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(record)
    .map(([name, each]) => `${name}=${wordFor(each)}`)
    .join(' ');
}

/** Removes control characters: the name of a business or an address may contain some that move the terminal's cursor. */
export function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}
