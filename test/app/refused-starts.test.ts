/** [operator-interface §1] Starts that can't be: each ends with one line and a code that is not 0. */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { oldNodeProblem } from '../../src/kernel/node-version.ts';
import { builtFile } from '../support/built.ts';
import { firstOfThreeFree, listening } from '../support/ports.ts';
import { environment } from '../support/service.ts';

const root = join(import.meta.dirname, '../..');

interface Ended {
  code: unknown;
  lines: string[];
}

function run(
  args: readonly string[],
  env: Record<string, string>,
  as: { uid?: number } = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...args], { env, cwd: root, ...as }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, lines: `${out}${err}`.trim().split('\n') }),
    );
  });
}

describe('the demo', () => {
  const onPort = (port: string): Promise<Ended> =>
    run(['--import', 'tsx', 'src/app/demo/main.ts'], { PATH: process.env['PATH'] ?? '', DEMO_PORT: port });

  test.each([0, 1, 2])('with its port %i in use', async (index) => {
    const other = createServer();
    const first = await firstOfThreeFree();
    const taken = await listening(other, first + index);
    const { code, lines } = await onPort(String(first));
    other.close();
    const all = `${first}, ${first + 1}, ${first + 2}`;
    expect([code, lines]).toEqual([
      1,
      [`demo: port ${taken} is in use; the demo needs ${all}: DEMO_PORT names another first one`],
    ]);
  });

  test.each(['x', '0', '65534', '3000.5'])('with DEMO_PORT=%s', async (port) => {
    expect(await onPort(port)).toEqual({
      code: 1,
      lines: [`demo: DEMO_PORT must be a whole number from 1 to 65533; it is ${port}`],
    });
  });
});

describe('the service', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'trunkline-refused-'));
  });
  afterEach(() => rmSync(place, { recursive: true, force: true }));

  /** A page of SQLite whose header says what it is, and nothing behind it. */
  const header = Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080, 0xff)]);

  test.each<[string, Buffer]>([
    ['is no database', Buffer.alloc(8_192, 0x5a)],
    ['is a database whose pages are garbage', header],
  ])('on a data file that %s', async (_, bytes) => {
    const file = join(place, 'trunkline.db');
    writeFileSync(file, bytes);
    const env = await environment('http://127.0.0.1:1', { DATA_DIR: place });
    const { code, lines } = await run([builtFile('src/main.js')], env);
    expect([code, lines]).toEqual([
      1,
      [
        expect.stringMatching(
          `^trunkline: DATA_DIR ${place}: trunkline.db is damaged \\(.*\\) and was left as it is: move DATA_DIR away and restore a backup$`,
        ),
      ],
    ]);
    expect(readFileSync(file)).toEqual(bytes);
  });
});

describe('the service whose DATA_DIR has', () => {
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'trunkline-refused-'));
  });
  afterEach(() => {
    chmodSync(place, 0o700);
    rmSync(place, { recursive: true, force: true });
  });

  /** Root may look into every folder. */
  const nobody = process.getuid?.() === 0 ? { uid: 65_534 } : {};

  test('another owner, whose folder it may not look into', async () => {
    chmodSync(place, 0o000);
    const env = await environment('http://127.0.0.1:1', { DATA_DIR: place });
    const { code, lines } = await run([builtFile('src/main.js')], env, nobody);
    const why = `EACCES: permission denied, stat '${join(place, 'trunkline.db')}'`;
    expect([code, lines]).toEqual([1, [`trunkline: DATA_DIR ${place} cannot be used (${why})`]]);
  });

  test.each(['trunkline.db-wal', 'trunkline.db-shm'])('a %s that it may not open', async (name) => {
    mkdirSync(join(place, name)); // root, too, can't open a folder as a file
    const env = await environment('http://127.0.0.1:1', { DATA_DIR: place });
    const { code, lines } = await run([builtFile('src/main.js')], env);
    const line = `^trunkline: DATA_DIR ${place} cannot be used \\(trunkline.db, trunkline.db-wal or trunkline.db-shm: .*\\)$`;
    expect([code, lines]).toEqual([1, [expect.stringMatching(line)]]);
  });
});

describe('the service with a MONGODB_URI', () => {
  test.each([
    ['of one parameter that is none', '?retryWrites=true&foo=bar', 'foo'],
    ['of several', '?foo=bar&w=majority&ssl_cert_reqs=CERT_NONE', 'foo, ssl_cert_reqs'],
  ])('%s', async (_, query, names) => {
    const MONGODB_URI = `mongodb://user:hunter2@127.0.0.1:1/trunkline${query}`;
    const env = await environment('http://127.0.0.1:1', { MONGODB_URI });
    const { code, lines } = await run([builtFile('src/main.js')], env);
    const why = `the driver knows no parameter ${names}`;
    expect([code, lines]).toEqual([1, [`trunkline: MONGODB_URI can't be used: ${why}`]]);
  });
});

describe('an old Node', () => {
  test('is one that package.json excludes', () => {
    const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(engines.node).toBe('>=20.19');
  });

  test.each(['20.19.0', '20.20.2', '22.1.0', '24.0.0'])('is not %s', (version) => {
    expect(oldNodeProblem(version)).toBeNull();
  });

  test.each(['18.20.8', '20.18.3', '16.0.0'])('is %s: one line says so', (version) => {
    expect(oldNodeProblem(version)).toBe(`Node 20.19 or newer is needed; this is ${version}`);
  });
});
