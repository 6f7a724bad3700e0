import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generatedKeys } from '../../config/generated-keys.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trunkline-'));
});
afterEach(() => rm(folder, { recursive: true }));

const unset = () => ({ dataDir: join(folder, 'data'), encryptionKeys: null, adminToken: null });

describe('keys of the embedded store [operator-interface §2 ENCRYPTION_KEYS, ADMIN_TOKEN]', () => {
  test('are generated at the first start and found at the next', async () => {
    const first = await generatedKeys(unset());
    const second = await generatedKeys(unset());

    expect(second).toEqual(first);
    expect(first.encryptionKeys.map((key) => Buffer.from(key, 'base64').length)).toEqual([32]);
    expect(first.adminToken).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test('can be read by the owner only, and nothing else is left behind', async () => {
    const { dataDir } = unset();
    await generatedKeys(unset());

    const names = (await readdir(dataDir)).toSorted((one, other) => one.localeCompare(other));
    const modes = await Promise.all(
      names.map(async (name) => (await stat(join(dataDir, name))).mode & 0o777),
    );

    expect([names, modes]).toEqual([
      ['admin-token', 'encryption-key'],
      [0o600, 0o600],
    ]);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  test('are the same for twenty concurrent first starts', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => generatedKeys(unset())));

    expect(new Set(all.map((keys) => JSON.stringify(keys))).size).toBe(1);
    expect((await readdir(unset().dataDir)).length).toBe(2);
  });

  test('a DATA_DIR that cannot be created ends the start with one clear line', async () => {
    await expect(generatedKeys({ ...unset(), dataDir: '/proc/self/x' })).rejects.toThrow(
      '/proc/self/x/encryption-key cannot be written (ENOENT)',
    );
  });

  test('are not generated if they are set', async () => {
    const set = { ...unset(), encryptionKeys: ['a', 'b'], adminToken: 't' };

    expect(await generatedKeys(set)).toEqual({ encryptionKeys: ['a', 'b'], adminToken: 't' });
    expect(await readdir(folder)).toEqual([]);
  });

  test('are never replaced: a damaged file ends the start', async () => {
    await generatedKeys(unset());
    const path = join(unset().dataDir, 'encryption-key');
    await writeFile(path, 'half a k');

    await expect(generatedKeys(unset())).rejects.toThrow(
      `${path} has no usable key: restore it from a backup`,
    );
    expect(await readFile(path, 'utf8')).toBe('half a k');
  });

  test('need a folder that can be made', async () => {
    await writeFile(join(folder, 'data'), '');

    await expect(generatedKeys(unset())).rejects.toThrow(
      /encryption-key cannot be (read|written) \((ENOTDIR|EEXIST)\)/,
    );
  });
});
