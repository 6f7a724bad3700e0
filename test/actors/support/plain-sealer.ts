import type { SealedText, Sealer } from '../../../src/kernel/sealed.ts';

/** Encrypts nothing, but decrypts only in the context for which a value was sealed. */
export const plainSealer: Sealer = {
  seal: (plain, context) => Buffer.concat([Buffer.from(`${context}\n`), plain]),
  open(sealed, context) {
    const prefix = Buffer.from(`${context}\n`);
    if (!Buffer.from(sealed).subarray(0, prefix.length).equals(prefix))
      throw new Error('sealed for another context');
    return Buffer.from(sealed).subarray(prefix.length);
  },
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a brand has to be put on somewhere
  sealText: (plain, context) => `${context}\n${plain}` as SealedText,
  openText(sealed, context) {
    if (!sealed.startsWith(`${context}\n`)) throw new Error('sealed for another context');
    return sealed.slice(context.length + 1);
  },
  fingerprint: (text, context) => `${context}\n${text}`,
  isFingerprintOf: (fingerprint, text, context) => fingerprint === `${context}\n${text}`,
  describeKey: () => ({ id: '00000000', isKnown: true, isNewest: true }),
};
