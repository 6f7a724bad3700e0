/** A copy of the checkout whose sources contain every mutant, each behind its own switch (made by StrykerJS's instrumenter). */
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import config from '../../jest.config.js';
import { leftOut, modules } from './modules.mjs';

export const root = join(import.meta.dirname, '../..');
const copied = ['actors', 'config', 'src', 'test', 'docs', 'package.json', 'CHANGELOG.md'];

const silent = () => {};
const log = { debug: silent, info: silent, warn: console.warn, isDebugEnabled: () => false };

function sourcesOf(module) {
  if (module.endsWith('.ts')) return [module];
  return readdirSync(join(root, module), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => join(module, name))
    .filter((file) => !leftOut.test(file))
    .toSorted();
}

/** `only`: prefixes of paths. */
export async function makeSandbox(only) {
  const folder = mkdtempSync(join(tmpdir(), 'trunkline-mutants-'));
  for (const name of copied)
    cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (from) => !from.endsWith('.png'),
    });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const files = modules.flatMap(sourcesOf).filter((file) => only.some((one) => file.startsWith(one)));
  if (files.length === 0) throw new Error(`no source of the modules begins with ${only.join(' or ')}`);
  const given = files.map((file) => ({
    name: file,
    mutate: true,
    content: readFileSync(join(root, file), 'utf8'),
  }));
  const made = await new Instrumenter(log).instrument(given, {
    plugins: null,
    ignorers: [],
    excludedMutations: [],
  });
  for (const { name, content } of made.files) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(jestConfig(folder)));
  const texts = new Map(given.map(({ name, content }) => [name, content]));
  return { folder, mutants: made.mutants.map((mutant) => readable(mutant, texts.get(mutant.fileName))) };
}

function jestConfig(folder) {
  const { globalSetup: _, testSequencer: __, filter: ___, transform, ...kept } = config;
  const cacheDirectory = join(folder, '.jest');
  mkdirSync(cacheDirectory);
  return {
    ...kept,
    rootDir: folder,
    // The instrumented sources, not what was compiled from the sources before.
    transform: Object.fromEntries(
      Object.entries(transform).map(([files, [, how]]) => [files, ['@swc/jest', how]]),
    ),
    testEnvironment: '<rootDir>/test/mutants/environment.js',
    cacheDirectory,
    watchman: false,
  };
}

/** Includes the replaced text, because line numbers change more often than texts. */
function readable({ id, fileName, location, mutatorName, replacement }, text) {
  const lines = text.split('\n').slice(location.start.line, location.end.line + 1);
  lines[lines.length - 1] = lines.at(-1).slice(0, location.end.column);
  lines[0] = lines[0].slice(location.start.column);
  return {
    id,
    file: relative('.', fileName),
    line: location.start.line + 1,
    mutator: mutatorName,
    code: lines.join('\n'),
    mutant: replacement,
  };
}
