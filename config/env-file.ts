/** The environment as an operator writes it: a file `.env` in the working directory, and what the process was given. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { SettingsError, readErrorCode, settingNames } from './settings.ts';
import type { Env } from './value-types.ts';

interface Environment {
  env: Env;
  /** One sentence each: variables that look like ours, misspelt. */
  warnings: string[];
}

/**
 * `.env` in `folder` is read first; `given` wins. Throws SettingsError when the file is there and can't be read.
 * [operator-interface §2]
 */
export function readEnvironment(given: Env = process.env, folder: string = process.cwd()): Environment {
  const env = { ...fileIn(folder), ...given };
  return { env, warnings: misspelt(Object.keys(env)) };
}

function fileIn(folder: string): Env {
  const path = join(folder, '.env');
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'ENOENT') return {};
    throw new SettingsError(`${path} cannot be read (${code})`);
  }
}

/** A variable that is one edit away from one of ours is set in vain, and nothing else would say so. */
function misspelt(names: readonly string[]): string[] {
  const ours = new Set(settingNames);
  return names.flatMap((name) => {
    if (ours.has(name)) return [];
    const meant = settingNames.find((known) => isOneEdit(name, known));
    return meant === undefined
      ? []
      : [`${name} is set, but there is no setting of this name: did you mean ${meant}?`];
  });
}

/** One letter added, left out or changed, or two neighbours swapped; case counts as a whole. */
function isOneEdit(name: string, known: string): boolean {
  if (Math.abs(name.length - known.length) > 1) return false;
  if (name.toUpperCase() === known) return true;
  let start = 0;
  while (start < name.length && name[start] === known[start]) start += 1;
  let end = 0;
  const shorter = Math.min(name.length, known.length) - start;
  while (end < shorter && name.at(-1 - end) === known.at(-1 - end)) end += 1;
  const left = name.slice(start, name.length - end);
  const right = known.slice(start, known.length - end);
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}
