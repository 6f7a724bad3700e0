/** The pages' tables of error codes agree with the table in the code. [spec: Send error codes; upstream §3.5, §3.6] */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { classifyUpstreamError, findRow, sentenceFor } from '../../src/rules/messages/error-codes.ts';
import { codeTable } from '../../src/rules/messages/error-table.ts';
import { errorPage } from './error-page.ts';
import { root, asText } from './pages.ts';

/** The rows of the tables of one section, as their cells. */
function rowsOf(page: string, heading: string): string[][] {
  const lines = asText(page).split('\n');
  const start = lines.findIndex((line) => line.startsWith('#') && line.endsWith(heading));
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('#'));
  return lines
    .slice(start + 1, start + 1 + length)
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

const numbersIn = (cell: string): number[] => (cell.match(/\d+/g) ?? []).map(Number);
const said = { subcode: null, message: '', httpStatus: 400 };

test('the page of all codes is generated from the table', () => {
  const page = join(root, 'docs/error-codes.md');
  if (process.env['WRITE_PAGES'] === '1') writeFileSync(page, errorPage());
  expect(asText('docs/error-codes.md')).toBe(errorPage());
});

describe('contract, Send error codes', () => {
  const rows = rowsOf('docs/contract.md', 'Send error codes').slice(1);
  test.each(rows)('%s: %s, tried again: %s', (codes, _means, again) => {
    const message = /`(another app[^`]*)`/.exec(codes ?? '')?.[1] ?? '';
    for (const code of numbersIn(codes ?? '')) {
      const { kind } = classifyUpstreamError({ ...said, code, message });
      expect([code, kind]).toEqual([code, again === 'yes' ? 'transient' : 'permanent']);
      expect(sentenceFor(code, { subcode: null, message: '' })).not.toMatch(/with code/);
    }
  });
});

describe('upstream §3.5', () => {
  const byNature = new Map(
    rowsOf('docs/upstream.md', 'Codes: chatapp and general').map(([name, codes]) => [name, codes]),
  );
  const listed = (nature: string): number[] =>
    numbersIn((byNature.get(nature) ?? '').replace('HTTP 429', ''));
  const known = (kind: 'permanent' | 'throttle' | 'passing'): number[] =>
    codeTable
      .filter(({ subcode }) => subcode === undefined)
      .filter((row) => {
        if (row.class === 'permanent') return kind === 'permanent';
        return kind === (row.pause === undefined ? 'passing' : 'throttle');
      })
      .flatMap(({ code, upTo }) => (upTo === undefined ? [code] : [code, upTo]));

  test.each(['permanent', 'throttle', 'passing'] as const)('%s', (nature) => {
    expect(listed(nature)).toEqual(known(nature));
  });
});

describe('upstream §3.6', () => {
  const rows = rowsOf('docs/upstream.md', 'Codes: pagechat and photoapp').slice(1);
  const named = rows.flatMap(([cell = '', , passing]) => {
    let code = 0;
    return cell.split(',').flatMap((name): [number, number | null, string][] => {
      const [first = 0, second] = numbersIn(name);
      if (second !== undefined) code = first;
      const bare = first > 1_000_000;
      return [[bare ? code : first, second ?? (bare ? first : null), passing ?? '']];
    });
  });
  test.each(named)('%j/%j, passing: %s', (code, subcode, passing) => {
    expect(findRow(code, { subcode, message: '' })?.class === 'permanent').toBe(passing === 'no');
  });

  test('every subcode of the table is on the page', () => {
    const page = rows.map(([cell]) => cell).join(' ');
    const missing = codeTable.flatMap(({ subcode }) =>
      subcode === undefined || numbersIn(page).includes(subcode) ? [] : [subcode],
    );
    expect(missing).toEqual([]);
  });
});
