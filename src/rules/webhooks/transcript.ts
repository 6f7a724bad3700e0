/**
 * Request and answer of one delivery attempt, for diagnosing failures. Bounded on creation, sealed at rest,
 * and always shown as text. [portal: Deliveries]
 */
import { parseUrl } from '../url.ts';

export type Header = readonly [name: string, value: string];

export interface Answer {
  headers: readonly Header[];
  /** The first bytes, unchanged. */
  body: Uint8Array;
  /** Body or headers are truncated. */
  isCut: boolean;
}

export interface Transcript {
  /** URL without credentials and query values. */
  address: string;
  /** Empty: nothing was sent. */
  request: readonly Header[];
  /** null: no answer. */
  answer: Answer | null;
}

/** A transcribed attempt. `startedAt` identifies it in the delivery's attempt log. */
export interface TranscribedAttempt {
  accountId: string;
  channelId: string;
  deliveryId: string;
  startedAt: number;
  /** The answer was 2xx. */
  isTaken: boolean;
  transcript: Transcript;
}

export const maxAnswerBytes = 2_048;
const maxHeaders = 50;
const maxNameLength = 100;
export const maxValueLength = 512;
/** Total length of header names and values. */
const maxHeadersLength = 4_096;
const maxAddressLength = 2_048;

/** Omits credentials and query values, which may be secrets of the receiver. */
export function addressShown(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === null) return '(unreadable)';
  const { protocol, host, pathname, search } = parsed;
  const names = search.slice(1).split('&').filter(Boolean).map(parameterShown);
  const query = names.length === 0 ? '' : `?${names.join('&')}`;
  return `${protocol}//${host}${pathname}${query}`.slice(0, maxAddressLength);
}

/** A parameter without a value may be a secret itself, so its name is hidden. */
function parameterShown(parameter: string): string {
  const at = parameter.indexOf('=');
  return at < 1 ? '…' : `${parameter.slice(0, at)}=…`;
}

/** Cookies are credentials and are never stored. */
const secretHeaders: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

/** The stored headers of an answer; `isCut`: some are missing or truncated. */
export function boundedHeaders(headers: Readonly<Record<string, unknown>>): {
  headers: Header[];
  isCut: boolean;
} {
  const kept: Header[] = [];
  let length = 0;
  let isCut = false;
  for (const [name, value] of eachHeader(headers)) {
    const shown: Header = [name.slice(0, maxNameLength), value.slice(0, maxValueLength)];
    length += shown[0].length + shown[1].length;
    if (kept.length === maxHeaders || length > maxHeadersLength) return { headers: kept, isCut: true };
    isCut ||= shown[0] !== name || shown[1] !== value;
    kept.push(shown);
  }
  return { headers: kept, isCut };
}

function* eachHeader(headers: Readonly<Record<string, unknown>>): Generator<Header> {
  for (const [name, given] of Object.entries(headers))
    for (const value of Array.isArray(given) ? given : [given])
      yield [name, secretHeaders.has(name) ? '(not kept)' : String(value)];
}

/** Serialises a transcript for sealing. */
export function writeTranscript({ address, request, answer }: Transcript): Uint8Array {
  const body = answer === null ? null : Buffer.from(answer.body).toString('base64');
  return Buffer.from(
    JSON.stringify({ address, request, answer: answer === null ? null : { ...answer, body } }),
  );
}

/** Parses the result of `writeTranscript`. */
export function readTranscript(bytes: Uint8Array): Transcript {
  const { address, request, answer }: Omit<Transcript, 'answer'> & { answer: WrittenAnswer | null } =
    JSON.parse(Buffer.from(bytes).toString());
  if (answer === null) return { address, request, answer };
  return { address, request, answer: { ...answer, body: Buffer.from(answer.body, 'base64') } };
}

type WrittenAnswer = Omit<Answer, 'body'> & { body: string };

/** Control, bidirectional and invisible characters, except tab and line feed. */
const unseen = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Makes an untrusted text safe to show. */
export function printableText(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(unseen, escaped);
}

/** Invalid UTF-8 is shown byte by byte. */
export function printableBytes(bytes: Uint8Array, isCut: boolean): string {
  try {
    // With `stream` a truncated last character is dropped.
    return printableText(new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }));
  } catch {
    return Array.from(bytes, byteShown).join('');
  }
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? hex(code) : `\\u{${code.toString(16)}}`;
}

function byteShown(byte: number): string {
  const isPlain = (byte >= 0x20 && byte < 0x7f) || byte === 0x0a || byte === 0x09;
  return isPlain ? String.fromCharCode(byte) : hex(byte);
}

function hex(code: number): string {
  return `\\x${code.toString(16).padStart(2, '0')}`;
}
