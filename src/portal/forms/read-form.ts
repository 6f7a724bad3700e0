import type { IncomingMessage } from 'node:http';
import { textProblem } from '../../domain/messages/text.ts';
import { isSameSecret } from '../../http/middleware/same-secret.ts';
import { readCounted } from '../../http/middleware/read-body.ts';
import type { RouteContext } from '../../http/options.ts';
import { fault } from '../../kernel/faults.ts';
import { csrfField } from './form.tsx';

/** What a person types into one of our forms is far less. */
const formLimit = 64 * 1024;

export interface ReadForm {
  /** What was typed, without the white space around it; '' when the field is missing or there more than once. */
  text(name: string): string;
  /** As typed, for passwords. */
  exact(name: string): string;
  /** Of a field that may be there several times. */
  all(name: string): string[];
}

/** `csrf`: the token that our page put into the form. Until it is seen, the form is nobody's. */
interface PostedForm {
  request: IncomingMessage;
  csrf: string;
  bodyRoom: RouteContext['bodyRoom'];
  /** Asked once the form is there, which may be half a minute later: throws unless whose it is may still send it. */
  stillMay?: () => Promise<void>;
}

/**
 * The fields of a posted form. Throws Fault 413 and 415 as JSON routes do, 503 when it had to make room for others, and
 * `bad_request` for a text that can't be stored and sent, and unless the form carries the token that our page put into it: a page of
 * another origin can post here with the person's cookie, but does not know the token.
 */
export async function readForm({ request, csrf, bodyRoom, stillMay }: PostedForm): Promise<ReadForm> {
  const [type] = (request.headers['content-type'] ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw fault('unsupported_body', { why: 'Content-Type must be application/x-www-form-urlencoded' });
  }
  const typed = await readCounted(request, formLimit, bodyRoom, (body) => body.toString('utf8'));
  const fields = new URLSearchParams(typed);
  const exact = (name: string): string => {
    const [value, ...more] = fields.getAll(name);
    return more.length === 0 ? (value ?? '') : '';
  };
  if (!isSameSecret(exact(csrfField), csrf)) throw fault('bad_request', { why: 'The form is out of date' });
  for (const value of fields.values()) refuseUnsendable(value);
  await stillMay?.();
  return { exact, text: (name) => exact(name).trim(), all: (name) => fields.getAll(name) };
}

/** Of the API's bodies their schemas refuse it. [faults: 71] */
function refuseUnsendable(value: string): void {
  const why = textProblem(value);
  if (why !== null) throw fault('bad_request', { why });
}
