import { createHmac, timingSafeEqual } from 'node:crypto';

/** A POST that is not a delivery of the service, or not a recent one: answer it 401. */
export class WebhookError extends Error {
  constructor(message) {
    super(message);
    this.name = 'WebhookError';
  }
}

/**
 * Returns the event of a delivery. Throws WebhookError if it was not signed with the secret, or longer ago than the tolerance.
 * `rawBody`: the bytes as they came, before anything parses them.
 */
export function verifyWebhook(secret, rawBody, headers, { toleranceSeconds = 300, now = Date.now() } = {}) {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    read(headers, `webhook-${name}`),
  );
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookError('webhook-timestamp is missing, or too far from now');
  const body = bytesOf(rawBody);
  const mac = createHmac('sha256', keyIn(secret)).update(`${id}.${timestamp}.`).update(body);
  check(`v1,${mac.digest('base64')}`, signatures.split(' '), 'webhook-signature');
  return JSON.parse(body.toString());
}

/** The same by `X-Webhook-Signature`, which covers the body alone: whoever has caught a delivery can repeat it for ever. */
export function verifyBody(secret, rawBody, headers) {
  const body = bytesOf(rawBody);
  const signatures = ['x-webhook-signature', 'x-webhook-signature-previous'].map((name) =>
    read(headers, name),
  );
  const expected = `sha256=${createHmac('sha256', given(secret)).update(body).digest('hex')}`;
  check(expected, signatures, 'X-Webhook-Signature');
  return JSON.parse(body.toString());
}

function check(expected, signatures, header) {
  if (!signatures.some((each) => isEqual(expected, each)))
    throw new WebhookError(`${header} is missing or wrong`);
}

/** In constant time. */
function isEqual(expected, signature) {
  const [a, b] = [Buffer.from(expected), Buffer.from(signature)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function bytesOf(rawBody) {
  if (typeof rawBody === 'string' || rawBody instanceof Uint8Array) return Buffer.from(rawBody);
  throw new TypeError('The signature covers the raw body: give its bytes, not what was parsed from them');
}

/** Base64 after `whsec_` is decoded; any other secret is the key as it is. */
function keyIn(secret) {
  const base64 = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
  const encoded = base64.exec(secret)?.[1];
  return encoded ? Buffer.from(encoded, 'base64') : given(secret);
}

function given(secret) {
  if (!secret) throw new TypeError('The secret is empty: anybody could sign with it');
  return secret;
}

/** Of a Headers object, or of an object with lower-case names, as Node's servers make it. */
function read(headers, name) {
  const value = typeof headers.get === 'function' ? headers.get(name) : headers[name];
  return typeof value === 'string' ? value : '';
}
