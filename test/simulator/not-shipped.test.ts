/** [architecture §2] The simulator and the demo are development tools: no image of the service contains them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const tools = ['src/simulator', 'src/app/demo'];

test('the build context of the image excludes both', () => {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  expect(tools.filter((folder) => !ignored.includes(folder))).toEqual([]);
});

test('both run from the sources, in the process that receives npm’s signals', () => {
  const scripts: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts).toMatchObject({
    scripts: {
      demo: 'npm run -s build:client && exec node --import tsx src/app/demo/main.ts',
      simulator: 'exec node --import tsx src/simulator/main.ts',
    },
  });
});
