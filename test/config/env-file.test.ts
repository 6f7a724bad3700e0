import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../config/env-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('a file .env in the working directory [operator-interface §2]', () => {
  test('is read first; the environment overrides it', async () => {
    await writeFile(join(folder, '.env'), '# ours\nPORT=4000\nLOG_LEVEL="warn"\n');

    expect(readEnvironment({ PORT: '5000' }, folder).env).toEqual({ PORT: '5000', LOG_LEVEL: 'warn' });
  });

  test('may be absent', () => {
    expect(readEnvironment({ PORT: '5000' }, folder)).toEqual({ env: { PORT: '5000' }, warnings: [] });
  });

  test('that cannot be read ends the start with one line', async () => {
    await mkdir(join(folder, '.env'));

    expect(() => readEnvironment({}, folder)).toThrow(/\.env cannot be read \(EISDIR\)$/);
  });
});

describe('a misspelt variable is named [operator-interface §2]', () => {
  test.each([
    ['WEBHOOK_TIMOUT_MS', 'WEBHOOK_TIMEOUT_MS'],
    ['WEBHOOK_TIMEOUTS_MS', 'WEBHOOK_TIMEOUT_MS'],
    ['WEBHOOK_TIMEOUT_NS', 'WEBHOOK_TIMEOUT_MS'],
    ['WEBHOOK_TIEMOUT_MS', 'WEBHOOK_TIMEOUT_MS'],
    ['webhook_timeout_ms', 'WEBHOOK_TIMEOUT_MS'],
    ['REDIS_URLS', 'REDIS_URL'],
    ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
  ])('%s', (name, meant) => {
    expect(readEnvironment({ [name]: 'x' }, folder).warnings).toEqual([
      `${name} is set, but there is no setting of this name: did you mean ${meant}?`,
    ]);
  });

  test.each(['PATH', 'HOME', 'NODE_ENV', 'WEBHOOK_TIMEOUT', 'PORT', 'TIMEOUT_WEBHOOK_MS'])(
    'not %s',
    (name) => {
      expect(readEnvironment({ [name]: 'x' }, folder).warnings).toEqual([]);
    },
  );
});
