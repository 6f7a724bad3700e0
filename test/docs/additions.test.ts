/** [spec: Additions] Each operation, parameter, field, event and code that the specification lacks has its row, which names its tests. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { asText } from './pages.ts';
import { codesShown } from '../../src/kernel/faults.ts';
import { errorCodes, events, fields, operations } from './specification.ts';

const root = join(import.meta.dirname, '../..');

interface Named {
  name: string;
}
interface Document {
  paths: Record<
    string,
    Record<string, { security: Record<string, unknown>[]; parameters: (Named & { in: string })[] }>
  >;
  webhooks: Record<string, unknown>;
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
}
const document: Document = JSON.parse(readFileSync(join(root, 'test/http/openapi.json'), 'utf8'));

/** The rows of the table: what was added, and the tests. */
const [, section = ''] = /^## Additions\n([\s\S]*?)\n# /m.exec(asText('docs/contract.md')) ?? [];
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| addition'))
  .map((line) => line.split(' | '));
const codeIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const named = new Set(rows.flatMap(([addition = '']) => codeIn(addition)));

const words = (listed: string | undefined): string[] => (listed ?? '').split(' ');

const ofKeys = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { security, parameters }]) =>
    security.some((each) => 'apiKey' in each)
      ? [{ method: method.toUpperCase(), path, operation: `${method.toUpperCase()} ${path}`, parameters }]
      : [],
  ),
);

/** Whether the row names the method, and the path or its end: `POST /api/v1/…`, `…/{endpoint_id}`, `/retry`, `send-contacts`. */
function isAbout(addition: string, { method, path }: { method: string; path: string }): boolean {
  const codes = codeIn(addition);
  const ends = codes.flatMap((code) => /^(?:[A-Z]+ )?…?(\/\S+|[a-z]+-[a-z]+)$/.exec(code)?.[1] ?? []);
  const isNamed = ends.some((end) =>
    end.startsWith('/api/') ? end === path : path.endsWith(end.startsWith('/') ? end : `/${end}`),
  );
  return isNamed && codes.some((code) => code.split(' ')[0] === method);
}

describe('has a row:', () => {
  test('each operation, by method and path or the end of its path', () => {
    const added = ofKeys.filter(({ operation }) => !(operation in operations));
    const lacking = added.filter((each) => !rows.some(([addition = '']) => isAbout(addition, each)));
    expect(lacking.map(({ operation }) => operation)).toEqual([]);
  });

  test('each parameter of an operation of the specification', () => {
    const lacking = ofKeys.flatMap(({ operation, parameters }) => {
      const known = words(operations[operation]);
      const added = parameters.filter((each) => each.in !== 'path' && !known.includes(each.name));
      if (!(operation in operations)) return [];
      return added.filter(({ name }) => !named.has(name)).map(({ name }) => `${operation}: ${name}`);
    });
    expect(lacking).toEqual([]);
  });

  test('each field of a schema of the specification', () => {
    const lacking = Object.entries(fields).flatMap(([schema, known]) => {
      const now = Object.keys(document.components.schemas[schema]?.properties ?? { [schema]: null });
      return now
        .filter((name) => !words(known).includes(name) && !named.has(name))
        .map((name) => `${schema}.${name}`);
    });
    expect(lacking).toEqual([]);
  });

  test('each event', () => {
    const added = Object.keys(document.webhooks).filter((event) => !words(events).includes(event));
    expect(added.filter((event) => !named.has(event))).toEqual([]);
  });

  test('each code of a refusal', () => {
    const added = [400, 403].flatMap(codesShown).filter((code) => !words(errorCodes).includes(code));
    expect(added.filter((code) => !named.has(code))).toEqual([]);
  });
});

test('each row names tests, which are there', () => {
  const missing = rows.flatMap(([addition = '', tests = '']) => {
    const files = codeIn(tests);
    const absent = files.filter((name) => !existsSync(join(root, 'test', `${name}.test.ts`)));
    return files.length === 0 ? [addition] : absent;
  });
  expect(missing).toEqual([]);
});
