/** [faults: 295] A volume that is not mounted, a copy that was put back: the service does not start silently on them. */
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { bootSimulator, environment, refusedStart, spawnService } from '../support/service.ts';
import type { ServiceProcess, Simulator } from '../support/service.ts';
import { newAccount } from '../support/world.ts';

jest.setTimeout(120_000);

let simulator: Simulator;
let env: Record<string, string>;
let service: ServiceProcess;
const dataDir = (): string => env['DATA_DIR'] ?? '';

beforeEach(async () => {
  simulator = await bootSimulator();
  env = await environment(simulator.url, { ENCRYPTION_KEYS: '' });
  service = await spawnService(env);
});
afterEach(async () => {
  await service.kill9();
  await simulator.stop();
  rmSync(dataDir(), { recursive: true, force: true });
});

async function restart(more: Record<string, string> = {}): Promise<void> {
  service = await spawnService({ ...env, ...more });
}

function removeDatabase(): void {
  for (const name of readdirSync(dataDir()).filter((each) => each.startsWith('trunkline.db')))
    rmSync(join(dataDir(), name));
}

test('without its database the start ends with one line that says how to go on, however often it is tried', async () => {
  await service.terminate();
  removeDatabase();
  for (const _ of [1, 2])
    expect(await refusedStart(env)).toMatch(
      /has store-mark but no database: put the newest one back, or start once with ACCEPT_OLDER_STORE=1/,
    );
  expect(existsSync(join(dataDir(), 'trunkline.db'))).toBe(false);
  await restart({ ACCEPT_OLDER_STORE: '1' });
  await service.terminate();
  await restart();
});

test('a key of its own without a database is refused too', async () => {
  await service.terminate();
  removeDatabase();
  rmSync(join(dataDir(), 'store-mark'));
  expect(await refusedStart(env)).toMatch(/has encryption-key but no database/);
});

test('a database that is older than its mark is refused, however often it is tried', async () => {
  await service.terminate();
  const copy = `${dataDir()}-copy.db`;
  cpSync(join(dataDir(), 'trunkline.db'), copy);
  await restart();
  await newAccount(service);
  await service.terminate();
  removeDatabase();
  cpSync(copy, join(dataDir(), 'trunkline.db'));
  for (const _ of [1, 2, 3])
    expect(await refusedStart(env)).toMatch(/is older than its mark: put the newest one back/);
  await restart({ ACCEPT_OLDER_STORE: '1' });
  await service.terminate();
  await restart();
  rmSync(copy);
});

test('after kill -9 the newest database starts', async () => {
  for (const _ of [1, 2, 3]) {
    await service.kill9();
    await restart();
  }
});

test('a copy of the file alone, without its log, starts: it has the tables of a new store', async () => {
  await service.kill9();
  const copy = `${dataDir()}-copy`;
  cpSync(join(dataDir(), 'trunkline.db'), join(copy, 'trunkline.db'));
  cpSync(join(dataDir(), 'encryption-key'), join(copy, 'encryption-key'));
  service = await spawnService({ ...env, DATA_DIR: copy });
  rmSync(copy, { recursive: true, force: true });
});
