/** What other features call. */
export { matchesPattern } from './redirect-pattern.ts';
export { ownParamIn, redirectUriProblem, withParams } from './redirect-uri.ts';
