import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { makeFolder } from '../../src/kernel/make-folder.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'trunkline-folder-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

test('a folder is created with its parents, all with its mode; twenty concurrent calls create one', async () => {
  const path = join(place, 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 20 }, () => makeFolder(path, 0o700)));
  for (const made of [path, join(place, 'a', 'b'), join(place, 'a')])
    expect((await stat(made)).mode & 0o777).toBe(0o700);
});

test('no concurrent call fails because another one has created a parent meanwhile', async () => {
  for (let round = 0; round < 50; round += 1) {
    const path = join(place, String(round), 'a', 'b', 'c');
    await Promise.all(Array.from({ length: 20 }, () => makeFolder(path, 0o700)));
    expect((await stat(path)).isDirectory()).toBe(true);
  }
});

test.each([
  ['is a file', 'file', 'EEXIST'],
  ['is below a file', 'file/x', 'ENOTDIR'],
  ['is below a folder that takes none', '/proc/self/x', 'ENOENT'],
])("a path that %s is refused with the system's error", async (_, path, code) => {
  await writeFile(join(place, 'file'), '');
  await expect(makeFolder(path.startsWith('/') ? path : join(place, path), 0o700)).rejects.toMatchObject({
    code,
  });
});
