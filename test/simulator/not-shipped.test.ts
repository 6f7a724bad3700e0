/** [architecture §2] The simulator and the demo are tools of the workshop: neither the build nor the image holds them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const workshop = ['src/simulator', 'src/app/demo'];

test('`npm run build` compiles neither, not even by an import', () => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const asked = ['-p', 'tsconfig.build.json', '--listFilesOnly'];
  const listed = execFileSync(process.execPath, [tsc, ...asked], { cwd: root, encoding: 'utf8' });
  const files = listed.split('\n');
  expect(files.some((file) => file.endsWith('/src/main.ts'))).toBe(true);
  expect(files.filter((file) => workshop.some((folder) => file.includes(`/${folder}/`)))).toEqual([]);
});

test('the image’s build does not even see them', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  expect(workshop.filter((folder) => !ignored.includes(folder))).toEqual([]);
});

test('both start from the sources, as the process npm’s signals reach', () => {
  const scripts: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts).toMatchObject({
    scripts: {
      demo: 'npm run -s build:client && exec node --import tsx src/app/demo/main.ts',
      simulator: 'exec node --import tsx src/simulator/main.ts',
    },
  });
});
