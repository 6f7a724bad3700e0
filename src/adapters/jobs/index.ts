export * from './ports.ts';
export { makeInProcessJobs } from './in-process.ts';
