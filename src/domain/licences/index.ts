export * from './operability.ts';
export * from './slots.ts';
export * from './subscription.ts';
export * from './trial.ts';
