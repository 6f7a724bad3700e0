import type { IncomingMessage } from 'node:http';
import { newId } from '../../kernel/ids.ts';

const header = 'x-request-id';
/** Ids that are accepted from a client or a proxy: safe in logs and headers without escaping. */
const wellFormed = /^[\w.:-]{1,64}$/;

/** The id of the request in its answer, in our log, at upstream and in the webhooks that result from it. */
export function readRequestId({ headers }: IncomingMessage): string {
  const given = headers[header];
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  const made = newId();
  headers[header] = made;
  return made;
}
