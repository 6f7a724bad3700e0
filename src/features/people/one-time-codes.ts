/** Codes of the second step of signing in, as apps make them (TOTP, RFC 6238), and recovery codes. */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** What every app can do. */
const kind = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
const periodMs = kind.period * 1_000;
/** A code of the period before or after is taken too: clocks differ. */
const window = 1;

/** In base32, of 160 bits. [RFC 4226 §4] */
export function newStepSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** The address that an app reads from the QR code. */
export function stepAddress(secret: string, email: string): string {
  return new TOTP({ ...kind, issuer: 'Trunkline', label: email, secret }).toString();
}

/** The period of which the text is the code; null: it is no code of now, which is the wall clock's, as the app's. Compares in constant time. */
export function periodOf(secret: string, text: string, now: number): number | null {
  const token = text.replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return null;
  const totp = new TOTP({ ...kind, secret });
  const delta = totp.validate({ token, timestamp: now, window });
  return delta === null ? null : Math.floor(now / periodMs) + delta;
}

const recoveryCodes = 10;
const recoveryBytes = 10;

/** Of 80 bits each, so that a plain hash of one can be stored: `ABCD-EFGH-IJKL-MNOP`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodes }, () => {
    const { base32 } = new Secret({ buffer: new Uint8Array(randomBytes(recoveryBytes)).buffer });
    return (base32.match(/.{4}/g) ?? []).join('-');
  });
}

/** The code as it was made; null: the text is none. */
export function tidyRecoveryCode(text: string): string | null {
  if (text.length > 40) return null;
  const letters = text.toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[A-Z2-7]{16}$/.test(letters) ? (letters.match(/.{4}/g) ?? []).join('-') : null;
}
