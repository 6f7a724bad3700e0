import type { IncomingMessage } from 'node:http';
import { isSameSecret } from '../../http/middleware/same-secret.ts';
import { readBody } from '../../http/middleware/read-body.ts';
import { fault } from '../../kernel/faults.ts';
import { csrfField } from './form.tsx';

/** What a person types into one of our forms is far less. */
const formLimit = 64 * 1024;

export interface ReadForm {
  /** What was typed, without the white space around it; '' when the field is missing or there more than once. */
  text(name: string): string;
  /** As typed, for passwords. */
  exact(name: string): string;
}

/**
 * The fields of a posted form. Throws Fault 413 and 415 as JSON routes do, and `bad_request` unless the form carries the token
 * that our page put into it: a page of another origin can post here with the person's cookie, but does not know the token.
 */
export async function readForm(request: IncomingMessage, csrf: string): Promise<ReadForm> {
  const [type] = (request.headers['content-type'] ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw fault('unsupported_body', { why: 'Content-Type must be application/x-www-form-urlencoded' });
  }
  const fields = new URLSearchParams((await readBody(request, formLimit)).toString('utf8'));
  const exact = (name: string): string => {
    const [value, ...more] = fields.getAll(name);
    return more.length === 0 ? (value ?? '') : '';
  };
  if (!isSameSecret(exact(csrfField), csrf)) throw fault('bad_request', { why: 'The form is out of date' });
  return { exact, text: (name) => exact(name).trim() };
}
