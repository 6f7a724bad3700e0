/** Every command on a page is run by a test, or has a reason here why it is not. [operator-interface §1] */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { commands } from '../../src/app/admin/commands.ts';
import { filesIn, root, asText } from './pages.ts';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  'src/simulator/README.md',
  'src/simulator/CONTROL.md',
  ...filesIn('docs', ['.md']),
];

const blocks = pages.flatMap((page) =>
  [...asText(page).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => ({
    page,
    block: block.trim(),
  })),
);

/** The tests that run them: by page, and a text that only those blocks contain. */
const ranBy: readonly (readonly [page: string, has: string, by: string])[] = [
  ['README.md', 'npm run demo', 'test/spec/demo.test.ts'],
  ['CONTRIBUTING.md', 'npm ci && npm test', '.ci/run'],
  ['CONTRIBUTING.md', 'npm run test:services', '.ci/run'],
  ['README.md', 'npm run build && npm start', '.ci/run'],
  ['README.md', 'create-account', '.ci/run'],
  ['README.md', 'curl', 'test/spec/readme.test.ts'],
  ['docs/clients.md', 'curl', 'test/spec/readme.test.ts'],
  ['docs/operating/backup.md', 'npm run backup', 'test/operations/backup.test.ts'],
  ['docs/operating/incidents.md', 'npm run admin', 'test/operations/questions.test.ts'],
  ['docs/operating/deploying.md', 'node -e', 'test/operations/deployment.test.ts'],
  ['bench/README.md', 'npm run bench', '.ci/run'],
  ['src/simulator/README.md', '', 'test/simulator/readme.test.ts'],
  ['src/simulator/CONTROL.md', '', 'test/simulator/readme.test.ts'],
];

const notRun: readonly (readonly [page: string, has: string, why: string])[] = [
  ['README.md', 'docker compose', 'needs Docker: test/operations/compose.test.ts plays the file instead'],
  [
    'docs/operating/deploying.md',
    'docker compose',
    'needs Docker: test/operations/compose.test.ts plays the file instead',
  ],
  [
    'docs/operating/deploying.md',
    'node --env-file=/etc/trunkline/env',
    'needs /etc/trunkline: test/app/admin-command.test.ts runs the command with settings of the environment',
  ],
  [
    'docs/operating/deploying.md',
    'kubectl apply',
    'needs a cluster: test/operations/deployment.test.ts builds and reads the files',
  ],
  [
    'docs/operating/backup.md',
    'mongodump',
    "MongoDB's own; backup.test.ts checks what they may not ask together, restore-cluster.test.ts does in memory what they do",
  ],
];

const belongs = (
  { page, block }: { page: string; block: string },
  [of, has]: readonly [string, string, string],
) => page === of && block.includes(has);

test('every block of commands has a test or a reason', () => {
  const known = [...ranBy, ...notRun];
  expect(blocks.filter((each) => !known.some((row) => belongs(each, row)))).toEqual([]);
});

test('every row is about an existing block and an existing test', () => {
  const stale = [...ranBy, ...notRun].filter((row) => !blocks.some((each) => belongs(each, row)));
  expect(stale).toEqual([]);
  expect(ranBy.filter(([, , by]) => !existsSync(join(root, by)))).toEqual([]);
});

test("every script and every operators' command that a page names exists", () => {
  const { scripts } = JSON.parse(asText('package.json'));
  const verbs = Object.keys(commands);
  const said = pages.flatMap((page) => {
    const text = asText(page);
    const run = [...text.matchAll(/\bnpm run (?:-s )?([a-z][a-z:]*)/g)].map(([, name = '']) => name);
    const asked = [...text.matchAll(/\bnpm run admin -- ([a-z][a-z-]+)/g)].map(([, verb = '']) => verb);
    return [
      ...run.filter((name) => !Object.hasOwn(scripts, name)).map((name) => `${page}: npm run ${name}`),
      ...asked.filter((verb) => verb !== 'help' && !verbs.includes(verb)).map((verb) => `${page}: ${verb}`),
    ];
  });
  expect(said).toEqual([]);
});
