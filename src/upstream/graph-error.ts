import { asCode, asRecord, asText, asList } from './read.ts';
import type { Json } from './read.ts';
import { minuteMs, dayMs } from '../kernel/clock.ts';

/** The parsed error envelope, which is the same at every endpoint. Every text is upstream's and may contain a token. [upstream §3.4] */
export interface GraphError {
  code: number | null;
  subcode: number | null;
  message: string;
  /** Texts for users, where upstream has them. */
  userTitle: string | null;
  userMessage: string | null;
  details: string | null;
  traceId: string | null;
}

/** The JSON object in an answer's body; null for HTML, an empty body or truncated JSON. */
export function parseObject(text: string): Json | null {
  try {
    return asRecord(JSON.parse(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

/** The error object of an answer. Checked before the status, because pages have answered 200 with an error. [upstream §3.4] */
export function readGraphError(answer: Json): GraphError | null {
  const error = asRecord(answer['error']);
  if (error === null) return null;
  const data = error['error_data'];
  return {
    code: asCode(error['code']),
    subcode: asCode(error['error_subcode']),
    message: asText(error['message']) ?? '',
    userTitle: asText(error['error_user_title']),
    userMessage: asText(error['error_user_msg']) ?? asText(error['error_user_title']),
    details: asText(asRecord(data)?.['details']) ?? asText(data),
    traceId: asText(error['fbtrace_id']),
  };
}

const maxMs = dayMs;
/** A complete header has some hundred bytes. */
const maxText = 8_192;

/**
 * How long (ms) calls stay blocked, by `X-Business-Use-Case-Usage`; null if the header does not say, or the limit is over. The header
 * lists, for each business, the minutes until access returns. [upstream §3.8]
 */
export function readRegainMs(header: string | null): number | null {
  if (header === null || header.length > maxText) return null;
  const waits = Object.values(parseObject(header) ?? {})
    .flatMap(asList)
    .map((usage) => asRecord(usage)?.['estimated_time_to_regain_access'])
    .filter((minutes) => typeof minutes === 'number')
    .map((minutes) => minutes * minuteMs);
  const longest = Math.max(0, ...waits);
  return longest > 0 ? Math.min(longest, maxMs) : null;
}
