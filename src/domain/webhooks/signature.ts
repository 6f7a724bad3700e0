import { createHmac } from 'node:crypto';
import { dayMs } from '../../kernel/clock.ts';

/** In code points; any non-empty text is allowed. [operator-interface §4] */
export const maxSecretLength = 256;

/** Time for which the previous secret signs beside a new one. [operator-interface §4, rotation] */
export const previousSecretMs = dayMs;

/** The value of `X-Webhook-Signature` for these exact bytes. [spec: Authentication 7] */
export function signBody(secret: string, body: Uint8Array): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
