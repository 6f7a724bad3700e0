/** [operator-interface §2] Invalid settings fail at start with one clear line; keys are generated if there are none. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { builtFile } from '../support/built.ts';
import { freePort, listening } from '../support/ports.ts';
import { spawnHookMs, spawnService } from '../support/service.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'trunkline-settings-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** No server listens there, and the simulator's app is not used. */
const UPSTREAM_URL = 'http://127.0.0.1:9';

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** Runs the service until it ends by itself. */
function start(env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [builtFile('src/main.js')], {
    cwd: join(import.meta.dirname, '../..'),
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (ended.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (ended.err += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ ...ended, code })));
}

describe('a wrong value ends the start with one line that names the variable', () => {
  const secret = 'not-base64-but-still-a-secret';
  const wrong: [Record<string, string>, string][] = [
    [{ PORT: 'http' }, 'PORT must be a whole number from 0 to 65535'],
    [
      { ENCRYPTION_KEYS: secret },
      'ENCRYPTION_KEYS must be a comma-separated list of different keys, each base64 of 32 bytes',
    ],
    [
      { NODE_ENV: 'development' },
      'UPSTREAM_APP_ID, UPSTREAM_APP_SECRET, UPSTREAM_VERIFY_TOKEN are required unless ' +
        'UPSTREAM_URL is a loopback address (the simulator)',
    ],
  ];

  test(
    'the line never shows the value of a secret setting',
    async () => {
      const ends = await Promise.all(wrong.map(([env]) => start(env)));
      expect(ends).toEqual(wrong.map(([, line]) => ({ code: 1, out: '', err: `trunkline: ${line}\n` })));
      expect(ends.some(({ err }) => err.includes(secret))).toBe(false);
      expect(await readdir(dataDir)).toEqual([]);
    },
    spawnHookMs,
  );
});

test(
  'a DATA_DIR that cannot be created ends the start with one line that names it',
  async () => {
    const { code, out, err } = await start({ DATA_DIR: '/dev/null/data', LOG_LEVEL: 'silent', UPSTREAM_URL });

    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/^trunkline: DATA_DIR \/dev\/null\/data cannot be used \(.*\)\n$/);
  },
  spawnHookMs,
);

test(
  'a port in use ends the start with one line that says so',
  async () => {
    const taken = createServer();
    const port = String(await listening(taken));
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-taken-'));
    const ended = await start({ PORT: port, DATA_DIR: folder, LOG_LEVEL: 'silent', UPSTREAM_URL });
    taken.close();
    await rm(folder, { recursive: true, force: true });

    expect(ended).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^trunkline: cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.*\n$/),
    });
  },
  spawnHookMs,
);

test(
  'without keys the service generates its own, prints none, finds account and key again after a restart, and keeps DATA_DIR private',
  async () => {
    const env = { PORT: String(await freePort()), DATA_DIR: dataDir, LOG_LEVEL: 'debug', UPSTREAM_URL };
    const first = await spawnService(env);
    const adminToken = (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim();
    const authorization = `Bearer ${adminToken}`;
    const created = await first.call('POST', '/admin/v1/accounts', {
      headers: { authorization },
      body: { email: 'a@example.com' },
    });
    expect(created.status).toBe(201);
    const { api_key: key } = created.body;
    expect(await first.terminate()).toBe(0);

    const second = await spawnService(env);
    const third = await start({ ...env, PORT: '0', LOG_LEVEL: 'silent' });
    const err = `trunkline: DATA_DIR ${dataDir} is in use by another Trunkline process\n`;
    expect(third).toEqual({ code: 1, out: '', err });
    expect((await second.call('GET', '/api/v1/channels', { key })).status).toBe(200);
    expect((await second.call('GET', '/admin/v1/nodes', { headers: { authorization } })).status).toBe(200);
    expect(await second.terminate()).toBe(0);
    const encryptionKey = (await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim();
    const log = [...first.lines, ...second.lines].join('\n');
    expect([adminToken, encryptionKey, key, 'a@example.com'].filter((text) => log.includes(text))).toEqual(
      [],
    );
    expect(log).toContain('node.ready');
  },
  spawnHookMs,
);

test(
  'a misspelt variable is named in a warning at start, and npm run admin finds the generated token',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'trunkline-misspelt-'));
    const port = String(await freePort());
    const service = await spawnService({
      PORT: port,
      DATA_DIR: folder,
      UPSTREAM_URL,
      LOG_LEVEL: 'warn',
      MEDIA_TLL_MS: '1',
    });
    const admin = spawn(process.execPath, [builtFile('src/app/admin-cli.js'), 'nodes', '--json'], {
      cwd: join(import.meta.dirname, '../..'),
      env: { PATH: process.env['PATH'] ?? '', PORT: port, DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    admin.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const code = await new Promise((resolve) => admin.once('close', resolve));
    await service.terminate();
    await rm(folder, { recursive: true, force: true });

    expect({ code, nodes: JSON.parse(said) }).toEqual({ code: 0, nodes: { nodes: [expect.anything()] } });
    expect(service.lines.join('\n')).toContain(
      'MEDIA_TLL_MS is set, but there is no setting of this name: did you mean MEDIA_TTL_MS?',
    );
  },
  spawnHookMs,
);
