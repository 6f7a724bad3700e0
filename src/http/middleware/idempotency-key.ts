import type { IncomingMessage } from 'node:http';
import { fieldFault } from '../../kernel/faults.ts';

/**
 * Reads the header: one value of 1–255 printable ASCII characters; null without it, else Fault 422. [spec: Errors 2; operator-interface §4]
 */
export function readIdempotencyKey(request: IncomingMessage): string | null {
  if (request.headers['idempotency-key'] === undefined) return null;
  const [key, ...more] = request.headersDistinct['idempotency-key'] ?? [];
  if (key === undefined || more.length > 0 || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw fieldFault(['header', 'Idempotency-Key'], 'Use one header of 1 to 255 printable ASCII characters');
  }
  return key;
}
