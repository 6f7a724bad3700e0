/** A thread of a run from source is the one that the build starts, also when a thread that a loader started starts it. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { moduleBeside } from '../../src/kernel/worker-thread.ts';
import { builtFile } from '../support/built.ts';

const threads = [
  ['src/storage/sqlite', 'writer'],
  ['src/storage/sqlite', 'checkpointer'],
  ['src/media', 'describing'],
] as const;

test.each(threads)('%s/%s is there, from source and built', (folder, name) => {
  const source = moduleBeside(pathToFileURL(resolve(folder, 'index.ts')).href, name);
  const built = moduleBeside(pathToFileURL(builtFile(join(folder, 'index.js'))).href, name);
  expect([source, built].map((url) => existsSync(fileURLToPath(url)))).toEqual([true, true]);
});

test('a module that a loader of sources imported names a source beside itself', () => {
  const script = `const { tsImport } = await import('tsx/esm/api');
    const { moduleBeside } = await tsImport('./src/kernel/worker-thread.ts', import.meta.url);
    const { url } = await tsImport('./test/kernel/own-url.ts', import.meta.url);
    console.log(moduleBeside(url, 'own-url').href);`;
  const out = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  expect(out.trim()).toBe(pathToFileURL(resolve('test/kernel/own-url.ts')).href);
});
