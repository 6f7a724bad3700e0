/** Finds programs on this machine. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The path of a program, looked up in the folders of `path` (written like PATH), then in those of `more`; null if it is in none. */
export function findProgram(
  name: string,
  path = process.env['PATH'] ?? '',
  more: readonly string[] = [],
): string | null {
  const folders = [...path.split(delimiter), ...more];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}
