/** Tries to register a number. [upstream §2.4] */
import { expect, test } from '@jest/globals';
import {
  allowedAt,
  explainHurdle,
  gapMs,
  triesWithin,
  waitAfter,
} from '../../src/rules/channels/registration.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each([
  ['not_verified', /^The number is not verified: .*WhatsApp Manager.*by itself$/, [10 * minute, hour]],
  [
    'name_pending',
    /^Upstream is still processing the number's display name.*WhatsApp Manager$/,
    [10 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour, day],
  ],
  ['wrong_pin', /two-step verification PIN that the service does not know.*rarely$/, [day, 3 * day]],
  ['too_many_pins', /too many wrong PINs.*in three days$/, [3 * day]],
  ['pins_too_fast', /wrong PINs for the number too quickly.*in a day$/, [day]],
  ['deleted_recently', /deleted at upstream a moment ago.*five minutes$/, [6 * minute, 15 * minute, hour]],
  ['limited', /^The number was registered too often.*72 hours.*then$/, [3 * day]],
  [
    'unanswered',
    /^Upstream has not registered the number yet.*by itself$/,
    [2 * minute, 10 * minute, hour, 6 * hour, day],
  ],
] as const)('%s is explained, and tried again later each time', (hurdle, sentence, waits) => {
  expect(explainHurdle(hurdle, null)).toMatch(sentence);
  expect(explainHurdle(hurdle, 'no such PIN')).toBe(`${explainHurdle(hurdle, null)} (no such PIN)`);
  expect(waits.map((_, tries) => waitAfter(hurdle, tries + 1))).toEqual(waits);
  expect(waitAfter(hurdle, 0)).toBe(waits[0]);
  expect(waitAfter(hurdle, 100)).toBe(waits.at(-1));
});

test('a call counts for three days', () => {
  expect(triesWithin(null, 5)).toEqual([]);
  expect(triesWithin([1, 2, 3], 3 * day + 2)).toEqual([3]);
});

test('the next call is a minute after the last', () => {
  expect(allowedAt(null, 1)).toBeNull();
  expect(allowedAt([day], day + gapMs - 1)).toBe(day + minute);
  expect(allowedAt([day], day + gapMs)).toBeNull();
});

test('[faults: 451] a call of a node whose clock is ahead delays the next one by no more than a minute', () => {
  expect(allowedAt([day + 8 * hour], day)).toBeNull();
  expect(allowedAt([day + 1], day)).toBe(day + 1 + minute);
});

test('of ten calls in three days eight are made', () => {
  const tries = Array.from({ length: 9 }, (_, index) => day + index * hour);
  const [oldest = 0, second = 0] = tries;
  expect(allowedAt(tries.slice(0, 7), 2 * day)).toBeNull();
  expect(allowedAt(tries.slice(0, 8), 2 * day)).toBe(oldest + 3 * day);
  expect(allowedAt(tries, 2 * day)).toBe(second + 3 * day);
  expect(allowedAt(tries.slice(0, 8), oldest + 3 * day)).toBeNull();
});
