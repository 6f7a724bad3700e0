/** Where programs are on this machine. */
import { accessSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What `.ci/run` brings for the tests, in the folder for temporary files that the run was begun with. */
export function madeByCi(path: string): string {
  return join(process.env['TRUNKLINE_MADE_BY_CI'] ?? tmpdir(), path);
}

/** In the folders of `path`, as PATH lists them, and then in `more`. null: in none. */
export function findProgram(
  name: string,
  path = process.env['PATH'] ?? '',
  more: readonly string[] = [],
): string | null {
  const folders = [...path.split(delimiter), ...more];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}
