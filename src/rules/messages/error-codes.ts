import { codeTable } from './error-table.ts';
import type { ChannelMeaning, CodeRow, Pause } from './error-table.ts';
import { isOperatorFault, operatorFaultSentence } from './operator-fault.ts';
import { redact } from './redact.ts';

/** Upstream's error for a refused call. `message` is upstream's text and may contain a token: see `sentenceFor`. */
interface UpstreamError {
  code: number | null;
  subcode: number | null;
  message: string;
  httpStatus: number;
}

type ErrorClass =
  | { kind: 'permanent' }
  | { kind: 'transient'; pause: Pause; waitMs?: number }
  /** The message may have been sent. */
  | { kind: 'ambiguous' }
  /** Not sent, and no send of any channel can be, until the operator has mended the app. */
  | { kind: 'operator' };

const byCode = new Map<number, CodeRow>();
const bySubcode = new Map<string, CodeRow>();
const alone = new Map<number, CodeRow>();
for (const row of codeTable) {
  if (row.subcode === undefined) byCode.set(row.code, row);
  else bySubcode.set(`${row.code}/${row.subcode}`, row);
  if (row.alone === true) alone.set(row.subcode ?? row.code, row);
}

/** Wording that clients may match, with any subcode. [spec: Send error codes] */
const controlText = 'another app is controlling this thread';
const controlRow = alone.get(2018300);

/** `details`: upstream's words about this call, where `message` only names the code. [upstream §3.4] */
type ErrorDetail = Pick<UpstreamError, 'subcode' | 'message'> & { details?: string | null | undefined };

/** What was sent: some codes mean something else for a file, or for a text longer than upstream's limit in bytes. */
export type Sent = 'message' | 'file' | 'long-text';

/** The table row of this error; undefined for an unknown code. */
export function findRow(code: number | null, { subcode, message }: ErrorDetail): CodeRow | undefined {
  if (code === 10 && message.toLowerCase().includes(controlText)) return controlRow;
  const own = bySubcode.get(`${code}/${subcode}`) ?? alone.get(subcode ?? 0);
  return own ?? findByCode(code ?? -1);
}

/** No row has a code below 0. `byCode` also finds the first code of a range. */
function findByCode(code: number): CodeRow | undefined {
  const own = alone.get(code) ?? byCode.get(code);
  return own ?? codeTable.find((row) => code > row.code && code <= (row.upTo ?? 0));
}

/**
 * Whether a refusal is retried, and what else must wait meanwhile. The code decides; the HTTP status counts only if the
 * code is not decisive, because it is unreliable: a 5xx may come after acceptance, a rate limit comes before it.
 * [spec: Send error codes; upstream §3.4; faults: 37]
 */
export function classifyUpstreamError({ code, subcode, message, httpStatus }: UpstreamError): ErrorClass {
  if (isOperatorFault({ code, message })) return { kind: 'operator' };
  const row = findRow(code, { subcode, message });
  if (row !== undefined && row.class !== 'transient') return { kind: row.class };
  const pause = row?.pause ?? (httpStatus === 429 ? 'channel' : 'none');
  if (pause === 'none' && httpStatus >= 500 && row?.decidedFirst !== true) return { kind: 'ambiguous' };
  return { kind: 'transient', pause, ...(row?.waitMs === undefined ? {} : { waitMs: row.waitMs }) };
}

/** Consequence of a refusal for the channel itself. */
export function findChannelMeaning(code: number | null, detail: ErrorDetail): ChannelMeaning {
  if (isOperatorFault({ code, message: detail.message })) return 'none';
  return findRow(code, detail)?.channel ?? 'none';
}

/** Of `message`, and of `details`. */
const maxQuote = 300;

/**
 * The `error` sentence of a failed send: meaning of the code, advice and, in brackets, upstream's words and details with possible secrets
 * redacted. For clients and mails, not for logs. [spec: Send error codes; faults: 53; operator-interface §4]
 */
export function sentenceFor(code: number | null, detail: ErrorDetail, sent: Sent = 'message'): string {
  const message = quotable(detail.message);
  const details = quotable(detail.details ?? '');
  const sentence = ownSentence(code, { ...detail, message }, sent);
  const quote = message.includes(details)
    ? message
    : [message, `${detailsWord}${details}`].filter(Boolean).join('; ');
  return quote === '' ? sentence : `${sentence}${quoteMark}${quote})`;
}

/** Upstream's words without possible secrets, cut to what a sentence quotes. [faults: 53] */
export function quotable(words: string): string {
  return redact(words).trim().slice(0, maxQuote).toWellFormed();
}

const quoteMark = ' (upstream: ';
const detailsWord = 'details: ';
const detailsMark = `; ${detailsWord}`;

interface QuotedWords {
  words: string;
  details: string | null;
}

/** What a sentence of `sentenceFor` quotes of upstream; the whole sentence as `words` if it quotes nothing. */
export function upstreamWordsIn(sentence: string): QuotedWords {
  const start = sentence.indexOf(quoteMark);
  const quote = start === -1 ? sentence : sentence.slice(start + quoteMark.length, -1);
  const end = start === -1 ? -1 : quote.indexOf(detailsMark);
  if (end === -1) return { words: quote, details: null };
  return { words: quote.slice(0, end), details: quote.slice(end + detailsMark.length) };
}

const anyFileHint =
  'check that media_url answers 200 with a Content-Type that matches media_type, and check the file size';

function ownSentence(code: number | null, detail: ErrorDetail, sent: Sent): string {
  if (isOperatorFault({ code, message: detail.message })) return operatorFaultSentence;
  const row = findRow(code, detail);
  if (row === undefined) return sent === 'file' ? `${unknownCode(code)}; ${anyFileHint}` : unknownCode(code);
  return `${row.sentence}; ${hintOf(row, sent)}`;
}

function hintOf({ hint, fileHint, longTextHint }: CodeRow, sent: Sent): string {
  if (sent === 'file') return fileHint ?? hint;
  return sent === 'long-text' ? (longTextHint ?? hint) : hint;
}

function unknownCode(code: number | null): string {
  return code === null ? 'Upstream refused the message' : `Upstream refused the message with code ${code}`;
}

/** A sentence of `sentenceFor` without upstream's own words, which may name a person. */
export function withoutUpstreamWords(sentence: string): string {
  return sentence.split(quoteMark, 1)[0] ?? sentence;
}
