export * from './read-url.ts';
