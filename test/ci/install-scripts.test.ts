/** [architecture §9, install] No package needs its install script; npm is told of each that has one, so that it prints no warning. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../..', name), 'utf8'));

test('`allowScripts` denies exactly the packages that have install scripts', () => {
  const packages: [string, { hasInstallScript?: boolean }][] = Object.entries(
    read('package-lock.json').packages,
  );
  const withScripts = packages
    .filter(([, { hasInstallScript }]) => hasInstallScript === true)
    .map(([path]) => path.split('node_modules/').at(-1) ?? '');
  const denied = Object.fromEntries([...new Set(withScripts)].map((name) => [name, false]));
  expect(read('package.json').allowScripts).toEqual(denied);
});
