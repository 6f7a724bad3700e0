import { createHmac } from 'node:crypto';
import { dayMs } from '../../kernel/clock.ts';

/** In code points; any non-empty text is allowed. [operator-interface §4] */
export const maxSecretLength = 256;

/** Time for which the previous secret signs beside a new one. [operator-interface §4, rotation] */
export const previousSecretMs = dayMs;

/** Identifies a secret to people, to secret scanners and to the libraries of Standard Webhooks. */
export const secretPrefix = 'whsec_';

/** What is signed of one POST. */
interface SignedParts {
  deliveryId: string;
  /** Of the attempt, in Unix seconds by the wall clock. */
  timestamp: number;
  body: Uint8Array;
}

/** The values of `X-Webhook-Signature` and of `webhook-signature`, and the time that the latter covers. */
export interface Signatures {
  ofBody: string;
  ofParts: string;
  timestamp: number;
}

/** The value of `X-Webhook-Signature` for these exact bytes. [spec: Authentication 7] */
export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** One signature of `webhook-signature`; a list of them is separated by spaces. [spec: Authentication 8] */
export function signParts(key: Uint8Array, { deliveryId, timestamp, body }: SignedParts): string {
  const mac = createHmac('sha256', key).update(`${deliveryId}.${timestamp}.`).update(body);
  return `v1,${mac.digest('base64')}`;
}

/** Under one secret, for a single event; a delivery keeps the key instead. */
export function signaturesOf(secret: string, parts: SignedParts): Signatures {
  const { timestamp, body } = parts;
  return { ofBody: signBody(secret, body), ofParts: signParts(partsKey(secret), parts), timestamp };
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * The key of `webhook-signature`. The libraries of Standard Webhooks decode what follows `whsec_` as base64 and differ in what else they
 * accept (missing padding, the URL alphabet), so only base64 that all of them decode alike is decoded. Any other text is the key itself,
 * which the libraries take as a raw key. [operator-interface §4, key of `webhook-signature`]
 */
export function partsKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : '';
  return encoded !== '' && base64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}
