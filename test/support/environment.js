/**
 * Jest's own, in workers that end at once when nothing is left to do. A worker that takes its heap apart, 300 MB after a run, needs
 * longer than the 500 ms that jest waits, and jest says that tests leak; one that a test keeps alive is still told so.
 */
import { TestEnvironment } from 'jest-environment-node';

process.once('beforeExit', () => process.exit());

export default TestEnvironment;
