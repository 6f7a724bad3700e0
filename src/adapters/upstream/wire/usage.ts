import { parseObject } from './error.ts';
import { asList, asRecord } from './read.ts';

const minuteMs = 60_000;
const maxMs = 24 * 60 * minuteMs;
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
