import { timingSafeEqual } from 'node:crypto';
import { hmacUnder } from '../../kernel/hmac.ts';

const form = /^sha256=([0-9a-f]{64})$/;

/** Says of a raw body and the header that came with it whether the header signs the body. Never throws. */
export type SignatureCheck = (rawBody: Uint8Array, header: string | string[] | undefined) => boolean;

/**
 * Whether `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body bytes under the app secret. Exactly one header, lowercase
 * hex, `sha256=` only: the older `sha1=` would be a downgrade. [upstream §1.5; faults 48]
 */
export function signatureCheck(appSecret: string): SignatureCheck {
  const hmac = hmacUnder(appSecret);
  return (rawBody, header) => {
    const only = Array.isArray(header) ? (header.length === 1 ? header[0] : undefined) : header;
    // Node joins a repeated header with a comma: that has no match either.
    const given = form.exec(only ?? '')?.[1];
    return given !== undefined && timingSafeEqual(Buffer.from(hmac(rawBody)), Buffer.from(given));
  };
}
