/** [faults: 92, I11] What nobody has vouched for is bounded, all posts together. */
import { expect, test } from '@jest/globals';
import { BodyRoom } from '../../src/http/middleware/body-room.ts';

test('beyond the bound the one goes that has been on its way for longest', () => {
  let refusals = 0;
  const room = new BodyRoom(() => (refusals += 1), 100);
  const gone: string[] = [];
  const [slow, other, late] = ['slow', 'other', 'late'].map((name) => room.begin(() => void gone.push(name)));
  if (slow === undefined || other === undefined || late === undefined) throw new Error('no reading');
  room.grow(slow, 60);
  room.grow(other, 40);
  expect([gone, room.taken]).toEqual([[], 100]);
  room.grow(late, 1);
  expect([gone, room.taken, refusals]).toEqual([['slow'], 41, 1]);
  room.grow(slow, 1_000); // what it still sends counts no more
  expect([gone, room.taken]).toEqual([['slow'], 41]);
  room.end(slow);
  room.end(other);
  room.end(late);
  expect(room.taken).toBe(0);
});

test('one that is larger than the room goes itself', () => {
  const room = new BodyRoom(undefined, 100);
  let isGone = false;
  const large = room.begin(() => (isGone = true));
  room.grow(large, 101);
  expect([isGone, room.taken]).toEqual([true, 0]);
});
