/**
 * The long-lived process: it runs bundled test files one after another, with jest's own `expect` and jest-circus, each task with another
 * mutant. A bundle is compiled once and executed again for each task, so that modules have no state from before.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction, constants } from 'node:vm';
import { FileRun } from './file-run.mjs';

const require = createRequire(import.meta.url);
// The ES module of the package does not export the test runner.
const circus = require('jest-circus');
const { jestExpect } = require('@jest/expect');
const { ModuleMocker } = require('jest-mock');
const globals = { ...circus, expect: jestExpect, jest: new ModuleMocker(globalThis) };
const compiled = new Map();
let run;

circus.addEventHandler((event) => run.handle(event));
// An unhandled error, or one from an earlier test, fails the test that is running.
for (const kind of ['uncaughtException', 'unhandledRejection']) process.on(kind, () => run?.fail(kind));

function load(bundle) {
  const given = (name) => (name === '@jest/globals' ? globals : require(name));
  if (!compiled.has(bundle)) {
    const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;
    const options = { filename: bundle, importModuleDynamically };
    compiled.set(
      bundle,
      compileFunction(readFileSync(bundle, 'utf8'), ['require', 'module', 'exports'], options),
    );
  }
  const module = { exports: {} };
  compiled.get(bundle)(given, module, module.exports);
}

async function perform({ bundle, testMs, ...task }) {
  run = new FileRun(task);
  Reflect.set(globalThis, '__stryker__', run.switches);
  globalThis[Symbol.for('TEST_TIMEOUT_SYMBOL')] = testMs;
  circus.resetState();
  try {
    load(bundle);
    await circus.run();
  } catch (error) {
    run.fail(`loading: ${error.message}`);
  }
  const { failure, took, coverage } = run;
  return { failure, took, coverage: task.mutant === undefined ? coverage : undefined };
}

process.on('message', (task) => void perform(task).then((outcome) => process.send(outcome)));
process.once('disconnect', () => process.exit());
