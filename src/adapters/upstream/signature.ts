import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body bytes under the app secret. Exactly one header, lowercase
 * hex, `sha256=` only: the older `sha1=` would be a downgrade. Never throws. [upstream §1.5; faults 48]
 */
export function verifySignature(
  appSecret: string,
  rawBody: Uint8Array,
  header: string | string[] | undefined,
): boolean {
  const only = Array.isArray(header) ? (header.length === 1 ? header[0] : undefined) : header;
  // Node joins a repeated header with a comma: that has no match either.
  const given = form.exec(only ?? '')?.[1];
  if (given === undefined) return false;
  const right = createHmac('sha256', appSecret).update(rawBody).digest();
  return timingSafeEqual(right, Buffer.from(given, 'hex'));
}
