/** A store is backed up while it is in use, and the restored service works: the commands of docs/operating/backup.md. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtFile } from '../support/built.ts';
import { Inbox } from '../support/inbox.ts';
import { bootService, bootSimulator } from '../support/service.ts';
import type { Service, Simulator } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { World } from '../support/world.ts';
import { root, asText } from '../docs/pages.ts';

const run = promisify(execFile);
const command = /^npm run backup -- (\S+)$/m.exec(asText('docs/operating/backup.md'));

/** The page's own command, with the folders of the test. */
function backUp(dataDir: string, to: string, more: Record<string, string> = {}) {
  expect(command?.[0]).toBeDefined();
  return run('npm', ['run', '--silent', 'backup', '--', to], {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir, ...more },
  });
}

let place: string;
let simulator: Simulator;
let inbox: Inbox;
let services: Service[];
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'trunkline-backup-'));
  simulator = await bootSimulator(laxWorld);
  inbox = await Inbox.open();
  services = [];
});
afterEach(async () => {
  for (const service of services) await service.stop();
  await simulator.stop();
  await inbox.close();
  await rm(place, { recursive: true, force: true });
});

async function startOn(dataDir: string): Promise<World> {
  const service = await bootService(simulator.url, { DATA_DIR: dataDir, ENCRYPTION_KEYS: '' });
  services.push(service);
  return World.of(service, simulator, inbox);
}

describe('npm run backup', () => {
  test('a backup of a running service starts with its data, and sends and receives; later data is missing', async () => {
    const before = await startOn(join(place, 'data'));
    const channel = await before.connected('chatapp');
    const known = await before.send(channel, 'before the backup');
    await inbox.event('message.delivered', known.body.message_id);

    await backUp(join(place, 'data'), join(place, 'copy'));
    const lost = await before.send(channel, 'after the backup');
    await inbox.event('message.sent', lost.body.message_id);
    await before.service.stop();
    services = [];

    const after = await startOn(join(place, 'copy'));
    const log = await after.service.call('GET', `/api/v1/channels/${channel.id}/deliveries`, {
      key: channel.key,
    });
    const told: string[] = log.body.deliveries.map(({ message_id }: { message_id: string }) => message_id);
    expect(told).toContain(known.body.message_id);
    expect(told).not.toContain(lost.body.message_id);
    const sent = await after.send(channel, 'and on');
    expect(sent.body).toMatchObject({ success: true, status: 'sent' });
    await inbox.event('message.delivered', sent.body.message_id);
    await after.write(channel, { text: 'hello' });
    await inbox.event('message.received');
  });

  test('the backup is complete, and readable by its owner only', async () => {
    const world = await startOn(join(place, 'data'));
    await backUp(join(place, 'data'), join(place, 'copy'));
    for (const name of ['trunkline.db', 'encryption-key'])
      expect((await stat(join(place, 'copy', name))).isFile()).toBe(true);
    expect((await stat(join(place, 'copy'))).mode & 0o077).toBe(0);
    expect((await stat(join(place, 'copy', 'encryption-key'))).mode & 0o077).toBe(0);
    await world.service.stop();
    services = [];
  });

  test('into a world-readable folder, with a permissive umask: readable by its owner only [faults: 132]', async () => {
    const [data, copy] = [join(place, 'data'), join(place, 'copy')];
    const world = await startOn(data);
    await mkdir(join(data, 'media', 'a'), { recursive: true });
    await writeFile(join(data, 'media', 'a', 'file'), 'x');
    await chmod(join(data, 'media', 'a', 'file'), 0o644);
    await mkdir(copy);
    await chmod(copy, 0o755);
    const umask = process.umask(0);
    try {
      await backUp(data, copy);
    } finally {
      process.umask(umask);
    }
    const paths = ['', ...(await readdir(copy, { recursive: true }))].map((name) => join(copy, name));
    const open = await Promise.all(paths.map(async (path) => [path, (await stat(path)).mode & 0o077]));
    expect(open.filter(([, mode]) => mode !== 0)).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining([join(copy, 'trunkline.db'), join(copy, 'media', 'a', 'file')]),
    );
    await world.service.stop();
    services = [];
  });

  /** The bundle of a release, in a folder without anything else. */
  const backUpFrom = (cwd: string, to: string) =>
    run(process.execPath, [builtFile('src/app/backup-cli.js'), to], {
      cwd,
      env: { ...process.env, DATA_DIR: join(place, 'data') },
    });

  test.each(['--help', '-h'])(
    '%s is no folder: a request for help makes no copy of the keys',
    async (word) => {
      await startOn(join(place, 'data'));
      const asked = await backUpFrom(place, word).catch((error: unknown) => Object(error));
      expect([asked.stdout, asked.stderr].join('')).toBe(
        'Usage: npm run backup -- FOLDER (copies DATA_DIR to FOLDER while the service runs)\n',
      );
      expect(await readdir(place)).toEqual(['data']);
    },
  );

  test('a name that SQLite would read as a URI is a plain folder name [faults: 132]', async () => {
    await startOn(join(place, 'data'));
    await mkdir(join(place, 'copy'));
    await backUpFrom(place, 'file:copy');
    expect(await readdir(join(place, 'copy'))).toEqual([]);
    expect(await readdir(join(place, 'file:copy'))).toContain('trunkline.db');
  });

  test.each([
    ['a folder that holds something', 'full', {}, /is not empty/],
    [
      'a folder that can not be made',
      '/proc/self/x',
      {},
      /no such file or directory, mkdir '\/proc\/self\/x'/,
    ],
    ['a store that is MongoDB', 'copy', { MONGODB_URI: 'mongodb://127.0.0.1:1/x' }, /mongodump/],
    [
      'a DATA_DIR that is none',
      'copy',
      { DATA_DIR: '/nowhere/at/all' },
      /DATA_DIR \/nowhere\/at\/all has no store/,
    ],
  ])('%s: one line, and nothing is written', async (_, to, env, says) => {
    await run('mkdir', [join(place, 'full'), join(place, 'data')]);
    await writeFile(join(place, 'full', 'precious'), '');
    await writeFile(join(place, 'data', 'trunkline.db'), '');
    const failed = await backUp(join(place, 'data'), resolve(place, to), env).catch(
      (error: unknown) => Object(error).stderr,
    );
    expect(String(failed).trim().split('\n')).toHaveLength(1);
    expect(failed).toMatch(says);
    expect((await readdir(place)).toSorted()).toEqual(['data', 'full']);
  });
});

describe("the commands of MongoDB's tools, which can't be run here, ask nothing that the tools refuse", () => {
  const page = asText('docs/operating/backup.md');
  const asked = (tool: string): string[] =>
    [...page.matchAll(new RegExp(`(?:^|\\x60)(${tool} .*?)(?:\\x60|$)`, 'gm'))].map(([, line = '']) => line);

  test.each([
    ['mongodump', '--oplog', 2],
    ['mongorestore', '--oplogReplay', 2],
  ])('%s: %s goes with no choice of a database, and without it there is one', (tool, oplog, count) => {
    const lines = asked(tool);
    expect(lines).toHaveLength(count);
    for (const line of lines) {
      expect(line).toMatch(/--uri "\$(BACKUP|RESTORE)_URI"/);
      expect(/ --db | --nsInclude /.test(line)).toBe(!line.includes(oplog));
    }
  });
});
