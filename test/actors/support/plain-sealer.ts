import type { Sealer } from '../../../actors/channel/ports.ts';

/** Seals nothing, but opens only under the context it was sealed in. */
export const plainSealer: Sealer = {
  seal: (plain, context) => Buffer.concat([Buffer.from(`${context}\n`), plain]),
  open(sealed, context) {
    const prefix = Buffer.from(`${context}\n`);
    if (!Buffer.from(sealed).subarray(0, prefix.length).equals(prefix))
      throw new Error('sealed for another context');
    return Buffer.from(sealed).subarray(prefix.length);
  },
  sealText() {
    throw new Error('the actor seals no texts');
  },
  openText() {
    throw new Error('the actor opens no texts');
  },
};
