/** Jest's own, with two cares for a worker that runs a hundred files. */
import asyncHooks from 'node:async_hooks';
import { TestEnvironment } from 'jest-environment-node';

/**
 * A worker ends at once when nothing is left to do. One that takes its heap apart, 300 MB after a run, needs longer than the 500 ms that
 * jest waits, and jest says that tests leak; one that a test keeps alive is still told so.
 */
process.once('beforeExit', () => process.exit());

/**
 * The jest-circus of each file uses an `AsyncLocalStorage`, for the names of concurrent tests only, and leaves it enabled: in Node 20 and
 * 22 every promise would then carry the store of every file that the worker has run.
 */
const storages = new Set();
const { prototype } = asyncHooks.AsyncLocalStorage;
const run = Reflect.get(prototype, 'run');
prototype.run = function runAndRemember(...given) {
  storages.add(this);
  return run.apply(this, given);
};

export default class extends TestEnvironment {
  handleTestEvent({ name }) {
    if (name !== 'hook_start' && name !== 'test_fn_start') return;
    for (const storage of storages) storage.disable();
    storages.clear();
  }
}
