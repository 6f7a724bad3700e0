import { expect, test } from '@jest/globals';
import {
  hasDroppedAttempts,
  parseAttempts,
  maxLoggedAttempts,
  withAttempt,
} from '../../src/rules/webhooks/delivery.ts';
import type { LoggedAttempt } from '../../src/rules/webhooks/delivery.ts';

const delivered: LoggedAttempt = { at: 1_000, durationMs: 12, status: 200, failure: null };

test.each<LoggedAttempt>([
  delivered,
  { at: 1_000, durationMs: 0, status: 503, failure: 'status' },
  { at: 1_000, durationMs: 5_000, status: null, failure: 'timeout' },
  { at: 1_000, durationMs: 5_000, status: 200, failure: 'timeout' },
  { at: 1_000, durationMs: 1, status: null, failure: 'payload unreadable' },
])('%p is read back unchanged', (attempt) => {
  expect(parseAttempts(withAttempt(null, attempt))).toEqual([attempt]);
});

test('an entry of which only the times are stored has no status and no reason', () => {
  expect(parseAttempts('1000 12')).toEqual([{ at: 1_000, durationMs: 12, status: null, failure: '' }]);
});

test('no attempts make no entries', () => {
  expect(parseAttempts(null)).toEqual([]);
});

function logOf(count: number): string | null {
  let log: string | null = null;
  for (let at = 1; at <= count; at += 1) log = withAttempt(log, { ...delivered, at });
  return log;
}

test('the last nine entries are kept, oldest first', () => {
  const log = logOf(12);
  expect(parseAttempts(log).map(({ at }) => at)).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(parseAttempts(log)).toHaveLength(maxLoggedAttempts);
});

test('a log tells whether older entries were dropped', () => {
  expect([0, 1, 9, 10, 11, 30].map((count) => hasDroppedAttempts(logOf(count)))).toEqual([
    false,
    false,
    false,
    true,
    true,
    true,
  ]);
});
