import { expect, test } from '@jest/globals';
import { SparseMap } from '../../src/kernel/sparse-map.ts';

test('it is a map: a value is there, in order, until it is deleted', () => {
  const map = new SparseMap<string, string>();
  for (const letter of ['b', 'a']) map.set(letter, letter);
  map.set('c', 'C');
  map.set('b', 'B');
  expect([...map]).toEqual(Object.entries({ b: 'B', a: 'a', c: 'C' }));
  map.delete('a');
  expect([map.size, map.has('a'), map.get('a'), map.get('c')]).toEqual([2, false, undefined, 'C']);
  expect([...map.keys(), ...map.values()]).toEqual(['b', 'c', 'B', 'C']);
});

test('if it is emptied during an iteration, it is like new', () => {
  const map = new SparseMap<number, number>();
  for (const number of [1, 2]) map.set(number, number);
  for (const number of map.keys()) map.delete(number);
  map.delete(3);
  expect([map.size, map.has(1), map.get(1)]).toEqual([0, false, undefined]);
  expect([...map, ...map.keys(), ...map.values()]).toEqual([]);
  map.set(4, 4);
  expect([...map.keys()]).toEqual([4]);
  map.clear();
  expect(map.size).toBe(0);
});

test('a single entry can be overwritten, iterated and deleted, and a second one added', () => {
  const map = new SparseMap<string, number>();
  map.set('a', 1);
  map.set('a', 2);
  expect([map.size, map.has('a'), map.get('a'), map.has('b'), map.get('b')]).toEqual([
    1,
    true,
    2,
    false,
    undefined,
  ]);
  expect([[...map], [...map.keys()], [...map.values()]]).toEqual([[['a', 2]], ['a'], [2]]);
  map.delete('b');
  map.set('b', 3);
  map.delete('a');
  expect([...map]).toEqual([['b', 3]]);
  map.delete('b');
  expect([map.size, [...map]]).toEqual([0, []]);
});
