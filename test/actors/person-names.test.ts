/** [faults: 367] Which names are of one person: in memory, bounded, without circles. */
import { expect, test } from '@jest/globals';
import { PersonNames } from '../../actors/channel/person-names.ts';

test('a person has one name for all of its names, on its channel alone', () => {
  const names = new PersonNames();
  names.note('a', 'dialled', 'number');
  names.note('a', 'number', 'id');
  expect(['dialled', 'number', 'id', 'other'].map((name) => names.personOf('a', name))).toEqual([
    'id',
    'id',
    'id',
    'other',
  ]);
  expect(names.personOf('b', 'number')).toBe('number');
});

test('the name that was told first stays, whatever upstream tells later, on its channel alone', () => {
  const names = new PersonNames();
  expect(names.firstTold('a', 'number')).toBe('number');
  names.note('a', 'number', 'id');
  names.note('a', 'dialled', 'number');
  names.note('a', 'id', 'later-id');
  expect(['number', 'id', 'dialled', 'later-id', 'other'].map((name) => names.firstTold('a', name))).toEqual([
    'number',
    'number',
    'number',
    'number',
    'other',
  ]);
  expect(names.firstTold('b', 'id')).toBe('id');
});

test('an id that was told before its number stays too', () => {
  const names = new PersonNames();
  expect(names.firstTold('a', 'id')).toBe('id');
  names.note('a', 'number', 'id');
  expect(names.firstTold('a', 'number')).toBe('id');
});

test('a number that somebody else has got is theirs', () => {
  const names = new PersonNames();
  names.note('a', 'number', 'id-1');
  names.note('a', 'number', 'id-2');
  expect(['number', 'id-1'].map((name) => names.personOf('a', name))).toEqual(['id-2', 'id-1']);
});

test('no order of what is told closes a circle', () => {
  const names = new PersonNames();
  for (const [name, sameAs] of [
    ['1', '2'],
    ['3', '1'],
    ['1', '3'],
    ['2', '3'],
    ['2', '1'],
    ['1', '1'],
  ] as const)
    names.note('a', name, sameAs);
  expect(new Set(['1', '2', '3'].map((name) => names.personOf('a', name))).size).toBe(1);
});

test('a channel remembers a thousand names and a node fifty thousand, those that were told last', () => {
  const names = new PersonNames();
  for (let channel = 0; channel < 60; channel += 1)
    for (let n = 0; n < 1_001; n += 1) names.note(`c-${channel}`, `n-${n}`, `id-${n}`);
  expect(names.personOf('c-59', 'n-0')).toBe('n-0');
  expect(names.personOf('c-59', 'n-1')).toBe('id-1');
  expect(names.personOf('c-10', 'n-1')).toBe('id-1');
  expect(names.personOf('c-9', 'n-1')).toBe('n-1');
});
