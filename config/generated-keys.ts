import { link, open, readFile, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { newId, newSecret } from '../src/kernel/ids.ts';
import { makeFolder } from '../src/kernel/make-folder.ts';
import { SettingsError, readErrorCode } from './settings.ts';
import type { Settings } from './settings.ts';

interface Keys {
  /** Base64 of 32 bytes each, newest first. */
  encryptionKeys: readonly string[];
  adminToken: string;
}

/**
 * The keys that are set, and in their place the ones in DATA_DIR, made at the first start: one file each, readable by the
 * owner only. A file that is there is never replaced: without its keys the store can't be opened.
 * Throws SettingsError when a file can't be read or written. [operator-interface §2 ENCRYPTION_KEYS, ADMIN_TOKEN]
 */
export async function generatedKeys(
  settings: Pick<Settings, 'dataDir' | 'encryptionKeys' | 'adminToken'>,
): Promise<Keys> {
  const { dataDir } = settings;
  return {
    encryptionKeys: settings.encryptionKeys ?? [await kept(dataDir, 'encryption-key', isKey, newKey)],
    adminToken: settings.adminToken ?? (await kept(dataDir, 'admin-token', isToken, () => newSecret())),
  };
}

const newKey = (): string => Buffer.from(newSecret(32), 'base64url').toString('base64');
const isKey = (text: string): boolean => /^[A-Za-z0-9+/]{43}=$/.test(text);
const isToken = (text: string): boolean => /^[\x21-\x7e]{16,}$/.test(text);

async function kept(
  folder: string,
  name: string,
  isUsable: (text: string) => boolean,
  make: () => string,
): Promise<string> {
  const path = join(folder, name);
  const known = (await readIfThere(path)) ?? (await create(folder, path, make()));
  if (!isUsable(known)) throw new SettingsError(`${path} has no usable key: restore it from a backup`);
  return known;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return null;
    throw new SettingsError(`${path} cannot be read (${readErrorCode(error)})`);
  }
}

/** Written whole under another name, then linked: of two first starts at once one wins, and both read the winner's. */
async function create(folder: string, path: string, content: string): Promise<string> {
  const draft = `${path}.${newId()}`;
  try {
    await makeFolder(resolve(folder), 0o700);
    await write(draft, content);
    await link(draft, path).catch((error: unknown) => {
      if (readErrorCode(error) !== 'EEXIST') throw error;
    });
    await syncFolder(folder);
    return (await readIfThere(path)) ?? '';
  } catch (error) {
    throw error instanceof SettingsError
      ? error
      : new SettingsError(`${path} cannot be written (${readErrorCode(error)})`);
  } finally {
    await unlink(draft).catch(() => {}); // never written, or a leftover that nobody reads
  }
}

async function write(path: string, content: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(`${content}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The name must survive a power cut too, not only the bytes: the first sealed row may be written right after. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
