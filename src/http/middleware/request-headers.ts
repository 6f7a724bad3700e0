/** What is read from the headers of a request: its id, and the key of a send that may be repeated. */
import type { IncomingMessage } from 'node:http';
import { newId } from '../../kernel/ids.ts';
import { idOfTrace } from '../../kernel/request-id.ts';
import { fieldFault } from '../../kernel/faults.ts';

const header = 'x-request-id';
/** Ids that are accepted from a client or a proxy: safe in logs and headers without escaping. */
const wellFormed = /^[\w.:-]{1,64}$/;

/**
 * The id of the request in its answer, in our log, at upstream and in the webhooks that result from it. A request that names only the trace of
 * its client is found by that.
 */
export function readRequestId({ headers }: IncomingMessage): string {
  const given = headers[header];
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  const made = idOfTrace(headers['traceparent']) ?? newId();
  headers[header] = made;
  return made;
}

/**
 * Reads `Idempotency-Key`: one value of 1–255 printable ASCII characters; null without it, else Fault 422. [spec: Errors 2; operator-interface §4]
 */
export function readIdempotencyKey(request: IncomingMessage): string | null {
  if (request.headers['idempotency-key'] === undefined) return null;
  const [key, ...more] = request.headersDistinct['idempotency-key'] ?? [];
  if (key === undefined || more.length > 0 || !/^[\x20-\x7e]{1,255}$/.test(key)) {
    throw fieldFault(['header', 'Idempotency-Key'], 'Use one header of 1 to 255 printable ASCII characters');
  }
  return key;
}
