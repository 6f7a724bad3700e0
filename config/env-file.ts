/** The environment as an operator writes it: a file `.env` in the working directory, and what the process was given. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { SettingsError, readErrorCode, settingNames } from './settings.ts';
import type { Env } from './value-types.ts';

interface Environment {
  env: Env;
  /** One sentence each: variables that look like ours, misspelt, and values in quotes. */
  warnings: string[];
}

/**
 * `.env` in `folder` is read first; `given` wins. Of a setting `X` that neither has, `X_FILE` names the file that holds its value. Throws
 * SettingsError when a file is there and can't be read. [operator-interface §2; faults: 524]
 */
export function readEnvironment(given: Env = process.env, folder: string = process.cwd()): Environment {
  const env = { ...fileIn(folder), ...given };
  const names = settingNames.flatMap((name) => [name, fileName(name)]);
  const warnings = [...misspelt(Object.keys(env), new Set(names)), ...quoted(given, names)];
  return { env: { ...env, ...valuesInFiles(env) }, warnings };
}

function fileIn(folder: string): Env {
  const path = join(folder, '.env');
  const text = readText(path);
  return text === null ? {} : parseEnv(text);
}

const fileName = (name: string): string => `${name}_FILE`;

/** A file holds one value, so that what mounts secrets (Docker, Kubernetes, systemd) needs no shell that exports them. */
function valuesInFiles(env: Env): Env {
  const values: Env = {};
  for (const name of settingNames) {
    const path = env[fileName(name)]?.trim() ?? '';
    if (path === '') continue;
    if ((env[name]?.trim() ?? '') !== '')
      throw new SettingsError(`${name} and ${fileName(name)} are both set`);
    const text = readText(path);
    if (text === null || text.trim() === '')
      throw new SettingsError(
        `${fileName(name)} names a file that is ${text === null ? 'not there' : 'empty'}`,
      );
    values[name] = text;
  }
  return values;
}

/** null: no such file. An editor's byte order mark would become a part of the first name. */
function readText(path: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const code = readErrorCode(error);
    if (code === 'ENOENT') return null;
    const why = code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : code;
    throw new SettingsError(`${path} cannot be read (${why})`);
  }
}

/** `docker run --env-file` and lists in compose files pass quotes on, and no secret with quotes around it is the one that was meant. */
function quoted(given: Env, names: readonly string[]): string[] {
  return names
    .filter((name) => /^(["']).*\1$/s.test(given[name]?.trim() ?? ''))
    .map((name) => `${name} is set in quotes, which are part of its value here: write it without`);
}

/** A variable that is one edit away from one of ours is set in vain, and nothing else would say so. */
function misspelt(names: readonly string[], ours: ReadonlySet<string>): string[] {
  return names.flatMap((name) => {
    if (ours.has(name)) return [];
    const meant = [...ours].find((known) => isOneEdit(name, known));
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
