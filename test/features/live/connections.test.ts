/** [faults: 112, 185, I11] Which connection is closed if a node has too many, or buffers too much for them. */
import { describe, expect, test } from '@jest/globals';
import { Connections } from '../../../src/features/live/connections.ts';
import { WriteBufferLimits } from '../../../src/features/live/write-buffer.ts';

function connectionsOf(most: number) {
  const ended: string[] = [];
  const connections = new Connections<string>((name) => ended.push(name), most);
  return { connections, ended };
}

test('an account may have twenty, and another one once one has closed', () => {
  const { connections, ended } = connectionsOf(1_000);
  for (let n = 0; n < 20; n += 1) expect(connections.add('a', `a${n}`)).toBe(true);
  expect(connections.add('a', 'one more')).toBe(false);
  connections.remove('a', 'a3');
  connections.remove('a', 'a3');
  expect([connections.add('a', 'another'), connections.add('a', 'one more')]).toEqual([true, false]);
  expect(ended).toEqual([]);
});

test('at the limit of the node the account with most connections loses its oldest, and no account is locked out', () => {
  const { connections, ended } = connectionsOf(6);
  for (const name of ['a1', 'b1', 'a2', 'b2', 'a3', 'b3']) connections.add(name[0] ?? '', name);
  connections.remove('b', 'b2');
  expect([connections.add('c', 'c1'), ended]).toEqual([true, []]);
  expect([connections.add('d', 'd1'), ended]).toEqual([true, ['a1']]);
  expect(connections.add('b', 'b4')).toBe(true);
  expect(ended).toEqual(['a1', 'b1']);
});

describe('unread bytes', () => {
  function unreadOf(inAll: number) {
    const ended: string[] = [];
    const unread = new WriteBufferLimits<string>((name) => ended.push(name), { ofReader: 10, inAll });
    const note = (name: string, bytes: number): void => unread.note(name.charAt(0), name, bytes);
    return { note, ended };
  }

  test('a reader beyond its limit is disconnected, and its bytes count no more', () => {
    const { note, ended } = unreadOf(15);
    note('a1', 10);
    expect(ended).toEqual([]);
    note('a1', 11);
    note('b1', 10);
    note('c1', 5);
    expect(ended).toEqual(['a1']);
  });

  test('beyond the limit of the node the account that holds most loses its connection with the most bytes', () => {
    const { note, ended } = unreadOf(20);
    note('a1', 3);
    note('a2', 5);
    note('a3', 3);
    note('b1', 9);
    expect(ended).toEqual([]);
    note('c1', 1);
    expect(ended).toEqual(['a2']);
    note('c1', 6);
    expect(ended).toEqual(['a2', 'b1']);
    note('a1', 0);
    note('a3', 0);
    note('d1', 10);
    note('c1', 10);
    expect(ended).toEqual(['a2', 'b1']);
  });
});
