/** Counts of deliveries by the hour, and which of them are news to a person. */
import { describe, expect, test } from '@jest/globals';
import { minuteMs } from '../../../src/kernel/clock.ts';
import { continueVisit } from '../../../src/rules/person.ts';
import {
  addCounts,
  countNames,
  emptyHour,
  findBucket,
  findHour,
  findLatency,
  noCounts,
  findSuccessRate,
} from '../../../src/features/deliveries/hours.ts';
import type { DeliveryCounts } from '../../../src/features/deliveries/hours.ts';

const counted = (counts: Partial<DeliveryCounts>): DeliveryCounts => ({ ...noCounts(), ...counts });

test('an hour begins at its first ms', () => {
  const noon = Date.UTC(2026, 0, 1, 12);
  expect([findHour(noon), findHour(noon + 3_599_999), findHour(noon - 1)]).toEqual([
    noon,
    noon,
    noon - 3_600_000,
  ]);
});

test.each([
  [0, 'within20ms'],
  [20, 'within20ms'],
  [20.5, 'within50ms'],
  [1_000, 'within1s'],
  [1_200_000, 'within20min'],
  [1_200_001, 'later'],
])('%d ms count as %s', (ms, bucket) => {
  expect(findBucket(ms)).toBe(bucket);
});

test.each([
  ['nothing has ended', {}, null],
  ['all were taken', { delivered: 3, retried: 1 }, 1],
  ['none was taken', { givenUp: 2 }, 0],
  ['a retry counts as taken', { delivered: 2, retried: 1, givenUp: 1 }, 0.75],
])('the success rate: %s', (_, counts, rate) => {
  expect(findSuccessRate(counted(counts))).toBe(rate);
});

describe('the duration that was enough for 95 of 100', () => {
  test.each([
    ['of none: nothing is said', {}, null],
    ['of one: its own', { within5s: 1 }, 5_000],
    ['95 are enough', { within20ms: 95, within1min: 5 }, 20],
    ['94 are not', { within20ms: 94, within50ms: 1, within1min: 5 }, 50],
    ['more than is told apart', { within20ms: 9, later: 1 }, Infinity],
  ])('%s', (_, counts, latency) => {
    expect(findLatency(counted(counts))).toBe(latency);
  });
});

describe('the news for a person', () => {
  const first = 1_000 * minuteMs;

  test('are everything at the first visit', () => {
    const noted = { homeSeenAt: first, homeSince: null };
    expect(continueVisit({ homeSeenAt: null, homeSince: null }, first)).toEqual({ since: null, noted });
  });

  test('stay the same while the page is reloaded, and the visit is stored now and then', () => {
    const known = { homeSeenAt: first, homeSince: first - 600 * minuteMs };
    const { homeSince: since } = known;
    expect(continueVisit(known, first + minuteMs)).toEqual({ since, noted: null });
    const later = first + 20 * minuteMs;
    expect(continueVisit(known, later)).toEqual({ since, noted: { homeSeenAt: later, homeSince: since } });
  });

  test('start with the last visit, once that is half an hour ago', () => {
    const known = { homeSeenAt: first, homeSince: first - 600 * minuteMs };
    const later = first + 31 * minuteMs;
    expect(continueVisit(known, later)).toEqual({
      since: first,
      noted: { homeSeenAt: later, homeSince: first },
    });
  });
});

describe('a visit', () => {
  const known = { homeSeenAt: 100 * minuteMs, homeSince: null };

  test('lasts until half an hour after it was stored, including that minute', () => {
    expect(continueVisit(known, 130 * minuteMs).since).toBeNull();
    expect(continueVisit(known, 130 * minuteMs + 1).since).toBe(100 * minuteMs);
  });

  test('is stored again five minutes later, and not before', () => {
    expect(continueVisit(known, 105 * minuteMs).noted).toBeNull();
    expect(continueVisit(known, 105 * minuteMs + 1).noted).toEqual({
      homeSeenAt: 105 * minuteMs + 1,
      homeSince: null,
    });
  });

  test('that is the first starts at any time', () => {
    expect(continueVisit({ homeSeenAt: null, homeSince: null }, 5).noted).toEqual({
      homeSeenAt: 5,
      homeSince: null,
    });
  });
});

describe('the counts of an hour', () => {
  test('start at zero', () => {
    const { id, accountId, at, ...counts } = emptyHour('account-1', 7_200_000);
    expect([id, accountId, at]).toEqual(['account-1:7200000', 'account-1', 7_200_000]);
    expect(counts).toEqual(noCounts());
    expect(Object.keys(counts)).toEqual([...countNames]);
  });

  test('are added by their names', () => {
    const sum = { ...noCounts(), delivered: 1, later: 2 };
    addCounts(sum, { ...noCounts(), delivered: 3, givenUp: 4, within1s: 5, later: 6 });
    expect(sum).toEqual({ ...noCounts(), delivered: 4, givenUp: 4, within1s: 5, later: 8 });
  });

  test('with half of the deliveries failed say so', () => {
    expect(findSuccessRate({ ...noCounts(), delivered: 1, givenUp: 1 })).toBe(0.5);
    expect(findSuccessRate({ ...noCounts(), delivered: 2, retried: 1, givenUp: 1 })).toBe(0.75);
  });
});
