export * from './address.ts';
export * from './delivery.ts';
export * from './retry.ts';
export * from './signature.ts';
export * from './url.ts';
