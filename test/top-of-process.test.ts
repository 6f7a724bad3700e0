/**
 * Nothing that a peer, an address or a file makes throw reaches the top of the process, which would end the node (`src/app/serve.ts`). Each
 * callback that Node calls itself, and each promise that nobody awaits, is harmless by its form or reviewed in one table. [faults: 335]
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { reviewed } from './support/reviewed-callbacks.ts';
import { topCallbacksOf } from './support/top-callbacks.ts';

const root = join(import.meta.dirname, '..');
/** Programs of their own: an error may end them. */
const otherPrograms = /^src\/(simulator|pages\/client|app\/(demo|acceptance|listen)\/)|cli\.ts$/;

const files = ['src', 'actors'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path}`)
    .filter((path) => /\.tsx?$/.test(path) && !otherPrograms.test(path)),
);
const found = files.flatMap((file) => topCallbacksOf(file, readFileSync(join(root, file), 'utf8')));
const risky = [...new Set(found.filter(({ isHarmless }) => !isHarmless).map(({ name }) => name))].toSorted();

test('each callback at the top of the process cannot throw, or its review says why it does not', () => {
  const known = new Set(Object.values(reviewed).flat());
  expect(risky.filter((name) => !known.has(name))).toEqual([]);
});

test('the table has no entry whose callback is gone or twice there', () => {
  const entries = Object.values(reviewed).flat();
  expect(entries.filter((name) => !risky.includes(name))).toEqual([]);
  expect(new Set(entries).size).toBe(entries.length);
});

test.each([
  ["socket.on('data', (bytes) => parse(bytes))", false],
  ["socket.on('data', (bytes) => { try { parse(bytes); } catch { socket.destroy(); } })", true],
  ["socket.on('close', () => resolve())", true],
  ["socket.on('close', () => { throw new Error(); })", false],
  ['clock.after(1, () => controller.abort())', true],
  ['setImmediate(flush)', false],
  ['void ask()', false],
  ['void ask().catch(() => undefined)', true],
  ['void ask().then(tell)', false],
  ['void socket.destroy()', true],
])('%s: harmless %s', (text, isHarmless) => {
  expect(topCallbacksOf('a.ts', text).map((one) => one.isHarmless)).toEqual([isHarmless]);
});
