/**
 * [operator-interface §3] An independent interpretation of /openapi.json: Schemathesis calls every operation with valid and invalid requests.
 * `SCHEMATHESIS_SECONDS` is the time for each listener; `SCHEMATHESIS_SEED` repeats a run.
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
  // It writes its cache into the working directory.
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
  // Both run at once: each takes the time it is given.
  let atClients = '';
  let atOperators = '';
  beforeAll(async () => {
    // A drained node serves no requests; portal pages are not part of the API.
    const operators = ['--exclude-path-regex', '^/api/v1|^/admin/v1/drain|^/portal'];
    [atClients, atOperators] = await Promise.all([
      askAll(`X-API-Key: ${key}`, ['--include-path-regex', '^/api/v1']),
      askAll(`Authorization: Bearer ${adminToken}`, operators),
    ]);
  }, patienceMs);

  test('on the client API', () => expect(atClients).toBe(''));

  test('on the admin API and the open routes', () => expect(atOperators).toBe(''));
});
