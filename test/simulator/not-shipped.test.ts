/** [architecture §2] The simulator and the demo are for trying things out: no image of the service holds them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const workshop = ['src/simulator', 'src/app/demo'];

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
