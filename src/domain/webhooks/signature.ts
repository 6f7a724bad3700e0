import { createHmac } from 'node:crypto';

/** The value of `X-Webhook-Signature` for these exact bytes. [spec: Authentication 7] */
export function signatureOf(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
