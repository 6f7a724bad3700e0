export * from './account.ts';
export * from './api-key.ts';
export * from './sealed.ts';
