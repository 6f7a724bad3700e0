/** [faults: 160, 528, 534] SIGTERM and SIGINT, repeated: a process group and npm both deliver them, so the service gets two, and open requests are still answered. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { databaseClass } from '../../src/storage/sqlite/sqlite.ts';
import { Inbox } from '../support/inbox.ts';
import { builtFile } from '../support/built.ts';
import { closeAfterEach } from '../support/closing.ts';
import { trySend } from '../support/crash.ts';
import type { Ended } from '../support/crash.ts';
import { listening } from '../support/ports.ts';
import { newPerson } from '../support/sends.ts';
import { bootSimulator, environment, spawnService } from '../support/service.ts';
import type { CommandLine, ServiceProcess, Simulator } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

jest.setTimeout(120_000);

const closing = closeAfterEach();
let simulator: Simulator;
beforeEach(async () => {
  simulator = await bootSimulator(contractWorld);
});
afterEach(() => simulator.stop());

interface Serving {
  service: ServiceProcess;
  /** Resolves once all sends have ended. */
  sends: Promise<Ended[]>;
}

/** A service with 15 sends in flight; upstream answers each of them after a second. */
async function withOpenSends(commandLine?: CommandLine): Promise<Serving> {
  const env = await environment(simulator.url, { LOG_LEVEL: 'info' });
  closing(() => rm(env['DATA_DIR'] ?? '', { recursive: true, force: true }));
  const service = await spawnService(env, commandLine);
  closing(() => service.kill9());
  const inbox = await Inbox.open();
  closing(() => inbox.close());
  const world = await World.of(service, simulator, inbox);
  const pagechat = await world.connected('pagechat');
  await simulator.control('faults', { match: { kind: 'pagechat' }, act: 'ok', delay_ms: 1_000, times: 0 });
  const people = Array.from({ length: 15 }, () => newPerson('pagechat'));
  const sends = Promise.all(people.map((person) => trySend(world, pagechat, person, 'still open')));
  await until('all sends to be open', async () => {
    const { body } = await service.admin('GET', `/channels/${pagechat.id}`);
    return body.sends_open === people.length;
  });
  return { service, sends };
}

const said = ({ lines }: ServiceProcess, words: string): Promise<true> =>
  until(`the log to say ${words}`, () => lines.some((line) => line.includes(words)));

test('SIGTERM and SIGINT again while it drains: each open send is answered as sent, and the exit code is 0', async () => {
  const { service, sends } = await withOpenSends();
  const ended = service.terminate();
  await said(service, 'node.stopping');
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const) service.process.kill(signal);
  expect((await sends).map(({ status }) => status)).toEqual(Array<string>(15).fill('sent'));
  expect(await ended).toBe(0);
});

test('SIGHUP, as a closed terminal sends it: each open send is answered as sent, and the exit code is 0', async () => {
  const { service, sends } = await withOpenSends();
  const ended = once(service.process, 'exit');
  service.process.kill('SIGHUP');
  expect((await sends).map(({ status }) => status)).toEqual(Array<string>(15).fill('sent'));
  expect(await ended).toEqual([0, null]);
});

test('SIGTERM while the node waits for its store: it heeds it, also as the first process of a container', async () => {
  const silent = createServer();
  const port = await listening(silent, 0);
  closing(() => silent.close());
  const env = await environment(simulator.url, { MONGODB_URI: `mongodb://127.0.0.1:${port}/waiting` });
  const asked = once(silent, 'connection');
  const { execPath } = process;
  const starting = spawn(execPath, [builtFile('src/main.js')], { env, stdio: 'inherit' });
  await asked;
  starting.kill('SIGTERM');
  expect(await once(starting, 'exit')).toEqual([0, null]);
});

/** Linux alone says which files another process has open. */
const descriptorsTest = existsSync('/proc/self/fd') ? test : test.skip;

descriptorsTest(
  'SIGTERM while the writing thread is within SQLite: the process ends with 0, and is not aborted [faults: 534]',
  async () => {
    const env = await environment(simulator.url);
    const dataDir = env['DATA_DIR'] ?? '';
    closing(() => rm(dataDir, { recursive: true, force: true }));
    // SQLite waits for the lock of somebody who reads the file.
    const path = join(dataDir, 'trunkline.db');
    const db = new (await databaseClass())(path);
    db.exec('create table held (a); begin exclusive');
    closing(() => db.close());
    const starting = spawn(process.execPath, [builtFile('src/main.js')], { env, stdio: 'inherit' });
    const exit = once(starting, 'exit');
    const folder = `/proc/${starting.pid}/fd`;
    await until('the file to be open', () =>
      readdirSync(folder).some((name) => targetOf(join(folder, name)) === path),
    );
    starting.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
  },
);

/** null: it was closed meanwhile. */
function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s to the process group of npm start: each open send is answered as sent',
  async (signal) => {
    const { service, sends } = await withOpenSends(await npmStart());
    process.kill(-(service.process.pid ?? 0), signal);
    expect((await sends).map(({ status }) => status)).toEqual(Array<string>(15).fill('sent'));
  },
);

/** `npm start` of the real package.json, with the compiled service as its build. */
async function npmStart(): Promise<CommandLine> {
  const folder = await mkdtemp(join(tmpdir(), 'npm-start-'));
  closing(() => rm(folder, { recursive: true, force: true }));
  await copyFile(join(import.meta.dirname, '../../package.json'), join(folder, 'package.json'));
  await symlink(join(builtFile('src/main.js'), '../..'), join(folder, 'dist'));
  return { command: 'npm', args: ['start'], cwd: folder, detached: true };
}

test('the third SIGINT within two seconds ends the process at once, with a log line', async () => {
  const { service, sends } = await withOpenSends();
  const exit = once(service.process, 'exit');
  // The kernel merges signals that are pending, so the signal is repeated until the process ends.
  await until('it to end', () => !service.process.kill('SIGINT') || service.process.exitCode !== null);
  expect(await exit).toEqual([130, null]);
  expect(service.lines).toContain('SIGINT for the third time within 2 s: ending at once');
  expect(new Set((await sends).map(({ status }) => status))).toEqual(new Set(['gone']));
});
