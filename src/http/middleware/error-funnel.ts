/** Turns every failure of a request into an answer, as the fault registry defines it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asError, fault, Fault, StoreUnavailable } from '../../kernel/faults.ts';
import type { Log } from '../../kernel/log.ts';
import { sendJson } from '../answers.ts';
import type { HeaderList } from '../answers.ts';
import { discardRest } from './refused-request.ts';
import { readRequestId } from './request-headers.ts';

/** The client disconnected before its request was complete: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** The fault that a client sees for a thrown value. Any unforeseen value becomes `internal`. */
export function asFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown;
  if (thrown instanceof StoreUnavailable) return fault('unavailable');
  if (isRouterRefusal(thrown)) return fault('bad_request', { why: 'The path is not correctly encoded' });
  return fault('internal');
}

/** Express refuses a path parameter with a broken percent-encoding (`%zz`) by an error that carries status 400. */
function isRouterRefusal(thrown: unknown): boolean {
  return thrown instanceof URIError && 'status' in thrown && thrown.status === 400;
}

/**
 * Answers `{detail}` with the fault's status and, on 429 and 503, `Retry-After`. Only unforeseen errors are logged, once, with the request
 * id that the client sees and nothing of the request but its method. [spec: Errors]
 */
export function answerFailure(
  request: IncomingMessage,
  response: ServerResponse,
  thrown: unknown,
  log: Log,
  headers: HeaderList = [],
): void {
  if (thrown instanceof ClientGone || response.destroyed) return;
  discardRest(request);
  const refusal = asFault(thrown);
  if (refusal.code === 'internal') logUnforeseen(request, thrown, log);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // Requests that a guesser has pipelined behind this one are not worth reading. [faults: 99]
  if (refusal.code === 'guessing') response.shouldKeepAlive = false;
  sendJson(response, refusal.status, { detail: refusal.detail }, [...retryAfter(refusal), ...headers]);
}

export function logUnforeseen(request: IncomingMessage, thrown: unknown, log: Log): void {
  const fields = { request_id: readRequestId(request), method: request.method, error: asError(thrown) };
  log.error(fields, 'http.unforeseen');
}

/** `Retry-After` for a fault that says how long to wait. */
export function retryAfter(refusal: Fault): HeaderList {
  const seconds = refusal.retryAfterSeconds;
  return seconds === null ? [] : ['Retry-After', String(Math.max(1, Math.ceil(seconds)))];
}
