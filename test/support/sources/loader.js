/**
 * The product's sources, for the tests that import them: compiled once for each worker, executed once for each test file. Jest would read,
 * compile and link some 500 modules again for each file. Packages are those that jest has loaded for the file.
 *
 * The path of an import: `transform.js` answers jest with a stand-in, which imports the packages that the source reaches and takes its exports
 * from this loader, of which `environment.js` gives one to each test file; the loader runs what `compile.js` wrote before the run. So sources
 * import each other here, unseen by jest: `jest.mock` does not reach them, and `--watch` runs the sources of its start.
 */
import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { types } from 'node:util';
import vm from 'node:vm';
import { besideBuiltIns, withBuiltIns } from './built-ins.js';
import { compiledName } from './places.js';

export const loaderName = Symbol.for('trunkline.sources');

const root = join(import.meta.dirname, '../../..');
const requireBuiltin = createRequire(import.meta.url);
const scripts = new Map();

/** The text as a function. The `default` of a CommonJS package is its exports, that of an ES module, as jest makes of all, its own. */
function scriptOf(name) {
  const known = scripts.get(name);
  if (known !== undefined) return known;
  const filename = join(process.env.TRUNKLINE_DIST, 'modules', compiledName(name));
  const byMode = 'isNodeMode || !mod || !mod.__esModule';
  const written = readFileSync(filename, 'utf8');
  // As esbuild writes it in each file that imports a package.
  if (written.includes('__toESM(') && !written.includes(byMode))
    throw new Error(`${filename}: another esbuild writes __toESM in another way`);
  const text = written.replace(byMode, `!isNamespace(mod) && (${byMode})`);
  const script = new vm.Script(besideBuiltIns('module, exports, require, importLater, isNamespace', text), {
    filename,
  });
  scripts.set(name, script);
  return script;
}

/**
 * Returns a function that loads a source by its path from the root of the checkout. Each context has its own modules. `packages`: all that
 * the source imports, itself or through others; `importByJest`: jest's `import()`.
 */
export function makeLoader(context) {
  const modules = new Map();
  const packagesOfFile = new Map();
  const load = (name, importByJest) => {
    const found = modules.get(name);
    if (found !== undefined) return found.exports;
    const module = { exports: {} };
    modules.set(name, module);
    const from = dirname(name);
    const require = (wanted) => {
      if (wanted.startsWith('.')) return load(join(from, wanted), importByJest);
      if (isBuiltin(wanted)) return requireBuiltin(wanted);
      if (!packagesOfFile.has(wanted))
        throw new Error(`${name} imports ${wanted}, which its stand-in has not`);
      return packagesOfFile.get(wanted);
    };
    const importLater = (wanted) => importByJest(wanted.startsWith('.') ? join(root, from, wanted) : wanted);
    const run = withBuiltIns(scriptOf(name), context);
    run(module, module.exports, require, importLater, types.isModuleNamespaceObject);
    return module.exports;
  };
  return (name, packages, importByJest) => {
    for (const [wanted, namespace] of Object.entries(packages)) packagesOfFile.set(wanted, namespace);
    return load(name, importByJest);
  };
}
