export * from './error-codes.ts';
export * from './facts.ts';
export * from './message.ts';
export * from './redact.ts';
export * from './retry.ts';
export * from './status.ts';
export * from './text.ts';
export * from './upstream-outcome.ts';
