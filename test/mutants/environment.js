/**
 * A test file under one mutant, or under none with a note of which test runs which mutants. Tests that don't run the mutant are
 * skipped, and those after the first that fails; hooks run, since they end the servers that a file has started.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';

const task = JSON.parse(readFileSync(process.env.MUTANT_TASK, 'utf8'));

function nameOf(test) {
  const names = [];
  for (let at = test; at.parent !== undefined && at.parent !== null; at = at.parent) names.unshift(at.name);
  return names.join(' › ');
}

export default class MutantEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.file = relative(config.projectConfig.rootDir, context.testPath);
    this.only = task.tests?.[this.file] ?? null;
    this.hasFailed = false;
    this.took = {};
  }

  async setup() {
    await super.setup();
    // An own namespace for each file: the instrumented code finds it by this name.
    this.switches = { activeMutant: task.mutant };
    Reflect.set(this.global, '__stryker__', this.switches);
  }

  handleTestEvent(event) {
    if (event.name === 'test_start') this.begin(event.test);
    if (event.name === 'test_done') this.end(event.test);
    if (event.name === 'hook_failure') this.note({ noticedBy: `${this.file}: ${event.hook.type}` });
  }

  begin(test) {
    const name = nameOf(test);
    if (this.hasFailed || (this.only !== null && !this.only.includes(name))) test.mode = 'skip';
    this.switches.currentTestId = name;
  }

  end(test) {
    this.switches.currentTestId = undefined;
    this.took[nameOf(test)] = test.duration ?? 0;
    if (test.errors.length === 0) return;
    this.hasFailed = true;
    this.note({ noticedBy: `${this.file}: ${nameOf(test)}` });
  }

  note(what) {
    if (task.mutant !== undefined) appendFileSync(task.notes, `${JSON.stringify(what)}\n`);
  }

  async teardown() {
    const { mutantCoverage } = this.switches;
    if (task.mutant === undefined && !this.hasFailed)
      appendFileSync(
        task.notes,
        `${JSON.stringify({ file: this.file, coverage: mutantCoverage, took: this.took })}\n`,
      );
    await super.teardown();
  }
}
