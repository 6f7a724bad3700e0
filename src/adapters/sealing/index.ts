export { makeSealer, newSealingKey, SealError } from './sealer.ts';
