import { parseObject } from './error.ts';
import { asList, asRecord } from './read.ts';

const minuteMs = 60_000;
const maxMs = 24 * 60 * minuteMs;
/** A header that says it all has some hundred bytes. */
const maxText = 8_192;

/**
 * How long the caller has no access, by `X-Business-Use-Case-Usage`, ms; null: it does not say, or not any more. It holds a list for each
 * business, with minutes. [upstream §3.8]
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
