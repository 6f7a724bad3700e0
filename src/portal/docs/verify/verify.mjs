// import { isOurs } from './verify.mjs';
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `rawBody`: the bytes as they came, before anything parses them. `header`: X-Webhook-Signature, or X-Webhook-Signature-Previous. */
export function isOurs(secret, rawBody, header) {
  const expected = Buffer.from('sha256=' + createHmac('sha256', secret).update(rawBody).digest('hex'));
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
