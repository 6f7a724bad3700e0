/**
 * What was sent in one attempt of a delivery, and what came back: for who asks why it failed. Bounded when it is made, sealed at rest,
 * and shown as text whatever it is. [portal: Deliveries]
 */
import { parseUrl } from '../urls/parse-url.ts';

export type Header = readonly [name: string, value: string];

export interface Answer {
  headers: readonly Header[];
  /** The first of it, as it came. */
  body: Uint8Array;
  /** There was more of the body, or of the headers. */
  isCut: boolean;
}

export interface Transcript {
  /** Without credentials; of the query only its names. */
  address: string;
  /** None: nothing was sent. */
  request: readonly Header[];
  /** null: nothing came back. */
  answer: Answer | null;
}

/** An attempt, as its poster tells of it. `startedAt`: as the delivery's attempt log names it. */
export interface TranscribedAttempt {
  accountId: string;
  channelId: string;
  deliveryId: string;
  startedAt: number;
  /** It was answered 2xx. */
  isTaken: boolean;
  transcript: Transcript;
}

export const maxAnswerBytes = 2_048;
const maxHeaders = 50;
const maxNameLength = 100;
const maxValueLength = 512;
/** Of all header names and values together. */
const maxHeadersLength = 4_096;
const maxAddressLength = 2_048;

/** Credentials and values of the query may be secrets of the receiver's. */
export function addressShown(url: string): string {
  const parsed = parseUrl(url);
  if (parsed === null) return '(unreadable)';
  const { protocol, host, pathname, search } = parsed;
  const names = search.slice(1).split('&').filter(Boolean).map(parameterShown);
  const query = names.length === 0 ? '' : `?${names.join('&')}`;
  return `${protocol}//${host}${pathname}${query}`.slice(0, maxAddressLength);
}

/** What has no value may be the secret itself. */
function parameterShown(parameter: string): string {
  const at = parameter.indexOf('=');
  return at < 1 ? '…' : `${parameter.slice(0, at)}=…`;
}

/** What a receiver tells a browser to come back with is nobody's to read. */
const secretHeaders: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

/** The headers of an answer as they are kept; `isCut`: not all of them, or not whole. */
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

/** Bytes to be sealed. */
export function writeTranscript({ address, request, answer }: Transcript): Uint8Array {
  const body = answer === null ? null : Buffer.from(answer.body).toString('base64');
  return Buffer.from(
    JSON.stringify({ address, request, answer: answer === null ? null : { ...answer, body } }),
  );
}

/** What `writeTranscript` has made. */
export function readTranscript(bytes: Uint8Array): Transcript {
  const { address, request, answer }: Omit<Transcript, 'answer'> & { answer: WrittenAnswer | null } =
    JSON.parse(Buffer.from(bytes).toString());
  if (answer === null) return { address, request, answer };
  return { address, request, answer: { ...answer, body: Buffer.from(answer.body, 'base64') } };
}

type WrittenAnswer = Omit<Answer, 'body'> & { body: string };
