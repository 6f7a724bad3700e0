/** Starts the service (`app/serve.ts`), if this Node can run it: an older one would print the stack trace of the first thing that it lacks. */
import { oldNodeProblem } from './kernel/node-version.ts';

const problem = oldNodeProblem();
if (problem === null) await import('./app/serve.ts');
else {
  process.stderr.write(`trunkline: ${problem}\n`);
  process.exitCode = 1;
}
