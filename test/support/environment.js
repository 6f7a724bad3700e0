/** Jest's environment for Node, with the product's sources, and two fixes for a worker that runs a hundred files. */
import asyncHooks from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';
import { compilePackagesOnce, forgetImporters } from './sources/compile-once.js';
import { loaderName, makeLoader } from './sources/loader.js';

compilePackagesOnce();

/**
 * Exits at once when nothing is left to do. Otherwise the worker frees its heap first, 300 MB after a run, which takes longer than the
 * 500 ms that jest waits, and jest reports a leak. Jest still reports a worker that a test keeps alive.
 */
process.once('beforeExit', () => process.exit());

/**
 * The jest-circus of each file enables an `AsyncLocalStorage`, which only names concurrent tests, and never disables it: in Node 20 and
 * 22 every promise would then carry the stores of all files that the worker has run.
 */
const storages = new Set();
const { prototype } = asyncHooks.AsyncLocalStorage;
const run = Reflect.get(prototype, 'run');
prototype.run = function runAndRemember(...given) {
  storages.add(this);
  return run.apply(this, given);
};

export default class extends TestEnvironment {
  async setup() {
    await super.setup();
    Reflect.set(this.global, loaderName, makeLoader(this.context));
  }

  async teardown() {
    forgetImporters();
    await super.teardown();
  }

  handleTestEvent({ name }) {
    if (name !== 'hook_start' && name !== 'test_fn_start') return;
    for (const storage of storages) storage.disable();
    storages.clear();
  }
}
