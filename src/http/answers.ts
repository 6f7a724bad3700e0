/**
 * The only writers of responses. `writeHead` gets one flat list, on a response that has no headers yet: Node then writes
 * the list straight to the socket instead of building a header map first.
 */
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { publicLocation, publicPage } from './base-path.ts';
import { readRequestId } from './middleware/request-headers.ts';

/** Name, value, name, value, … */
export type HeaderList = readonly string[];

const always: HeaderList = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];

/** Answers JSON with headers that forbid caching and MIME sniffing. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: HeaderList = [],
): void {
  send(response, status, 'application/json', JSON.stringify(body), headers);
}

/** Answers JSON that was serialized in pieces. */
export function sendBytes(response: ServerResponse, status: number, pieces: readonly Buffer[]): void {
  const length = String(pieces.reduce((sum, piece) => sum + piece.length, 0));
  const own = ['Content-Type', 'application/json', 'Content-Length', length];
  response.writeHead(status, [...always, ...own, 'X-Request-Id', readRequestId(response.req)]);
  for (const piece of pieces) response.write(piece);
  response.end();
}

export function sendText(
  response: ServerResponse,
  status: number,
  body: string,
  contentType = 'text/plain; charset=utf-8',
): void {
  send(response, status, contentType, body, ['Content-Security-Policy', "default-src 'none'"]);
}

/** `policy` is the whole Content-Security-Policy, so that each page allows only what it needs. */
export function sendPage(response: ServerResponse, status: number, html: string, policy: string): void {
  const headers = [
    'X-Request-Id',
    readRequestId(response.req),
    'Content-Security-Policy',
    policy,
    'Referrer-Policy',
    'no-referrer',
    'X-Frame-Options',
    'DENY',
  ];
  const { body, coding } = packed(response, publicPage(response, html));
  const own = ['Content-Type', 'text/html; charset=utf-8', 'Content-Length', String(body.length)];
  const packing = ['Vary', 'Accept-Encoding', ...(coding === null ? [] : ['Content-Encoding', coding])];
  response.writeHead(status, [...always, ...own, ...headers, ...packing]);
  response.end(body);
}

/** A page takes a millisecond: it is as long as a list of 50. */
const packers = {
  br: (page: string) => brotliCompressSync(page, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (page: string) => gzipSync(page),
} as const;

/** Compressed if the browser accepts it. What a page repeats and nobody may learn is masked: see `pages/forms/mask.ts`. */
function packed(response: ServerResponse, page: string): { body: Buffer; coding: string | null } {
  const accepted = codingsIn(response.req.headers['accept-encoding']);
  const coding = (['br', 'gzip'] as const).find((each) => accepted.has(each));
  return coding === undefined
    ? { body: Buffer.from(page), coding: null }
    : { body: packers[coding](page), coding };
}

/** `Cache-Control` by how long browsers may keep a file. */
const cachings = {
  'for ever': 'public, max-age=31536000, immutable',
  'a day': 'public, max-age=86400',
  'not at all': 'no-store',
} as const;

/** Answers a static file of the pages, compressed if the client accepts it. */
export function sendAsset(
  response: ServerResponse,
  contentType: string,
  packings: Packings,
  kept: keyof typeof cachings,
): void {
  const accepted = codingsIn(response.req.headers['accept-encoding']);
  const coding = (['br', 'gzip'] as const).find((each) => packings[each] !== null && accepted.has(each));
  const body = (coding === undefined ? null : packings[coding]) ?? packings.plain;
  const headers = [
    'Content-Type',
    contentType,
    'Content-Length',
    String(body.length),
    'Vary',
    'Accept-Encoding',
  ];
  if (coding !== undefined) headers.push('Content-Encoding', coding);
  response.writeHead(200, ['Cache-Control', cachings[kept], 'X-Content-Type-Options', 'nosniff', ...headers]);
  response.end(body);
}

/** A file uncompressed and precompressed; null: there is no such compressed form. */
export interface Packings {
  plain: Buffer;
  br: Buffer | null;
  gzip: Buffer | null;
}

/** Accepted content codings; `q=0` refuses a coding. [RFC 9110 §12.5.3] */
function codingsIn(header: string | string[] | undefined): ReadonlySet<string> {
  const parts = String(header ?? '')
    .slice(0, 1_000)
    .toLowerCase()
    .split(',');
  const codings = parts.map((part) => part.split(';').map((word) => word.trim()));
  return new Set(
    codings.flatMap(([name = '', weight]) =>
      weight !== undefined && /^q=0(\.0*)?$/.test(weight) ? [] : [name],
    ),
  );
}

/** Redirects a browser with 302. The current address may carry a token, so no `Referer` is sent. */
export function sendRedirect(response: ServerResponse, location: string): void {
  const headers = ['Location', publicLocation(response, location), 'Referrer-Policy', 'no-referrer'];
  send(response, 302, 'text/plain; charset=utf-8', '', headers);
}

function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  headers: HeaderList,
): void {
  const length = String(Buffer.byteLength(body));
  const requestId = readRequestId(response.req);
  const own = ['Content-Type', contentType, 'Content-Length', length, 'X-Request-Id', requestId];
  response.writeHead(status, [...always, ...own, ...headers]);
  response.end(body);
}
