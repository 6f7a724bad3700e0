/**
 * Jest compiles itself and each CommonJS package anew for each test file, 30 ms for jest alone. With this a worker compiles each of them
 * once, and runs it anew in the context of each file.
 */
import vm from 'node:vm';
import { besideBuiltIns, withBuiltIns } from './built-ins.js';

const compiled = new Map();

/** `importer`: jest's `import()` for the file that runs, which holds all of that file. */
function scriptOf(filename, text, importer) {
  const known = compiled.get(filename);
  if (known?.text === text) {
    known.importer = importer;
    return known.script;
  }
  const made = { text, importer };
  const importModuleDynamically = (...asked) => made.importer(...asked);
  made.script = new vm.Script(text, { filename, importModuleDynamically });
  compiled.set(filename, made);
  return made.script;
}

/** At the end of each test file; otherwise what one alone has loaded would hold its context as long as the worker lives. */
export function forgetImporters() {
  for (const made of compiled.values()) made.importer = afterTheEnd;
}

const afterTheEnd = () => {
  throw new Error('an import() after the end of its test file');
};

export function compilePackagesOnce() {
  const { compileFunction } = vm;
  vm.compileFunction = function compileOnce(text, parameters, options) {
    const { filename, parsingContext, importModuleDynamically } = options;
    if (parsingContext === undefined || !filename.includes('/node_modules/'))
      return compileFunction.call(this, text, parameters, options);
    const script = scriptOf(filename, besideBuiltIns(parameters.join(', '), text), importModuleDynamically);
    return withBuiltIns(script, parsingContext);
  };
}
