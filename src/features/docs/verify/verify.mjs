// import { isOurs, isOursAndRecent } from './verify.mjs';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `rawBody`: the bytes as they came, before anything parses them. `header`: X-Webhook-Signature, or X-Webhook-Signature-Previous. */
export function isOurs(secret, rawBody, header) {
  return isEqual('sha256=' + createHmac('sha256', secret).update(rawBody).digest('hex'), header);
}

/** Refuses a repeated old delivery too. `id`, `timestamp`, `signature`: webhook-id, webhook-timestamp and webhook-signature. */
export function isOursAndRecent(secret, rawBody, id, timestamp, signature) {
  const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
  const mac = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.`).update(rawBody);
  const expected = 'v1,' + mac.digest('base64');
  return isRecent && (signature ?? '').split(' ').some((each) => isEqual(expected, each));
}

/** Base64 after `whsec_` is decoded; any other secret is the key as it is. */
function keyOf(secret) {
  const base64 = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
  const encoded = base64.exec(secret)?.[1];
  return encoded ? Buffer.from(encoded, 'base64') : secret;
}

function isEqual(expected, given) {
  const [a, b] = [Buffer.from(expected), Buffer.from(given ?? '')];
  return a.length === b.length && timingSafeEqual(a, b);
}
