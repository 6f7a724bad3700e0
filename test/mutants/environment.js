/** Jest's environment for a task: it writes the result of `FileRun` to the task's file. */
import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { TestEnvironment } from 'jest-environment-node';
import { FileRun } from './file-run.mjs';

const task = JSON.parse(readFileSync(process.env.MUTANT_TASK, 'utf8'));

export default class MutantEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.file = relative(config.projectConfig.rootDir, context.testPath);
    this.run = new FileRun({ mutant: task.mutant, only: task.only });
  }

  async setup() {
    await super.setup();
    Reflect.set(this.global, '__stryker__', this.run.switches);
  }

  handleTestEvent(event) {
    this.run.handle(event);
  }

  async teardown() {
    const { failure, coverage, took } = this.run;
    const note = {
      file: this.file,
      failure,
      took,
      coverage: task.mutant === undefined ? coverage : undefined,
    };
    appendFileSync(task.notes, `${JSON.stringify(note)}\n`);
    await super.teardown();
  }
}
