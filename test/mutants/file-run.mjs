/**
 * Runs one test file with one mutant, or with none to record which tests cover which mutants. Tests that don't cover the mutant are
 * skipped, and so are those after the first failure; hooks run, because they stop the servers that a file has started.
 */
function nameOf(test) {
  const names = [];
  for (let at = test; at.parent !== undefined && at.parent !== null; at = at.parent) names.unshift(at.name);
  return names.join(' › ');
}

export class FileRun {
  /** The first failure; null if there is none. */
  failure = null;
  took = {};
  #only;
  #except;

  /** `hitLimit`: a mutant that runs more often throws, because it hangs. `only`: names of tests, null for all; `except`: of tests that fail without a mutant. */
  constructor({ mutant, hitLimit, only = null, except = [] }) {
    this.#only = only;
    this.#except = except;
    /** The instrumented code reads it as the global `__stryker__`. */
    this.switches = { activeMutant: mutant };
    if (hitLimit !== undefined) Object.assign(this.switches, { hitCount: 0, hitLimit });
  }

  /** Handles an event of jest-circus. */
  handle(event) {
    if (event.name === 'test_start') this.#begin(event.test);
    if (event.name === 'test_done') this.#end(event.test);
    if (event.name === 'hook_failure') this.fail(event.hook.type);
  }

  fail(where) {
    this.failure ??= where;
  }

  #begin(test) {
    const name = nameOf(test);
    const isLeftOut = this.#only?.includes(name) === false || this.#except.includes(name);
    if (this.failure !== null || isLeftOut) test.mode = 'skip';
    this.switches.currentTestId = name;
  }

  #end(test) {
    this.switches.currentTestId = undefined;
    this.took[nameOf(test)] = test.duration ?? 0;
    if (test.errors.length > 0) this.fail(nameOf(test));
  }

  get coverage() {
    return this.switches.mutantCoverage ?? { static: {}, perTest: {} };
  }
}
