export * from './channel.ts';
export * from './kind.ts';
export * from './kinds.ts';
