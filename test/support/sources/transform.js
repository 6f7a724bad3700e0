/**
 * Jest's transform for the product's sources: a module with the same exports, which come from `loader.js`, that imports the packages. What
 * is no source of the product is left to swc.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import swc from '@swc/jest';
import { parseSync } from 'oxc-parser';
import { loaderName } from './loader.js';
import { isSource } from './places.js';

let packages;
function packagesOf(name) {
  packages ??= JSON.parse(readFileSync(join(process.env.TRUNKLINE_DIST, 'modules/packages.json'), 'utf8'));
  return packages[name];
}

function exportsOf(path, text) {
  const { staticExports } = parseSync(path, text).module;
  const entries = staticExports.flatMap((one) => one.entries).filter(({ isType }) => !isType);
  // A function with overloads is exported more than once.
  return [...new Set(entries.map(({ exportName }) => exportName.name))];
}

function standIn(name, names) {
  const imported = packagesOf(name).map((wanted) => JSON.stringify(wanted));
  const given = imported.map((wanted, at) => `${wanted}: package${at}`);
  return [
    ...imported.map((wanted, at) => `import * as package${at} from ${wanted};`),
    `const { ${names.join(', ')} } = globalThis[Symbol.for('${loaderName.description}')](${JSON.stringify(name)},`,
    `  { ${given.join(', ')} }, (wanted) => import(wanted));`,
    `export { ${names.join(', ')} };`,
  ].join('\n');
}

function createTransformer(options) {
  const bySwc = swc.createTransformer(options);
  return {
    process(text, path, given) {
      const name = relative(given.config.rootDir, path);
      if (!isSource(name, () => text)) return bySwc.process(text, path, given);
      return { code: standIn(name, exportsOf(path, text)) };
    },
    /** A stand-in depends on what the other sources import: their digest is in the name of the folder. */
    getCacheKey(text, path, given) {
      const name = relative(given.config.rootDir, path);
      const key = createHash('sha256').update(bySwc.getCacheKey(text, path, given));
      if (isSource(name, () => text)) key.update(process.env.TRUNKLINE_DIST);
      return key.digest('hex');
    },
  };
}

export default { createTransformer };
