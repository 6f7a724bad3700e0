/** What a channel's receiver is told of a template. [spec: Additions, What changed] */
import { expect, test } from '@jest/globals';
import { templateChanges } from '../../src/rules/templates/changes.ts';
import { newYear, templateOf } from './samples.ts';

const template = templateOf({ status: 'PENDING', category: 'UTILITY', quality: 'GREEN' });
const write = { version: 2, at: newYear, reason: 'INVALID_FORMAT' };

function told(
  before: Parameters<typeof templateChanges>[0],
  after: Parameters<typeof templateChanges>[1],
): unknown[] {
  return templateChanges(before, after, write).map(({ changed, before: was, after: is, reason }) => [
    changed,
    was,
    is,
    reason,
  ]);
}

test.each([
  [{ status: 'REJECTED' }, [['status', 'PENDING', 'REJECTED', 'INVALID_FORMAT']]],
  [{ category: 'MARKETING' }, [['category', 'UTILITY', 'MARKETING', null]]],
  [{ quality: 'RED' }, [['quality', 'GREEN', 'RED', null]]],
  [{ quality: 'UNKNOWN' }, [['quality', 'GREEN', 'UNKNOWN', null]]],
  [{ quality: null }, [['quality', 'GREEN', null, null]]],
  [{ status: 'PENDING', category: 'UTILITY', quality: 'GREEN' }, []],
  [{}, []],
  [
    { status: 'APPROVED', category: 'MARKETING' },
    [
      ['status', 'PENDING', 'APPROVED', 'INVALID_FORMAT'],
      ['category', 'UTILITY', 'MARKETING', null],
    ],
  ],
])('%j is told as %j', (after, said) => {
  expect(told(template, after)).toEqual(said);
});

test('no score yet is no change of a template without one', () => {
  expect(told({ ...template, quality: null }, { quality: 'UNKNOWN' })).toEqual([]);
  expect(told({ ...template, quality: null }, { quality: 'GREEN' })).toEqual([
    ['quality', null, 'GREEN', null],
  ]);
});

test('the id is of the template, the part, the version and the time', () => {
  const idOf = (id: string, version: number, at: number): string[] =>
    templateChanges(
      { ...template, id },
      { status: 'APPROVED', category: 'X' },
      { ...write, version, at },
    ).map((change) => {
      expect(change.at).toBe(at);
      return change.id;
    });
  expect(idOf('t', 1, 5)).toEqual(idOf('t', 1, 5));
  const ids = [idOf('t', 1, 5), idOf('u', 1, 5), idOf('t', 2, 5), idOf('t', 1, 6)].flat();
  expect(new Set(ids).size).toBe(8);
});
