import { randomBytes } from 'node:crypto';
import { makeSealer } from '../../src/kernel/sealing.ts';
import type { Sealer } from '../../src/kernel/sealed.ts';

/** A random key for `ENCRYPTION_KEYS`. */
export function newSealingKey(): string {
  return randomBytes(32).toString('base64');
}

/** A sealer with a key of its own. */
export function newSealer(): Sealer {
  return makeSealer([newSealingKey()]);
}
