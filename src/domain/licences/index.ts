export * from './subscription.ts';
