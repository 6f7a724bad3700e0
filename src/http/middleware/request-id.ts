import type { IncomingMessage } from 'node:http';
import { newId } from '../../kernel/ids.ts';

const header = 'x-request-id';
/** What a client or a proxy may choose: a word that no log and no header has to be guarded from. */
const wellFormed = /^[\w.:-]{1,64}$/;

/** The id that a request goes by in its answer, in our log, at upstream and in the webhooks that follow from it. */
export function readRequestId({ headers }: IncomingMessage): string {
  const given = headers[header];
  if (typeof given === 'string' && wellFormed.test(given)) return given;
  const made = newId();
  headers[header] = made;
  return made;
}
