/** Headers that an account adds to the POSTs of an endpoint. [spec: Additions, Endpoints] */
import type { SealedText } from '../../kernel/sealed.ts';
import { hopHeader } from './url.ts';

/** Headers as stored: the values are sealed, the names are shown. */
export interface SealedHeaders {
  names: readonly string[];
  /** Of `writeHeaders`. */
  sealed: SealedText;
}

type OwnHeaders = readonly (readonly [name: string, value: string])[];

const maxHeaders = 10;
/** Of all names and values together, in bytes. */
export const maxOwnHeadersBytes = 4_096;

/** RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const printable = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Of one connection, so never of a receiver, and what each request has already. */
const taken = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-request-id',
  'traceparent',
  'tracestate',
  hopHeader,
]);
const takenPrefixes = ['content-', 'x-webhook-', 'webhook-'];

/** What is wrong with one header, by its name; null: nothing. */
export function headerProblem(name: string, value: string): string | null {
  if (!token.test(name)) return 'the name of a header has letters, digits and the signs of a token only';
  const lower = name.toLowerCase();
  if (taken.has(lower) || takenPrefixes.some((prefix) => lower.startsWith(prefix)))
    return 'this header belongs to the connection or to the service';
  return printable.test(value)
    ? null
    : 'the value must be printable ASCII, not empty, without a space at either end';
}

/** What is wrong with the headers together; null: nothing. */
export function headersProblem(headers: OwnHeaders): string | null {
  if (headers.length > maxHeaders) return `at most ${maxHeaders} headers`;
  if (new Set(headers.map(([name]) => name.toLowerCase())).size < headers.length)
    return 'a header is named twice';
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return bytes > maxOwnHeadersBytes
    ? `at most ${maxOwnHeadersBytes} bytes of names and values together`
    : null;
}

export function writeHeaders(headers: OwnHeaders): string {
  return JSON.stringify(headers.flat());
}

/** Names and values alternating, as `writeHeaders` wrote them. */
export function readHeaders(text: string): string[] {
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
