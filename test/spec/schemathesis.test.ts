/**
 * [operator-interface §3] Somebody else's reading of /openapi.json: Schemathesis asks every operation what the contract allows and
 * what it forbids. `SCHEMATHESIS_SECONDS` for each door; `SCHEMATHESIS_SEED` runs a history again.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { adminToken } from '../support/service.ts';
import { newBusiness } from '../support/setup.ts';
import { newAccount, World } from '../support/world.ts';
import { areServicesRequired } from '../support/required.ts';

const madeByCi = join(tmpdir(), 'trunkline-witnesses/bin/python');
const python = process.env['WITNESS_PYTHON'] ?? (existsSync(madeByCi) ? madeByCi : 'python3');
const command = join(python, '../schemathesis');
const hasIt = spawnSync(command, ['--version'], { timeout: 60_000 }).status === 0;
if (!hasIt && !areServicesRequired)
  process.stderr.write(`Schemathesis: not tested, it is not beside ${python} (test/simulator/python)\n`);
const seconds = process.env['SCHEMATHESIS_SECONDS'] ?? '10';
const seed = process.env['SCHEMATHESIS_SEED'] ?? '1';
const patienceMs = 300_000;

let world: World;
let key = '';
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'schemathesis-'));
  world = await World.open({ BILLING_WEBHOOK_SECRET: 'whsec_for_schemathesis', RATE_LIMIT_PER_SECOND: '0' });
  const account = await newAccount(world.service);
  ({ key } = account);
  const { phones } = await newBusiness(world.simulator);
  await world.connect(account, 'chatapp', { upstream: phones[0]?.id ?? '' });
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

async function askAll(header: string, paths: string[]): Promise<string> {
  const { url } = world.service;
  const config = join(import.meta.dirname, 'schemathesis.toml');
  const where = ['--config-file', config, 'run', `${url}/openapi.json`, '--url', url, '--header', header];
  const how = [
    '--phases',
    'coverage,fuzzing',
    '--max-time',
    seconds,
    '--seed',
    seed,
    '--continue-on-failure',
  ];
  const quietly = ['--no-color', '--generation-database', ':memory:'];
  // It keeps a cache where it runs.
  const child = spawn(command, [...where, ...how, ...quietly, ...paths], {
    cwd: await mkdtemp(join(folder, 'run-')),
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return code === 0 ? '' : said;
}

(hasIt || areServicesRequired ? describe : describe.skip)('Schemathesis finds nothing', () => {
  // Both at once: each takes the time it is given.
  let atClients = '';
  let atOperators = '';
  beforeAll(async () => {
    // A drained node serves nobody; pages of people are no API.
    const operators = ['--exclude-path-regex', '^/api/v1|^/admin/v1/drain|^/portal'];
    [atClients, atOperators] = await Promise.all([
      askAll(`X-API-Key: ${key}`, ['--include-path-regex', '^/api/v1']),
      askAll(`Authorization: Bearer ${adminToken}`, operators),
    ]);
  }, patienceMs);

  test('at the clients’ door', () => expect(atClients).toBe(''));

  test('at the operators’ door and those that stand open', () => expect(atOperators).toBe(''));
});
