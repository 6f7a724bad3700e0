/** Functions stay short: no product function is longer than 60 lines, nested ones included. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseSync } from 'oxc-parser';

const root = join(import.meta.dirname, '..');
const maxLines = 60;
const functions = new Set<unknown>(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** Not a global of the test's context, which costs more to find than a node to visit. */
const { values: valuesOf } = Object;

interface Found {
  name: string;
  lines: number;
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => `${folder}/${path}`);
}

/** Every node of a syntax tree, with the name to which it is assigned. */
function walk(node: object, name: string, see: (node: object, name: string) => void): void {
  see(node, name);
  const own = ('key' in node ? nameOf(node.key) : null) ?? ('id' in node ? nameOf(node.id) : null) ?? name;
  for (const value of valuesOf(node)) if (typeof value === 'object' && value !== null) walk(value, own, see);
}

function nameOf(node: unknown): string | null {
  return typeof node === 'object' && node !== null && 'name' in node ? String(node.name) : null;
}

function functionsOf(file: string): Found[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: Found[] = [];
  walk(parseSync(file, text).program, '', (node, name) => {
    if (!('type' in node && functions.has(node.type))) return;
    const { start, end, id }: Record<string, unknown> = { ...node };
    const lines = text.slice(Number(start), Number(end)).split('\n').length;
    found.push({ name: nameOf(id) ?? name, lines });
  });
  return found;
}

test('no function is longer than 60 lines', () => {
  const files = ['src', 'actors', 'config', 'bench'].flatMap(sources);
  const tooLong = files.flatMap((file) =>
    functionsOf(file)
      .filter(({ lines }) => lines > maxLines)
      .map(({ name, lines }) => `${file}: ${name} has ${lines} lines`),
  );
  expect(tooLong).toEqual([]);
});

test('methods, arrows and nested functions are found by name', () => {
  const names = functionsOf('src/ownership/cluster.ts').map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['constructor', 'drain', 'onLost']));
});
