import type { IncomingMessage, ServerResponse } from 'node:http';
import { isBag, parseJson, asText, type Bag } from './bag.ts';
import { GraphError } from './graph-error.ts';
import { servedVersion, versionOf, withoutVersion } from './graph-version.ts';
import { refusalHeaders } from './refusal-headers.ts';
import { newTrace } from './ids.ts';
import { parseMultipart, type UploadedFile } from './multipart.ts';
import { refusal } from './platform-refusals.ts';
import type { Token } from './tokens.ts';
import type { World } from './world.ts';

/** A call to upstream: path without version, the parameters of query and body merged (the body wins), the body as received. */
export type Call = {
  readonly method: string;
  readonly path: string;
  readonly version: string;
  readonly bag: Bag;
  readonly raw: Buffer;
  readonly contentType: string;
  readonly bearer: string | undefined;
  /** Client id and secret of an `Authorization: Basic` header. */
  readonly basic: { readonly id: string; readonly secret: string } | undefined;
  readonly files: ReadonlyMap<string, UploadedFile>;
};

const noFiles: ReadonlyMap<string, UploadedFile> = new Map();

/** Reads a call from a request and its body. Throws GraphError 100 when a JSON body cannot be parsed. */
export function readCall(req: IncomingMessage, raw: Buffer): Call {
  const target = req.url ?? '/';
  const mark = target.indexOf('?');
  const path = withoutVersion(mark < 0 ? target : target.slice(0, mark));
  const version = versionOf(req);
  const contentType = req.headers['content-type'] ?? '';
  const query = mark < 0 ? {} : Object.fromEntries(new URLSearchParams(target.slice(mark + 1)));
  const form = contentType.startsWith('multipart/') ? parseMultipart(raw, contentType) : undefined;
  const body = form?.texts ?? bodyOf(raw, contentType);
  const { authorization = '' } = req.headers;
  const bearer = /^(?:Bearer|OAuth) +(.+)$/i.exec(authorization)?.[1];
  const bag = mark < 0 ? body : { ...query, ...body };
  const files = form?.files ?? noFiles;
  const basic = basicOf(authorization);
  return { method: req.method ?? 'GET', path, version, bag, raw, contentType, bearer, basic, files };
}

function basicOf(authorization: string): Call['basic'] {
  const coded = /^Basic +(\S+)$/i.exec(authorization)?.[1];
  if (coded === undefined) return undefined;
  const [id = '', ...secret] = Buffer.from(coded, 'base64').toString('utf8').split(':');
  return { id, secret: secret.join(':') };
}

function bodyOf(raw: Buffer, contentType: string): Bag {
  if (raw.length === 0 || contentType.startsWith('multipart/')) return {};
  const text = raw.toString('utf8');
  if (contentType.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(text));
  const parsed = parseJson(text);
  if (isBag(parsed)) return parsed;
  throw new GraphError({ code: 100, message: '(#100) The request body is not a valid JSON object' });
}

/**
 * Returns the call's token after checking its proof. The `access_token` parameter wins over the header, because clients register callbacks
 * with the app's token beside their own bearer [upstream protocol 9.1]. Throws GraphError 190 or 100.
 */
export function authenticate(world: World, call: Call): Token {
  const { bag, bearer } = call;
  if (!world.settings.legacy_features) refuseLegacy(bag);
  return world.tokens.authenticate(
    asText(bag.access_token) ?? bearer,
    asText(bag.appsecret_proof),
    asText(bag.appsecret_time),
    world.settings.require_proof,
  );
}

// Gone from every version since 2026-10-27 or, for new apps, since 2026-11-04.
const legacyParameters = ['method', 'ids', 'date_format', 'pretty', 'debug', 'callback'];

function refuseLegacy(bag: Bag): void {
  const used = legacyParameters.find((name) => name in bag);
  if (used !== undefined) throw refusal('legacy_feature');
}

/** Ends the response with JSON and the headers that upstream always sends [upstream protocol 9.12]. */
export function answerJson(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
  trace = newTrace(),
): void {
  answerText(res, status, 'application/json; charset=UTF-8', JSON.stringify(value), headers, trace);
}

/** Ends the response with any text; header names are spelled as upstream spells them. */
export function answerText(
  res: ServerResponse,
  status: number,
  contentType: string,
  text: string,
  headers: Record<string, string> = {},
  trace = newTrace(),
): void {
  const length = Buffer.byteLength(text);
  res.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': length,
    'facebook-api-version': servedVersion(res.req),
    'x-fb-trace-id': trace,
    'x-fb-request-id': trace,
    ...headers,
  });
  res.end(text);
}

/** Codes of throttles: an older table of upstream lists them with 400, newer copies with 429. */
const throttles = new Set([4, 80_007, 80_008, 130_429, 131_048, 131_056, 133_016]);

/** As `answerError`, with the HTTP status that the setting gives throttles. */
export function answerRefusal(world: World, res: ServerResponse, error: unknown): void {
  const isUsual = error instanceof GraphError && error.refusal.status === undefined;
  if (!isUsual || !throttles.has(error.refusal.code)) return answerError(res, error);
  answerError(res, new GraphError({ ...error.refusal, status: world.settings.throttle_status }));
}

/** Ends the response with upstream's error envelope; an error of our own becomes code 1, HTTP 500. */
export function answerError(res: ServerResponse, error: unknown): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const known = error instanceof GraphError ? error : undefined;
  if (!known) console.error(error);
  const shown = known ?? new GraphError({ code: 1, status: 500, message: 'An unknown error occurred' });
  const trace = newTrace();
  answerJson(res, shown.status, shown.envelope(trace), refusalHeaders(shown), trace);
}
