/**
 * Every way a request can be refused, in one table. The throw site supplies details; the error funnel of `src/http` decides nothing:
 * status, shape of `detail` and headers are here. [spec: Errors; operator-interface §4]
 */

/** One field error of a 422, in the shape of Pydantic v2. [spec: Endpoints, HTTPValidationError] */
export interface FieldError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** Most field errors in an answer, so that it stays small whatever the request was. */
export const maxFieldErrors = 50;

/** The field error of a value that breaks one of our rules, in Pydantic's words. */
export function valueError(problem: string): Omit<FieldError, 'loc'> {
  return { type: 'value_error', msg: `Value error, ${problem}` };
}

type FaultDetails = Record<string, unknown>;

/** A detail as text for a sentence; `otherwise` when it is missing. */
function word(details: FaultDetails, name: string, otherwise = ''): string {
  const value = details[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : otherwise;
}

/** A list of words in the details as text. */
function listed(details: FaultDetails, name: string, joint: string): string {
  const value = details[name];
  return Array.isArray(value) ? value.join(joint) : '';
}

interface Entry {
  status: number;
  /** `text`: a sentence; `object`: `{code, message, …details}`; `list`: field errors, taken from `details.errors`. */
  detail: 'text' | 'object' | 'list';
  sentence: (details: FaultDetails) => string;
}

const text = (status: number, sentence: string | ((details: FaultDetails) => string)): Entry => ({
  status,
  detail: 'text',
  sentence: typeof sentence === 'string' ? () => sentence : sentence,
});
/** A refusal with a code. */
const coded = (sentence: (details: FaultDetails) => string, status = 400): Entry => ({
  status,
  detail: 'object',
  sentence,
});

/** Why there is no free slot, and what to do. [operator-interface §4: no free slot] */
const noSlotSentences: Readonly<Record<string, string>> = {
  no_licence: 'this account has no licence; get one first',
  trial_ended: 'the trial has ended; get a licence to connect channels',
  licence_ended: 'this account has no active licence any more; renew the licence or get another',
  all_taken:
    'every active licence already has a channel of this type, and inactive channels count; get another licence, or reconnect that channel with channel_id',
};

function noSlotSentence(details: FaultDetails): string {
  return noSlotSentences[word(details, 'why')] ?? 'no licence has one';
}

const noPatternFits =
  'redirect_uri does not match a redirect pattern of this API key; a pattern belongs to one key: add it for this key in the portal, or by this key if it has the scope admin';

export const faultRegistry = {
  validation: { status: 422, detail: 'list', sentence: () => 'The request does not match its schema' },
  text_too_long: coded(
    (f) => `text has ${word(f, 'length')} characters; ${word(f, 'channel_type')} allows ${word(f, 'limit')}`,
  ),
  invalid_recipient: coded((f) => `recipient is not valid: ${word(f, 'reason')}`),
  recipient_equals_sender: coded(() => "recipient is the channel's own number"),
  unknown_message: coded(
    (f) => `${word(f, 'field')} names no message of this channel that fits: ${word(f, 'reason')}`,
  ),
  content_too_long: coded(
    (f) =>
      `${word(f, 'field')} has ${word(f, 'length')}; ${word(f, 'channel_type')} allows ${word(f, 'limit')}`,
  ),
  unsupported_content: coded(
    (f) => `${word(f, 'what')} cannot be sent on ${word(f, 'channel_type')} channels: ${word(f, 'reason')}`,
  ),
  bad_request: text(400, (f) => word(f, 'why', 'Bad request')),
  email_not_confirmed: text(400, 'Confirm your e-mail address first: open the link in the e-mail we sent.'),
  kind_not_configured: text(
    400,
    (f) =>
      `No ${word(f, 'channel_type')} channel can be connected here: the operator of this service has not set UPSTREAM_SIGNUP_CONFIG_ID`,
  ),
  redirect_not_allowed: text(400, (f) =>
    f['why'] === undefined ? noPatternFits : `redirect_uri cannot be used: ${word(f, 'why')}`,
  ),
  redirect_param: text(
    400,
    (f) =>
      `redirect_uri must not have the parameter ${word(f, 'param')} in its query: the setup flow adds it`,
  ),
  redirect_pattern: text(400, (f) => `uri_pattern is not usable: ${word(f, 'why')}`),
  upstream_refused: text(400, (f) => `Upstream refused the request: ${word(f, 'why', 'it gave no reason')}`),
  template_not_approved: text(
    400,
    (f) => `The template's status is ${word(f, 'status')}; only APPROVED templates can be sent`,
  ),
  template_not_editable: text(
    400,
    (f) =>
      `A template with status ${word(f, 'status')} cannot be edited; only APPROVED, REJECTED and PAUSED templates can`,
  ),
  template_name_blocked: text(
    400,
    (f) =>
      `The name ${word(f, 'name')} belonged to an approved template that was deleted; it can be used again at ${word(f, 'at')}`,
  ),
  code_not_valid: text(400, 'code is unknown, expired or already used'),
  channel_inactive: text(400, 'The channel is inactive; connect it again to use it'),
  channel_without_token: text(400, 'The channel has no access token; connect it again'),
  wrong_channel_type: coded((f) => `This operation is not available on ${word(f, 'channel_type')} channels`),
  unauthorized: text(401, 'Missing or invalid API key'),
  not_admin: text(401, 'Missing or invalid admin token'),
  not_signed: text(401, 'Missing or invalid signature'),
  licence_inactive: text(402, (f) => `The channel's licence is not active (status: ${word(f, 'status')})`),
  tier_too_low: text(
    402,
    (f) => `This operation needs the ${word(f, 'needed')} tier; the channel's licence is ${word(f, 'tier')}`,
  ),
  account_suspended: text(
    402,
    'The account is suspended and cannot send messages. Events are still delivered. Ask the operator of this service',
  ),
  no_free_slot: text(402, (f) => `No free ${word(f, 'channel_type')} slot: ${noSlotSentence(f)}`),
  scope_missing: coded((f) => `This API key lacks the scope ${listed(f, 'any_of', ' or ')}`, 403),
  not_found: text(
    404,
    (f) => `${word(f, 'what', 'Resource')} not found${'why' in f ? `: ${word(f, 'why')}` : ''}`,
  ),
  unknown_path: text(404, 'Not found'),
  method_not_allowed: text(405, 'Method not allowed'),
  too_slow: text(408, 'The request took too long to arrive'),
  conflict: text(409, (f) => word(f, 'why', 'Conflict')),
  gone: text(410, 'The media file has expired'),
  length_required: text(
    411,
    'The request needs a Content-Length: your HTTP client must not send the form in chunks',
  ),
  body_too_large: text(413, 'Request body too large'),
  unsupported_body: text(415, (f) => word(f, 'why', 'Unsupported request body')),
  too_many_headers: text(431, 'Request headers too large'),
  rate_limited: text(429, 'Rate limit exceeded; retry after the time in Retry-After'),
  guessing: text(429, 'Too many wrong keys from this address; retry after the time in Retry-After'),
  too_many_setups: text(
    429,
    (f) =>
      `The account has ${word(f, 'open')} setup URLs that nobody has finished: use those, or start again after the time in Retry-After`,
  ),
  template_limit: text(429, (f) => word(f, 'why', 'Upstream does not allow more of these calls for now')),
  upstream_busy: text(
    429,
    (f) => `Upstream limits the rate of these calls: ${word(f, 'why')}; retry after the time in Retry-After`,
  ),
  internal: text(500, 'Internal error'),
  upstream_failed: text(502, (f) => `Upstream platform error: ${word(f, 'why', 'no usable answer')}`),
  overloaded: text(503, 'Temporarily overloaded; nothing was sent. Retry after the time in Retry-After'),
  unavailable: text(503, 'Temporarily unavailable; nothing was sent. Retry after the time in Retry-After'),
} satisfies Record<string, Entry>;

export type FaultCode = keyof typeof faultRegistry;

/** Codes of the refusals with this status whose `detail` has a code. [spec: Errors 3] */
export function codesShown(status: number): string[] {
  const entries = Object.entries(faultRegistry);
  return entries.flatMap(([code, entry]) =>
    entry.status === status && entry.detail === 'object' ? code : [],
  );
}

/** A refused request. Carries only what the client may see. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly status: number;
  readonly detail: unknown;
  readonly retryAfterSeconds: number | null;
  /** The details of the throw site: enough to make the same fault on another node. */
  readonly details: FaultDetails;

  constructor(code: FaultCode, details: FaultDetails) {
    const entry: Entry = faultRegistry[code];
    const sentence = entry.sentence(details);
    super(sentence);
    this.code = code;
    this.details = details;
    this.status = entry.status;
    this.detail = makeDetail(code, entry, sentence, details);
    this.retryAfterSeconds =
      entry.status === 429 || entry.status === 503 ? Number(details['retryAfter'] ?? 1) : null;
  }
}

function makeDetail(code: string, entry: Entry, sentence: string, details: FaultDetails): unknown {
  if (entry.detail === 'list') return details['errors'] ?? [];
  if (entry.detail === 'object') return { code, message: sentence, ...details };
  return sentence;
}

/** `throw fault('text_too_long', { limit, length, channel_type })`. The details are shown to the client: no secrets. */
export function fault(code: FaultCode, details: FaultDetails = {}): Fault {
  return new Fault(code, details);
}

/** A 422 for one field that breaks a rule; see `valueError`. */
export function valueFault(loc: FieldError['loc'], problem: string): Fault {
  return new Fault('validation', { errors: [{ loc, ...valueError(problem) }] satisfies FieldError[] });
}

/** A 422 for one field. */
export function fieldFault(loc: (string | number)[], msg: string, type = 'value_error'): Fault {
  return new Fault('validation', { errors: [{ loc, msg, type }] satisfies FieldError[] });
}

/** `problems`: by field of the body, null if the field is valid. Throws one 422 with an error for each problem. */
export function requireValid(problems: Readonly<Record<string, string | null>>): void {
  const errors = Object.entries(problems).flatMap(([field, msg]): FieldError[] =>
    msg === null ? [] : [{ loc: ['body', field], msg, type: 'value_error' }],
  );
  if (errors.length > 0) throw new Fault('validation', { errors });
}

/** This owner's epoch is not the highest any more: its activation must forget everything and stop. [architecture §4] */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** A store or lock service could not be reached within its time budget; answered with 503. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  /** Whether the write may have been applied nevertheless. */
  readonly applied: 'no' | 'unknown';

  constructor(message: string, applied: 'no' | 'unknown' = 'unknown') {
    super(message);
    this.applied = applied;
  }
}

/** The owner vanished while it handled an ask, or a send found no owner in time: the store must show what happened. [architecture §5] */
export class OwnerLost extends Error {
  override readonly name = 'OwnerLost';
  /** Nodes that ended after they got the ask: it may have crashed them. [faults: 152] */
  readonly nodesGone: number;
  /** False: no owner ever got the ask. An owner that got it may be alive behind a cut link, and may still act. */
  readonly isInHand: boolean;

  constructor(message: string, { nodesGone = 0, isInHand = true } = {}) {
    super(message);
    this.nodesGone = nodesGone;
    this.isInHand = isInHand;
  }
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** `code` of what the system or a library threw; null when it has none. */
export function toErrorCode(thrown: unknown): string | null {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : null;
}
