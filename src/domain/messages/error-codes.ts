import { redact } from './redact.ts';

/** What upstream said about a refused call. `message` is upstream's own text and may hold a token: see `hintFor`. */
export interface UpstreamError {
  code: number | null;
  subcode: number | null;
  message: string;
  httpStatus: number;
}

export type ErrorClass = { kind: 'permanent' } | { kind: 'transient'; pause: 'none' | 'pair' | 'channel' };

/** [spec: Send error codes; upstream §3.5, §3.6] Whatever is not in here is transient. */
const permanentCodes: ReadonlySet<number> = new Set([
  0, 3, 10, 33, 100, 190, 230, 368, 551, 803, 36000, 9000001, 130403, 130472, 130497, 131005, 131008, 131009,
  131021, 131026, 131030, 131031, 131037, 131042, 131045, 131047, 131049, 131050, 131051, 131052, 131062,
  131063, 132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018, 132068, 133005, 133006,
  133008, 133009, 133010, 134011, 137000,
]);

/** The pages' error table prints these without a code they always come under. [upstream §3.6] */
const permanentSubcodes: ReadonlySet<number> = new Set([2018218, 2018247, 2018300, 2018321, 2018352]);

/** The whole channel is too fast, or in maintenance. [upstream §3.5 "throttle", §3.8] */
const channelPauses: ReadonlySet<number> = new Set([
  4, 17, 32, 613, 80001, 80002, 80006, 80007, 130429, 131048, 131057,
]);

const pairLimit = 131056;

/**
 * Whether a definite refusal is tried again, and what else must wait meanwhile. The code decides; the HTTP status counts only
 * where the code says nothing, because it is not dependable. [spec: Send error codes; upstream §3.4, §9.13]
 */
export function classifyUpstreamError({ code, subcode, httpStatus }: UpstreamError): ErrorClass {
  if (code === pairLimit) return { kind: 'transient', pause: 'pair' };
  if (code !== null && channelPauses.has(code)) return { kind: 'transient', pause: 'channel' };
  if (isPermanent(code, subcode)) return { kind: 'permanent' };
  return { kind: 'transient', pause: httpStatus === 429 ? 'channel' : 'none' };
}

function isPermanent(code: number | null, subcode: number | null): boolean {
  if (code !== null && (permanentCodes.has(code) || permanentSubcodes.has(code))) return true;
  if (code !== null && code >= 200 && code <= 299) return true;
  return subcode !== null && permanentSubcodes.has(subcode);
}

/** The wording that clients may look for. [spec: Send error codes] */
const controlText = 'another app is controlling this thread';
const controlSubcode = 2018300;

/** One sentence per code of the specification's table. */
const sentences: ReadonlyMap<number, string> = new Map([
  [10, 'Upstream denies this action for the account; the channel stays connected'],
  [100, 'Invalid parameter; check the recipient format, and for media the URL, type and file size'],
  [190, 'The access token has expired or was revoked; reconnect the channel'],
  [200, 'Upstream denies this action for the account; the channel stays connected'],
  [368, 'The account is temporarily blocked for policy violations'],
  [551, 'This person cannot be messaged now; do not resend automatically'],
  [803, 'The object does not exist or is unavailable; check the recipient identifier'],
  [131008, 'A required parameter is missing'],
  [131009, 'A parameter value is invalid for this channel'],
  [131026, 'The recipient is not reachable on this platform'],
  [131047, 'The 24-hour re-engagement window is closed; send an approved template'],
  [131051, 'Unsupported message type for this channel'],
  [
    131052,
    'Upstream could not download media_url; it must answer 200 with a Content-Type that fits media_type',
  ],
  [131053, 'Upstream could not process the media; this is often transient'],
  [131056, 'Too many messages from this sender to this recipient in a short time'],
  [131057, 'The business account is in maintenance mode'],
]);

const maxQuote = 300;

/**
 * The `error` sentence of a failed send: what the code means and, in brackets, upstream's words without anything that could
 * be a secret. Made for clients and mails, not for logs. [spec: Send error codes; faults: 53]
 */
export function hintFor(code: number | null, said: { subcode: number | null; message: string }): string {
  const quote = redact(said.message).trim().slice(0, maxQuote);
  const sentence = sentenceFor(code, said.subcode, quote);
  return quote === '' ? sentence : `${sentence}${quoteMark}${quote})`;
}

const quoteMark = ' (upstream: ';

/** Upstream's own words in a sentence of `hintFor`; the sentence itself where it quotes none. */
export function upstreamWordsIn(hint: string): string {
  const start = hint.indexOf(quoteMark);
  return start === -1 ? hint : hint.slice(start + quoteMark.length, -1);
}

function sentenceFor(code: number | null, subcode: number | null, quote: string): string {
  if (subcode === controlSubcode || (code === 10 && quote.toLowerCase().includes(controlText)))
    return `Not sent: ${controlText}`;
  if (code === null) return 'Upstream refused the message';
  return sentences.get(code) ?? `Upstream refused the message with code ${code}`;
}
