// node verify.mjs SECRET SIGNATURE < body: ends with 0 when the signature is right
import { createHmac, timingSafeEqual } from 'node:crypto';

/** `rawBody`: the bytes as they came, before anything parses them. `header`: X-Webhook-Signature. */
export function isOurs(secret, rawBody, header) {
  const expected = Buffer.from('sha256=' + createHmac('sha256', secret).update(rawBody).digest('hex'));
  const given = Buffer.from(header ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const [secret, signature] = process.argv.slice(2);
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
process.exitCode = isOurs(secret, Buffer.concat(chunks), signature) ? 0 : 1;
