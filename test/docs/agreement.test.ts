/** Everything that the service serves is documented in `docs/`: paths, fields and codes are on the pages where readers look for them. */
import { describe, expect, test } from '@jest/globals';
import { recipientReasons } from '../../src/rules/channels/recipient.ts';
import { writeOpenApi } from '../../src/http/docs/openapi.ts';
import { programRoutes } from '../../src/features/program-routes.ts';
import { faultRegistry } from '../../src/kernel/faults.ts';
import { bare, settingRows } from '../support/settings.ts';
import { filesIn, asText } from './pages.ts';

const contract = asText('docs/contract.md');
const decisions = asText('docs/operating/decisions.md');
const operating = filesIn('docs/operating', ['.md']).map(asText).join('\n');

const nameOf = ({ method, path }: { method: string; path: string }): string =>
  `${method.toUpperCase()} ${path}`;
const lackingIn = (page: string, names: readonly string[]): string[] =>
  names.filter(
    (name) => !new RegExp(`${name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w/])`).test(page),
  );

/** Names in code of a table's row or of a heading, where readers look fields up; a call's path is none. */
const rowsAndHeadings = /^(?:\||#+ ).*$/gm;
const codeIn = (page: string): string[] =>
  [...page.matchAll(rowsAndHeadings)].flatMap(([line]) =>
    [...line.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code),
  );
const isCall = /^(?:[A-Z]+ )?\//;
const namedIn = (page: string): Set<string> =>
  new Set(codeIn(page).flatMap((code) => (isCall.test(code) ? [] : code.split(/\W+/))));

const fields = (schema: unknown): string[] =>
  typeof schema === 'object' && schema !== null && 'properties' in schema
    ? Object.keys(Object(schema.properties))
    : [];

describe('the contract', () => {
  test('has every call of the API', () => {
    const calls = programRoutes.filter((route) => route.audience === 'api').map(nameOf);
    expect(calls.length).toBeGreaterThan(10);
    expect(lackingIn(contract, calls)).toEqual([]);
  });

  test('has every field of the calls, unless the decisions have it', () => {
    const routes = programRoutes.filter((route) => route.audience === 'api');
    const { components } = writeOpenApi({ baseUrl: '', routes });
    const schemas: unknown = components;
    const all = Object.values(Object(Object(schemas).schemas)).flatMap(fields);
    expect(all.length).toBeGreaterThan(40);
    const named = namedIn(`${contract}\n${decisions}`);
    expect([...new Set(all)].filter((name) => !named.has(name))).toEqual([]);
  });

  test('shows and takes each setting of a channel where its clients look', () => {
    const [, shownTable = ''] = /## Channel \(ChannelOut\)\n([^]*?)\n## /.exec(contract) ?? [];
    const [, given = ''] = /^\| ChannelUpdateRequest \|(.*)$/m.exec(contract) ?? [];
    const isIn = (page: string, name: string): boolean => page.includes(`\`${bare(name)}\``);
    expect(settingRows.filter(({ shown }) => !isIn(shownTable, shown))).toEqual([]);
    expect(settingRows.filter((row) => !isIn(given, row.given))).toEqual([]);
    const nullable = settingRows.map(({ shown }) => [bare(shown), shown.endsWith('?')]);
    const types = nullable.map(([name]) => [
      name,
      new RegExp(`^\\| \`${name}\` \\| [a-z\\[\\]]+\\? \\|`, 'm').test(shownTable),
    ]);
    expect(types).toEqual(nullable);
  });

  test('has every error code that `detail` can have, unless the decisions have it', () => {
    const codes = Object.entries(faultRegistry).filter(([, { detail }]) => detail === 'object');
    expect(
      lackingIn(
        contract + operating,
        codes.map(([code]) => `\`${code}\``),
      ),
    ).toEqual([]);
  });

  test('has every reason of invalid_recipient, and so has openapi', () => {
    const reasons = recipientReasons.map((reason) => `\`${reason}\``);
    expect(lackingIn(contract, reasons)).toEqual([]);
    const routes = programRoutes.filter((route) => route.audience === 'api');
    expect(lackingIn(JSON.stringify(writeOpenApi({ baseUrl: '', routes })), recipientReasons)).toEqual([]);
  });

  test('has every status that can be answered, unless the decisions have it', () => {
    const statuses = new Set(Object.values(faultRegistry).map(({ status }) => String(status)));
    statuses.delete('500'); // no page promises a 500
    expect(lackingIn(contract + operating, [...statuses])).toEqual([]);
  });
});

describe('the pages of operators', () => {
  test('have every path outside the API', () => {
    const paths = programRoutes.filter((route) => route.audience !== 'api').map(nameOf);
    expect(lackingIn(operating, paths)).toEqual([]);
  });
});

test('the README of the jobs has a row for each job', () => {
  const named = [...asText('src/app/jobs.ts').matchAll(/(?:name: |every\(|handle\()'([a-z-]+)'/g)];
  const rows = [...asText('src/jobs/README.md').matchAll(/^\| `([a-z-]+)` \|/gm)];
  const names = (found: RegExpMatchArray[]) => found.map(([, name = '']) => name).toSorted();
  expect(names(rows)).toEqual(names(named));
});

test('a field is named by code in a row or a heading, not by a word in a sentence', () => {
  const page = [
    '## The `note`',
    'Its `state` is kept, `id` too.',
    '| `data.text` | a note |',
    '| `GET /a/kind` | |',
  ];
  expect([...namedIn(page.join('\n'))]).toEqual(['note', 'data', 'text']);
});

test('a missing name is found', () => {
  expect(lackingIn('`GET /a/{id}/b`', ['GET /a/{id}', 'GET /a/{id}/b', 'POST /a'])).toEqual([
    'GET /a/{id}',
    'POST /a',
  ]);
});
