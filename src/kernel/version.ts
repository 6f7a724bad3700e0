/** What runs: the version of the package, and the commit that `config/bundle.mjs` wrote beside the build. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asRecord, asText } from './json.ts';

export interface Build {
  version: string;
  /** `unknown` from the sources, and if the build did not know it. */
  commit: string;
}

export function readBuild(): Build {
  return {
    version: nearest('package.json', 'version') ?? 'unknown',
    commit: nearest('build.json', 'commit') ?? 'unknown',
  };
}

/** A member of the nearest file of this name in a folder above this file, compiled or not. */
function nearest(file: string, member: string): string | null {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const at = join(folder, file);
    if (existsSync(at)) return asText(asRecord(JSON.parse(readFileSync(at, 'utf8')))?.[member]);
  }
  return null;
}
