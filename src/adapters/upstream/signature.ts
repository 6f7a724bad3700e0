import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^sha256=([0-9a-f]{64})$/;

/** Says of a raw body and the header that came with it whether the header signs the body. Never throws. */
type SignatureCheck = (rawBody: Uint8Array, header: string | string[] | undefined) => boolean;

/**
 * Whether `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body bytes under the app secret. Exactly one header, lowercase
 * hex, `sha256=` only: the older `sha1=` would be a downgrade. [upstream §1.5; faults 48]
 */
export function signatureCheck(appSecret: string): SignatureCheck {
  return (rawBody, header) => {
    const only = Array.isArray(header) ? (header.length === 1 ? header[0] : undefined) : header;
    // Node joins a repeated header with a comma: that has no match either.
    const given = form.exec(only ?? '')?.[1];
    if (given === undefined) return false;
    const right = createHmac('sha256', appSecret).update(rawBody).digest();
    return timingSafeEqual(right, Buffer.from(given, 'hex'));
  };
}
