/** [faults: 112, I11] Who loses a connection when a node has too many. */
import { expect, test } from '@jest/globals';
import { Connections } from '../../src/adapters/realtime/connections.ts';

function connectionsOf(most: number) {
  const ended: string[] = [];
  const connections = new Connections<string>((name) => ended.push(name), most);
  return { connections, ended };
}

test('an account has twenty, and a place again once one is gone', () => {
  const { connections, ended } = connectionsOf(1_000);
  for (let n = 0; n < 20; n += 1) expect(connections.add('a', `a${n}`)).toBe(true);
  expect(connections.add('a', 'one more')).toBe(false);
  connections.remove('a', 'a3');
  connections.remove('a', 'a3');
  expect([connections.add('a', 'another'), connections.add('a', 'one more')]).toEqual([true, false]);
  expect(ended).toEqual([]);
});

test('at the bound the account that holds most loses its oldest, and nobody is kept out', () => {
  const { connections, ended } = connectionsOf(6);
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']) connections.add(name[0] ?? '', name);
  connections.remove('b', 'b2');
  expect([connections.add('c', 'c1'), ended]).toEqual([true, []]);
  expect([connections.add('d', 'd1'), ended]).toEqual([true, ['a1']]);
  expect(connections.add('b', 'b4')).toBe(true);
  expect(ended).toEqual(['a1', 'b1']);
});
