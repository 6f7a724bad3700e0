import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^sha256=([0-9a-f]{64})$/;

/** Whether the header signs the raw body. Never throws. */
type SignatureCheck = (rawBody: Uint8Array, header: string | string[] | undefined) => boolean;

/**
 * Whether `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body, keyed with the app secret. Accepts exactly one header, in lowercase
 * hex, with `sha256=`: the older `sha1=` would be a downgrade. [upstream §1.5; faults 48]
 */
export function signatureCheck(appSecret: string): SignatureCheck {
  return (rawBody, header) => {
    const only = Array.isArray(header) ? (header.length === 1 ? header[0] : undefined) : header;
    // Node joins repeated headers with a comma, which does not match the pattern either.
    const given = form.exec(only ?? '')?.[1];
    if (given === undefined) return false;
    const right = createHmac('sha256', appSecret).update(rawBody).digest();
    return timingSafeEqual(right, Buffer.from(given, 'hex'));
  };
}
