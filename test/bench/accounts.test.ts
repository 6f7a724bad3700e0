import { describe, expect, test } from '@jest/globals';
import { longestGap } from '../../bench/load/arrivals.ts';
import { Timetable } from '../../bench/load/timetable.ts';
import { eventKey, Ledger, sentenceOf } from '../../bench/measure/ledger.ts';
import { slopePerMinute } from '../../bench/measure/stats.ts';
import { together } from '../../bench/scenarios/nodes.ts';

describe('the balance of one busy number', () => {
  const delivered = eventKey('message.delivered', 'a');

  test('is correct if every accepted send reached upstream once, and each of its events arrived once', () => {
    const ledger = new Ledger();
    ledger.asked();
    ledger.answered('accepted', 'a');
    ledger.offered(delivered);
    ledger.taken(delivered);
    ledger.arrived(eventKey('message.sent', 'a'));
    ledger.arrived(delivered);
    expect(ledger.account(['a'])).toEqual({
      sends: { asked: 1, accepted: 1, refused: 0, unanswered: 0 },
      upstream: { accepted: 1, unanswered: 0, missing: 0, twice: 0 },
      posts: { offered: 1, taken: 1, refused: 0 },
      events: { expected: 2, delivered: 2, lost: 0, twice: 0, unasked: 0 },
    });
  });

  test('missing events are lost, repeated ones are duplicates, and both are reported', () => {
    const ledger = new Ledger();
    ledger.answered('accepted', 'a');
    ledger.answered('accepted', 'b');
    ledger.arrived(eventKey('message.sent', 'a'));
    ledger.arrived(eventKey('message.sent', 'a'));
    const account = ledger.account(['a', 'a']);
    expect(account.upstream).toEqual({ accepted: 1, unanswered: 0, missing: 1, twice: 1 });
    expect(account.events).toMatchObject({ expected: 2, delivered: 1, lost: 1, twice: 1 });
    expect(sentenceOf(account)).toContain('1 lost, 1 twice');
  });

  test('a refused POST requires no event, and an event that arrives nevertheless is no error', () => {
    const ledger = new Ledger();
    ledger.offered(delivered);
    ledger.refused();
    ledger.arrived(delivered);
    expect(ledger.account([]).events).toEqual({ expected: 0, delivered: 0, lost: 0, twice: 0, unasked: 0 });
  });

  test('an event without a cause is found', () => {
    const ledger = new Ledger();
    ledger.arrived(eventKey('message.read', 'stranger'));
    expect(ledger.account([]).events.unasked).toBe(1);
  });

  test('a send without an answer that reached upstream does not count as accepted', () => {
    const ledger = new Ledger();
    ledger.answered('unanswered', null);
    expect(ledger.account(['x']).upstream).toEqual({ accepted: 0, unanswered: 1, missing: 0, twice: 0 });
  });
});

test('a timetable returns what is due, once, first in first out', () => {
  const timetable = new Timetable<string>([10, 100]);
  timetable.add(0, 'a', 0);
  timetable.add(1, 'late', 0);
  timetable.add(0, 'b', 5);
  expect(timetable.due(9)).toEqual([]);
  expect(timetable.due(15)).toEqual(['a', 'b']);
  expect(timetable.due(15)).toEqual([]);
  expect(timetable.size).toBe(1);
  expect(timetable.due(100)).toEqual(['late']);
});

describe('slopes and gaps', () => {
  const line = (perSecond: number) =>
    Array.from({ length: 60 }, (_, n) => ({ atMs: n * 1_000, value: 100 + n * perSecond }));

  test('memory that grows 1 MB a second grows 60 a minute; a jump and back is no slope', () => {
    expect(slopePerMinute(line(1))).toBeCloseTo(60);
    expect(slopePerMinute(line(0))).toBe(0);
    expect(slopePerMinute([])).toBe(0);
  });

  test('the longest time without a success is the one that ended after the fault', () => {
    expect(longestGap([0, 500, 510, 600, 610], 505)).toBe(90);
    expect(longestGap([0, 10], 505)).toBe(0);
  });

  test('concurrent loads are added, and are as slow as the slowest of them', () => {
    const part = { units: 10, failed: 1, perSecond: 5, p50Ms: 3, p99Ms: 9 };
    expect(together([part, { ...part, p99Ms: 20 }])).toEqual({
      units: 20,
      failed: 2,
      perSecond: 10,
      p50Ms: 3,
      p99Ms: 20,
    });
  });
});
