export * from './choose-asset.ts';
export * from './redirect-pattern.ts';
export { redirectUriProblem, withParams } from './redirect-uri.ts';
