import { hopHeader } from '../rules/webhooks/url.ts';
import { boundedHeaders, maxAnswerBytes } from '../rules/webhooks/transcript.ts';
import type { Answer } from '../rules/webhooks/transcript.ts';
import type { Dispatcher } from 'undici';
import type { WebhookResult } from '../rules/outside.ts';
import type { Expiring } from './deadlines.ts';

/**
 * Answer bodies up to this size are read, so that the connection can be reused; reading more costs more than a new connection. [faults: 55]
 */
const maxBodyBytes = 16_384;

/** Why an attempt failed; the tenant sees `WebhookResult.reason`, which says less, the log its `cause`. */
type Cause =
  | 'status'
  | 'timeout'
  | 'connection'
  | 'refused'
  | 'reset'
  | 'tls'
  | 'no_tls'
  | 'certificate_expired'
  | 'certificate_name'
  | 'certificate_chain'
  | 'protocol'
  | 'blocked'
  | 'dns_error'
  | 'loop'
  | 'url'
  | 'secret'
  | 'busy';

export type Outcome = { ok: true; status: number } | { ok: false; status: number | null; cause: Cause };

/**
 * One POST: waiting → (headers) → answered, or ended by the deadline, an error or a body over 16 KB. Only the first end counts. The undici
 * handler and the deadline entry are one object: a POST needs no closures and no AbortSignal.
 */
export class Attempt implements Dispatcher.DispatchHandler, Expiring {
  readonly expiresAt: number;
  earlier: Expiring | null = null;
  later: Expiring | null = null;
  /** Request headers as sent, names and values alternating; null if nothing was sent. */
  sent: readonly string[] | null = null;
  /** The connection stood and the POST was written to it, at least in part. */
  hasLeft = false;
  readonly #ended: (attempt: Attempt, outcome: Outcome) => void;
  readonly #keepsAnswers: boolean;
  #heard: HeardAnswer | null = null;
  #controller: Dispatcher.DispatchController | null = null;
  #outcome: Outcome | null = null;
  #status: number | null = null;
  #bodyBytes = 0;

  /** `keepsAnswers`: keep the answer of a 2xx too. */
  constructor(expiresAt: number, keepsAnswers: boolean, ended: (attempt: Attempt, outcome: Outcome) => void) {
    this.expiresAt = expiresAt;
    this.#keepsAnswers = keepsAnswers;
    this.#ended = ended;
  }

  /**
   * One deadline covers name lookup, connection, TLS and headers. A final status that arrived in time decides, whatever happens to the
   * body. [spec: Delivery and retry; operator-interface §4]
   */
  expire(): void {
    if (this.#status === null) this.#end({ ok: false, status: null, cause: 'timeout' });
    else this.#answered();
    this.#drop();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // A connection that opens after the deadline must not carry the POST: a retry may already be under way.
    if (this.#outcome !== null) this.#drop();
    else this.hasLeft = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    // Interim answers (103 and the like) are ignored. `heads.ts` ends a flood of them, the deadline a slow drip.
    if (status < 200) return;
    this.#status = status;
    if (this.#keepsAnswers || status > 299) this.#heard = new HeardAnswer(headers);
    if (headers[hopHeader] === undefined) return;
    this.#end({ ok: false, status, cause: 'loop' });
    this.#drop();
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#heard?.add(chunk, this.#bodyBytes);
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes <= maxBodyBytes) return;
    this.#answered();
    this.#drop();
  }

  onResponseEnd(): void {
    this.#answered();
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    // [spec: Delivery and retry] Only a non-2xx answer, a timeout and an unreachable endpoint trigger a retry. A 2xx whose body was cut is
    // none of these.
    if (this.#status !== null) this.#answered();
    else this.#end({ ok: false, status: null, cause: findCause(error) });
  }

  /** The kept part of the answer; null if none is kept. */
  answer(): Answer | null {
    return this.#heard?.answer(this.#bodyBytes) ?? null;
  }

  /** Ends the attempt without sending anything. */
  refuse(cause: Cause): void {
    this.#end({ ok: false, status: null, cause });
  }

  #answered(): void {
    const status = this.#status;
    if (status === null) this.#end({ ok: false, status, cause: 'protocol' });
    else if (status <= 299) this.#end({ ok: true, status });
    else this.#end({ ok: false, status, cause: 'status' });
  }

  #end(outcome: Outcome): void {
    if (this.#outcome !== null) return;
    this.#outcome = outcome;
    this.#ended(this, outcome);
  }

  #drop(): void {
    this.#controller?.abort(new Error('dropped'));
  }
}

/**
 * The first bytes of an answer, copied: a chunk is a view of a larger buffer, and an answer may arrive in 16,384 chunks. [faults: 55, I11]
 */
class HeardAnswer {
  readonly #headers: Readonly<Record<string, unknown>>;
  #body: Buffer | null = null;

  constructor(headers: Readonly<Record<string, unknown>>) {
    this.#headers = headers;
  }

  /** `before`: number of body bytes before this chunk. */
  add(chunk: Uint8Array, before: number): void {
    if (before >= maxAnswerBytes) return;
    this.#body ??= Buffer.alloc(maxAnswerBytes);
    this.#body.set(chunk.subarray(0, maxAnswerBytes - before), before);
  }

  answer(bodyBytes: number): Answer {
    const { headers, isCut } = boundedHeaders(this.#headers);
    const body = Buffer.from(this.#body?.subarray(0, bodyBytes) ?? []);
    return { headers, body, isCut: isCut || bodyBytes > maxAnswerBytes };
  }
}

/** The first that fits. Node names an untrusted chain by what it could not find; a plain-HTTP port answers TLS with other bytes. */
const causes: readonly [RegExp, Cause][] = [
  [/^CERT_HAS_EXPIRED$/, 'certificate_expired'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'certificate_name'],
  [/^(UNABLE_TO_\w+|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/, 'certificate_chain'],
  [/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/, 'no_tls'],
  [/CERT|TLS|SSL|EPROTO/, 'tls'],
  [/^UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH)$/, 'protocol'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(ECONNRESET|EPIPE)$/, 'reset'],
];

function findCause({ name, code, message }: NodeJS.ErrnoException): Cause {
  if (code === 'blocked' || code === 'dns_error') return code;
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (name === 'HTTPParserError' || message === 'bad upgrade') return 'protocol';
  if (code === 'UND_ERR_SOCKET' && message === 'other side closed') return 'reset';
  if (code === 'EPROTO' && message.includes('wrong version number')) return 'no_tls';
  return causes.find(([codes]) => codes.test(String(code)))?.[1] ?? 'connection';
}

/** [faults: 58] A tenant cannot tell a name that resolves to a forbidden address from one that does not resolve: our network cannot be probed. */
const noAddress = 'no_address';

export function makeResult(outcome: Outcome): WebhookResult {
  if (outcome.ok) return outcome;
  const { status, cause } = outcome;
  if (cause === 'blocked' || cause === 'dns_error') return { ok: false, status, reason: noAddress, cause };
  return { ok: false, status, reason: cause };
}
