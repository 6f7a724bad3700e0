import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { parseObject } from './graph-error.ts';
import { upstreamKinds } from './kinds.ts';

const form = /^sha256=([0-9a-f]{64})$/;

/** Whether the header signs the raw body. Never throws. */
type SignatureCheck = (rawBody: Uint8Array, header: string | string[] | undefined) => boolean;

interface SigningSecrets {
  /** Newest first; a post signed with any of them is taken. */
  appSecrets: readonly string[];
  /** Signs events of photo accounts alone, where the app has a secret of its own for them; null: it has none. */
  apartSecret: string | null;
}

/**
 * Whether `X-Hub-Signature-256` is the HMAC-SHA256 of the raw body, keyed with one of the secrets. Accepts exactly one header, in lowercase
 * hex, with `sha256=`: the older `sha1=` would be a downgrade. The newest secret is tried first, so the usual post costs one HMAC.
 * [upstream §1.5; faults 48]
 */
export function signatureCheck({ appSecrets, apartSecret }: SigningSecrets): SignatureCheck {
  const appKeys = appSecrets.map(asKey);
  const apartKey = apartSecret === null ? null : asKey(apartSecret);
  return (rawBody, header) => {
    const only = Array.isArray(header) ? (header.length === 1 ? header[0] : undefined) : header;
    // Node joins repeated headers with a comma, which does not match the pattern either.
    const given = form.exec(only ?? '')?.[1];
    if (given === undefined) return false;
    const signature = Buffer.from(given, 'hex');
    if (appKeys.some((key) => isSignedWith(key, rawBody, signature))) return true;
    // The body is looked at only once its signature is right.
    return apartKey !== null && isSignedWith(apartKey, rawBody, signature) && maySignApart(rawBody);
  };
}

function asKey(secret: string): KeyObject {
  return createSecretKey(secret, 'utf8');
}

function isSignedWith(key: KeyObject, rawBody: Uint8Array, signature: Buffer): boolean {
  return timingSafeEqual(createHmac('sha256', key).update(rawBody).digest(), signature);
}

/** The second secret must not vouch for events of other kinds: it is kept apart from the app's, so it may leak apart. */
function maySignApart(rawBody: Uint8Array): boolean {
  const body = parseObject(Buffer.from(rawBody).toString('utf8'));
  return upstreamKinds.some(
    ({ webhook }) => webhook.isSignedApart === true && webhook.object === body?.['object'],
  );
}
