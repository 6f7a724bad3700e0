import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The contents of all files in a data folder, as latin1: one character for each byte. */
export async function everythingStored(folder: string): Promise<string> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile());
  const texts = files.map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}
