/**
 * A browser that signed in before shows so at its next sign-in. Strangers, however many, then neither take its place in the line of the
 * hashing nor lock it out with guesses at its person's address. Whether an address is known at all decides nothing of that: it could be
 * found out by watching who waits. [faults: 320]
 */
import { sealContext } from '../../kernel/sealed.ts';
import { dayMs } from '../../kernel/clock.ts';
import { hashSecret } from '../../kernel/ids.ts';
import type { World } from '../world.ts';
import type { SignedInBefore } from './types.ts';

const lifetimeMs = 180 * dayMs;

/** `email` as stored. The text is valid in a cookie. */
export function knownBrowser(
  { sealer, clock }: Pick<World, 'sealer' | 'clock'>,
  email: string,
): Pick<SignedInBefore, 'browser' | 'browserExpiresAt'> {
  const browserExpiresAt = clock.now() + lifetimeMs;
  const plain = Buffer.from(JSON.stringify([browserExpiresAt, hashSecret(email)]));
  const sealed = sealer.seal(plain, sealContext.knownBrowser());
  return { browser: Buffer.from(sealed).toString('base64url'), browserExpiresAt };
}

/** Whether `email`, as stored, signed in from this browser. */
export function isKnownBrowser(
  { sealer, clock }: Pick<World, 'sealer' | 'clock'>,
  email: string,
  browser: string,
): boolean {
  if (browser === '') return false;
  try {
    const plain = sealer.open(Buffer.from(browser, 'base64url'), sealContext.knownBrowser());
    const [expiresAt, hash]: [number, string] = JSON.parse(Buffer.from(plain).toString());
    return clock.now() < expiresAt && hash === hashSecret(email);
  } catch {
    return false;
  }
}
