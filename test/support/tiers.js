/**
 * The tier of a test file, by its folder, its name or what it imports: nothing is listed by hand, and each file is in exactly one. `long`
 * comes first: a storm on a cluster is one of `long`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '../..');

export const tiers = ['fast', 'services', 'long'];

/** Faults for minutes, attacks; a service that is killed and started again; one of an earlier commit. */
const long = {
  path: /^test\/(storm|fuzz|hostile)\/|[/-](crash|fuzz|long)\.test\.ts$/,
  text: /\/support\/(crash|earlier-build)\.ts'/,
};

/** Clusters, browsers, the simulator and clients of others; servers, programs and volumes that a machine may lack; other processes. */
const services = {
  path: /^test\/(ownership|cluster-service|operations|simulator|spec\/generated-clients)\/|-browser\.test\.ts$/,
  text: new RegExp(
    [
      `/support/(redis-server|redis-sentinels|mongo-server|cluster|browser|programs|executables|required|small-volume)\\.ts'`,
      `\\b(spawnService|refusedStart)\\b`,
      `'node:child_process'`,
    ].join('|'),
  ),
};

const isOf = (tier, file, text) => tier.path.test(file) || tier.text.test(text);

/** `file`: its path from the root of the checkout. */
export function tierOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  if (isOf(long, file, text)) return 'long';
  return isOf(services, file, text) ? 'services' : 'fast';
}

/** Every test file, by its path from the root of the checkout. */
export function allFiles() {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`);
}

/** A run of every file is cut to its tier; a run of files that the command names is left as it is. */
export function keptOf(paths, tier) {
  if (!tiers.includes(tier)) throw new Error(`TEST_TIER is one of ${tiers.join(', ')}, not ${tier}`);
  if (paths.length < allFiles().length) return paths;
  return paths.filter((path) => tierOf(relative(root, path)) === tier);
}
