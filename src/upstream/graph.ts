import type { Channel } from '../rules/channels/channel.ts';
import { fault } from '../kernel/faults.ts';
import type { Fault } from '../kernel/faults.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { isOperatorFault } from '../rules/messages/operator-fault.ts';
import { makeProof, hideSecrets, isTokenRefused, reconnect } from './credentials.ts';
import type { Answer, Transport } from './transport.ts';
import { readGraphError, parseObject, readRegainMs } from './graph-error.ts';
import type { GraphError } from './graph-error.ts';
import { PageSize } from './page-size.ts';
import { asList, asRecord, asText } from './read.ts';
import type { Json } from './read.ts';
import { scan, textWithQuoted } from './scan.ts';
import type { StreamedForm } from './streamed-form.ts';

/** Credentials of the app registered upstream, and how calls name it. */
export interface GraphSettings {
  version: string;
  appId: string;
  /** The newest: with it every call is proved. */
  appSecret: string;
  userAgent: string;
  /** Called when upstream refuses the app itself, in any call. Must not throw. */
  appRefused?: AppRefused;
}

export type AppRefused = (error: Pick<GraphError, 'code' | 'message'>) => void;

/** What a flow of calls about a channel needs. */
export interface ChannelCalls {
  /** Opens a flow with its own deadline, which reports a refusal of the channel's token. */
  openGraph: (channel: Channel, requestId?: string) => Graph;
  /** Throws Fault `upstream_failed` if the channel has no token or it does not open. */
  openToken: (channel: Channel) => string;
  log: Log;
}

export interface GraphCall {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path below the version: `/me/accounts`. */
  path: string;
  query: Record<string, string>;
  /** null: no token, because the call carries the app secret itself or `query` suffices. */
  token: string | null;
  body: Json | null;
  /** A file, in place of `body`: the call lasts as long as the file may take. */
  form: StreamedForm | null;
  /** Further texts that an error must not contain. */
  secrets: readonly string[];
}

type GraphRequest = Partial<GraphCall> & Pick<GraphCall, 'path'>;

/** Calls of one flow; they share its deadline. */
export interface Graph {
  /** Returns the JSON object of a success. Throws Fault `upstream_failed`. */
  call(call: GraphRequest): Promise<Json>;
  /** As `call`, but a refusal by upstream is a value. Still throws Fault `upstream_failed` without a usable answer. */
  attempt(call: GraphRequest): Promise<Attempt>;
  /** The items of a collection, read page by page; the pages get smaller if upstream finds them too large. */
  all(call: GraphRequest, maxItems?: number): Promise<Json[]>;
}

/** `regainMs`: how long the limit lasts; null if upstream does not say. */
export type Attempt =
  | { ok: true; answer: Json; version: string | null }
  | { ok: false; error: GraphError; regainMs: number | null; fault: Fault };

const callTimeoutMs = 10_000;
/** A person waits at a browser, or a client for `exchange-code`. */
const flowTimeoutMs = 25_000;
/** Enough for 100 pages with their tokens. */
const maxAnswerBytes = 1024 * 1024;
/** Assets of one person; further ones are left out. Also ends a collection whose cursor never ends. */
const maxAssets = 5_000;

/**
 * GET, POST and DELETE on the Graph API, for everything but sends. Tokens travel in the header, never in the path. Each call ends within 10
 * s (one with a file: within its own time), each flow (one `makeGraph`) within 25 s; the calls of a flow share a request id. `tokenRefused`
 * is called before the call returns. [upstream §1.1, §1.3]
 */
export function makeGraph(
  transport: Transport,
  settings: GraphSettings,
  clock: Clock,
  requestId: string = newId(),
  tokenRefused?: (code: number) => void,
): Graph {
  const flowEnds = clock.monotonic() + flowTimeoutMs;
  return { call, attempt, all };

  async function call(given: GraphRequest): Promise<Json> {
    const attempted = await attempt(given);
    if (!attempted.ok) throw attempted.fault;
    return attempted.answer;
  }

  async function attempt(given: GraphRequest): Promise<Attempt> {
    const full: GraphCall = {
      method: 'GET',
      query: {},
      token: null,
      body: null,
      form: null,
      secrets: [],
      ...given,
    };
    const timeoutMs = full.form?.timeoutMs ?? Math.min(callTimeoutMs, flowEnds - clock.monotonic());
    if (timeoutMs <= 0) throw fault('upstream_failed', { why: 'it answers too slowly' });
    const answer = await transport.exchange({
      method: full.method,
      path: makePath(full, settings),
      headers: makeHeaders(full, settings, requestId),
      body: full.form?.content ?? (full.body === null ? null : JSON.stringify(full.body)),
      timeoutMs,
      maxBytes: maxAnswerBytes,
    });
    const attempted = understood(answer, [...full.secrets, full.token ?? '', settings.appSecret]);
    if (attempted.ok) return attempted;
    return noteRefusal(attempted, settings, tokenRefused);
  }

  async function all(given: GraphRequest, maxItems = maxAssets): Promise<Json[]> {
    const items: Json[] = [];
    const size = new PageSize();
    let after: string | null = null;
    for (let asked = 0; asked < maxItems; asked += Number(size.limit)) {
      const cursor: Record<string, string> = after === null ? {} : { after };
      const page = (limit: string) => attempt({ ...given, query: { ...given.query, limit, ...cursor } });
      const attempted = await size.attempt(page);
      if (!attempted.ok) throw attempted.fault;
      for (const item of asList(attempted.answer['data'])) items.push(asRecord(item) ?? {});
      const next = readNextPage(attempted.answer);
      if (next === null || next === after) break;
      after = next;
    }
    return items;
  }
}

/** Tells of a refusal that concerns the app, or the channel's token; the latter's text says what to do. */
function noteRefusal(
  attempted: Extract<Attempt, { ok: false }>,
  { appRefused }: GraphSettings,
  tokenRefused?: (code: number) => void,
): Attempt {
  const { error } = attempted;
  if (isOperatorFault(error)) {
    appRefused?.(error);
    // Without the code, which would say something of the object.
    return { ...attempted, fault: fault('upstream_failed', { why: attempted.fault.details['why'] }) };
  }
  if (tokenRefused === undefined || !isTokenRefused(error.code)) return attempted;
  tokenRefused(error.code);
  const { details } = attempted.fault;
  const why = `${String(details['why'])}; ${reconnect}`;
  return { ...attempted, fault: fault('upstream_failed', { ...details, why }) };
}

/**
 * Returns the next cursor; the last page has no `next`. The URL in `next` is not followed, because it may name any host. [upstream §1.1]
 */
function readNextPage(answer: Json): string | null {
  const paging = asRecord(answer['paging']);
  if (asText(paging?.['next']) === null) return null;
  return asText(asRecord(paging?.['cursors'])?.['after']);
}

function makePath({ path, query, token }: GraphCall, { version, appSecret }: GraphSettings): string {
  const params = new URLSearchParams(query);
  if (token !== null) params.set('appsecret_proof', makeProof(appSecret, token));
  const text = params.toString();
  return `/${version}${path}${text === '' ? '' : `?${text}`}`;
}

function makeHeaders(
  { token, body, form }: GraphCall,
  { userAgent }: GraphSettings,
  requestId: string,
): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': userAgent, 'x-request-id': requestId };
  if (token !== null) headers['authorization'] = `Bearer ${token}`;
  if (body !== null) headers['content-type'] = 'application/json';
  if (form !== null) Object.assign(headers, form.headers);
  return headers;
}

function understood(answer: Answer, secrets: readonly string[]): Attempt {
  if (answer.got === 'nothing') throw fault('upstream_failed', { why: `no answer (${answer.reason})` });
  const json = parseExactJson(answer.text);
  const error = json === null ? null : readGraphError(json);
  if (error !== null)
    return { ok: false, error, regainMs: readRegainMs(answer.usage), fault: refused(error, secrets) };
  if (json === null || answer.status < 200 || answer.status > 299) {
    throw fault('upstream_failed', { why: `no usable answer (HTTP ${answer.status})` });
  }
  return { ok: true, answer: json, version: answer.version };
}

/** Contains upstream's text for users if there is one, and its code, without secrets. [faults 53] */
function refused(error: GraphError, secrets: readonly string[]): Fault {
  const words = hideSecrets(error.userMessage ?? error.message, secrets).slice(0, 300);
  const code = error.code === null ? '' : ` (code ${error.code})`;
  const why = `${words === '' ? 'it refused the call' : words}${code}`;
  return fault('upstream_failed', { why, code: error.code, subcode: error.subcode });
}

/**
 * A write that creates no resource answers `{"success": true}`, in older versions the text "true". Throws Fault `upstream_failed`.
 * [upstream §1.1]
 */
export function requireSuccess(answer: Json, what: string): void {
  const success = answer['success'];
  if (success !== true && success !== 'true') throw fault('upstream_failed', { why: `${what} was not done` });
}

/** As `parseObject`, but integers that a double would round become text: such numbers may be ids. [upstream §0.1] */
function parseExactJson(text: string): Json | null {
  if (!/[0-9]{16}/.test(text)) return parseObject(text);
  const body = Buffer.from(text);
  const found = scan(body);
  return parseObject(typeof found === 'string' ? text : textWithQuoted(body, found.longIntegers));
}
