/**
 * One test file under one mutant, or under none with a note of which test runs which mutants. Tests that don't run the mutant are
 * skipped, and those after the first that fails; hooks run, since they end the servers that a file has started.
 */
function nameOf(test) {
  const names = [];
  for (let at = test; at.parent !== undefined && at.parent !== null; at = at.parent) names.unshift(at.name);
  return names.join(' › ');
}

export class FileRun {
  /** What fails first; null as long as nothing does. */
  failure = null;
  took = {};
  #only;

  /** `hitLimit`: a mutant that runs more often than that throws, since it hangs. `only`: names of tests, null for all. */
  constructor({ mutant, hitLimit, only = null }) {
    this.#only = only;
    /** The instrumented code finds it as `__stryker__` of its global scope. */
    this.switches = { activeMutant: mutant };
    if (hitLimit !== undefined) Object.assign(this.switches, { hitCount: 0, hitLimit });
  }

  /** An event of jest-circus. */
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
    if (this.failure !== null || this.#only?.includes(name) === false) test.mode = 'skip';
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
