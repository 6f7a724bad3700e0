/** `trunkline COMMAND`, as the packed build has it. [operator-interface §1] */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const compiled = process.env['TRUNKLINE_DIST'] ?? '';
const place = mkdtempSync(join(tmpdir(), 'trunkline-cli-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

interface Ended {
  code: number | string | null | undefined;
  out: string;
  err: string;
}

function run(program: string, args: readonly string[], cwd = place): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, [...args], { cwd }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, out, err }),
    );
  });
}

const trunkline = (...args: string[]): Promise<Ended> =>
  run(process.execPath, [join(compiled, 'src/cli.js'), ...args]);

describe('trunkline', () => {
  test('without a command lists the commands', async () => {
    const { code, out } = await trunkline();
    expect(code).toBe(0);
    for (const command of ['start', 'demo', 'admin', 'backup', 'listen', 'simulator'])
      expect(out).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  });

  test.each(['nope', 'constructor', '__proto__'])(
    'an unknown command exits with code 2: %s',
    async (name) => {
      const { code, err } = await trunkline(name);
      expect([code, err.split('\n')[0]]).toEqual([2, `trunkline: unknown command ${name}`]);
    },
  );

  test('--version says the version and the commit of the build', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const { code, out } = await trunkline('--version');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(`^trunkline ${version} \\(commit [0-9a-f]{7,40}(-dirty)?\\)\n$`),
    ]);
  });

  test('passes a command its own arguments', async () => {
    const { code, err } = await trunkline('listen', '--key', 'k', '--forward-to', 'nowhere');
    expect(code).toBe(2);
    expect(err).toContain('--forward-to');
  });

  test.each([
    ['admin', 'help', 'trunkline admin COMMAND …'],
    ['admin', 'nodes --help', 'trunkline admin nodes '],
    ['backup', '--help', 'Usage: trunkline backup FOLDER '],
    ['listen', '--help', 'Usage: trunkline listen --key KEY '],
  ])('the help of %s %s names the command as it was typed', async (command, words, start) => {
    const { code, out } = await trunkline(command, ...words.split(' '));
    expect([code, out.slice(0, start.length)]).toEqual([0, start]);
  });

  test('starts the service: invalid settings are refused by name', async () => {
    writeFileSync(join(place, '.env'), 'PORT=none\n');
    const { code, err } = await trunkline('start');
    expect([code, err]).toEqual([1, expect.stringMatching(/^trunkline: PORT /)]);
  });

  test('distinguishes a part that an image leaves out from an unknown command', async () => {
    const { code, err } = await trunkline('demo');
    expect([code, err]).toEqual([1, 'trunkline: demo is not part of this build\n']);
  });
});

test('`npm pack` includes what runs and what is documentation, but never settings, data or sources', async () => {
  const operators = [
    'example.env',
    'systemd/trunkline.service',
    'compose/haproxy.cfg',
    'nginx/trunkline.conf',
  ];
  const watching = ['prometheus/alerts.yml', 'grafana/trunkline.json'];
  const settings = [...operators, ...watching].map((name) => `config/${name}`);
  const kept = ['dist/src/cli.js', 'CHANGELOG.md', ...settings];
  const left = ['.env', 'data/keys.json', 'data2/x.db', 'backups/x.db', 'src/cli.ts', 'config/compose/.env'];
  const folder = join(place, 'packed');
  for (const file of [...kept, ...left]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  writeFileSync(join(folder, 'package.json'), readFileSync(join(root, 'package.json')));
  const { out } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], folder);
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(out);
  expect(files.map(({ path }) => path).toSorted()).toEqual([...kept, 'package.json'].toSorted());
});
