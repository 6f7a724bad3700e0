/** [faults §5, API8] Only its owner can read the embedded store. */
import { chmod, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freshDirectory, openIn } from './open.ts';

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

async function modes(folder: string): Promise<[string, string][]> {
  const names = (await readdir(folder)).toSorted();
  return Promise.all(
    names.map(async (name): Promise<[string, string]> => [name, await modeOf(join(folder, name))]),
  );
}

test('its folder is 0700 and its files are 0600, whatever they were before and whatever the umask is', async () => {
  const dataDir = freshDirectory();
  await chmod(dataDir, 0o755);
  await writeFile(join(dataDir, 'store.lock'), '', { mode: 0o644 });
  const umask = process.umask(0);
  const store = await openIn(dataDir);
  await store.stores.accounts.byId('none');
  process.umask(umask);

  expect(await modeOf(dataDir)).toBe('700');
  const found = await modes(dataDir);
  expect(found.map(([name]) => name)).toEqual(expect.arrayContaining(['store.lock', 'trunkline.db']));
  expect(found.filter(([, mode]) => mode !== '600')).toEqual([]);
  await store.close();
  await rm(dataDir, { recursive: true });
});
