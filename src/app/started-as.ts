import { basename } from 'node:path';

/** A command as its user typed it: `npm run admin --` in the sources, `trunkline admin` in an install. */
export function startedAs(name: string): string {
  const isScript = basename(process.argv[1] ?? '').startsWith(`${name}-cli.`);
  return isScript ? `npm run ${name} --` : `trunkline ${name}`;
}
