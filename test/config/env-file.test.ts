import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readEnvironment } from '../../config/env-file.ts';
import { readSettings } from '../../config/settings.ts';

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

describe('what editors, containers and secret stores make of a value [faults: 524]', () => {
  test('a byte order mark is no part of the first name', async () => {
    await writeFile(join(folder, '.env'), '\uFEFFPORT=4000\r\nHOST=::1\r\n');

    expect(readEnvironment({}, folder)).toEqual({ env: { PORT: '4000', HOST: '::1' }, warnings: [] });
  });

  test('a file in UTF-16 ends the start with one line', async () => {
    await writeFile(join(folder, '.env'), Buffer.from('\uFEFFPORT=4000\n', 'utf16le'));

    expect(() => readEnvironment({}, folder)).toThrow(/\.env cannot be read \(it is not UTF-8\)$/);
  });

  test.each([`"secret"`, `'secret'`, `  "two\nlines" `])(
    'quotes in the environment are told: %j',
    (value) => {
      expect(readEnvironment({ ADMIN_TOKEN: value, PATH: '"x"' }, folder)).toEqual({
        env: { ADMIN_TOKEN: value, PATH: '"x"' },
        warnings: ['ADMIN_TOKEN is set in quotes, which are part of its value here: write it without'],
      });
    },
  );

  test.each([`"`, `"a'`, `a"`, `{"a":"b"}`, ''])('not %j', (value) => {
    expect(readEnvironment({ ADMIN_TOKEN: value }, folder).warnings).toEqual([]);
  });
});

describe('a setting in a file of its own, as secrets are mounted [faults: 524]', () => {
  const inFile = async (value: string) => {
    const path = join(folder, 'secret');
    await writeFile(path, value);
    return path;
  };

  test('X_FILE names the file that holds X', async () => {
    const path = await inFile('a-token-of-operators\n');

    const given = { UPSTREAM_URL: 'http://127.0.0.1:1', ADMIN_TOKEN: '', ADMIN_TOKEN_FILE: ` ${path} ` };
    const { env, warnings } = readEnvironment(given, folder);

    expect(readSettings(env).adminToken).toBe('a-token-of-operators');
    expect(warnings).toEqual([]);
  });

  test('a name of a file that is misspelt is told', () => {
    expect(readEnvironment({ ADMIN_TOKEN_FIL: '/run/secrets/a' }, folder).warnings).toEqual([
      'ADMIN_TOKEN_FIL is set, but there is no setting of this name: did you mean ADMIN_TOKEN_FILE?',
    ]);
  });

  test('the start ends with one line when both are set, or the file is not there, empty or unreadable', async () => {
    const read = (env: Record<string, string>) => () => readEnvironment(env, folder);
    const empty = await inFile('\n');

    expect(read({ ADMIN_TOKEN_FILE: empty, ADMIN_TOKEN: 'x' })).toThrow(
      'ADMIN_TOKEN and ADMIN_TOKEN_FILE are both set',
    );
    expect(read({ ADMIN_TOKEN_FILE: join(folder, 'none') })).toThrow(
      'ADMIN_TOKEN_FILE names a file that is not there',
    );
    expect(read({ ADMIN_TOKEN_FILE: empty })).toThrow('ADMIN_TOKEN_FILE names a file that is empty');
    expect(read({ ADMIN_TOKEN_FILE: folder })).toThrow(/cannot be read \(EISDIR\)$/);
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
