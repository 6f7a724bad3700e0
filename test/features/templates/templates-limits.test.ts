import { describe, expect, test } from '@jest/globals';
import { dayMs, hourMs } from '../../../src/kernel/clock.ts';
import {
  creationWindows,
  editWindows,
  freeAt,
  limitKeys,
  stillCounting,
} from '../../../src/rules/templates/limits.ts';
import type { Use } from '../../../src/rules/templates/limits.ts';
import { canChangeCategory, isEditable, isSendable } from '../../../src/rules/templates/template.ts';

const windows = {
  templateCreateWindowMs: hourMs,
  templateEditCooldownMs: dayMs,
  templateEditWindowMs: 30 * dayMs,
  templateNameBlockMs: 30 * dayMs,
};

function usesAt(...times: number[]): Use[] {
  return times.map((at) => ({ id: `use-${at}`, at }));
}

describe('limits [spec: Limits]', () => {
  test('the hundredth creation of an hour is accepted, the next one once the first is an hour old', () => {
    const first99 = usesAt(...Array.from({ length: 99 }, (_, at) => at));
    expect(freeAt(first99, creationWindows(windows), 1_000)).toBe(1_000);
    expect(freeAt([...first99, ...usesAt(500)], creationWindows(windows), 1_000)).toBe(hourMs);
    expect(freeAt([...first99, ...usesAt(500)], creationWindows(windows), hourMs)).toBe(hourMs);
  });

  test('an approved template is edited once a day and ten times in thirty days', () => {
    expect(freeAt([], editWindows(windows), 5)).toBe(5);
    expect(freeAt(usesAt(0), editWindows(windows), 5)).toBe(dayMs);
    const daily = usesAt(...Array.from({ length: 10 }, (_, at) => at * dayMs));
    expect(freeAt(daily, editWindows(windows), 11 * dayMs)).toBe(30 * dayMs);
    expect(freeAt(daily.slice(1), editWindows(windows), 11 * dayMs)).toBe(11 * dayMs);
  });

  test('uses that no longer count are dropped', () => {
    const uses = usesAt(0, 10, 20);
    expect(stillCounting(uses, [{ ms: 100, max: 5 }], 105)).toEqual(usesAt(10, 20));
    expect(stillCounting(uses, [{ ms: 100, max: 2 }], 50)).toEqual(usesAt(10, 20));
  });
});

test.each([
  ['APPROVED', true, true, false],
  ['REJECTED', true, false, true],
  ['PAUSED', true, false, true],
  ['PENDING', false, false, false],
  ['DISABLED', false, false, false],
  ['LOCKED', false, false, false],
  ['A_WORD_OF_TOMORROW', false, false, false],
])(
  '%s: editable %s, sendable %s, category may change %s [spec: Template status]',
  (status, edit, send, category) => {
    const template = { status };
    expect([isEditable(template), isSendable(template), canChangeCategory(template)]).toEqual([
      edit,
      send,
      category,
    ]);
  },
);

describe('the uses that count', () => {
  const two = [
    { ms: 100, max: 2 },
    { ms: 10, max: 1 },
  ];

  test('end at the moment at which another one is free', () => {
    expect(stillCounting(usesAt(0, 1), two, 100)).toEqual(usesAt(1));
  });

  test('are the newest, in the order of their times', () => {
    expect(stillCounting(usesAt(3, 1, 2), two, 50)).toEqual(usesAt(2, 3));
  });
});

test('each limit of each business account has its own counter, under the stored names', () => {
  expect([
    limitKeys.creations('7'),
    limitKeys.edits('7', '9'),
    limitKeys.deleted('7', 'order_ready'),
    limitKeys.name('7', 'order_ready'),
    limitKeys.language('7', 'order_ready', 'de'),
  ]).toEqual([
    'create:7',
    'edit:7:9',
    'deleted:7:order_ready',
    'name:7:order_ready',
    'name:7:order_ready:de',
  ]);
});
