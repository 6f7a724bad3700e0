import { beforeEach, expect, test } from '@jest/globals';
import { Homes } from '../../src/ownership/homes.ts';
import { FakeClock } from '../support/fake-clock.ts';

let clock: FakeClock;
let homes: Homes;

beforeEach(() => {
  clock = new FakeClock();
  homes = new Homes({ self: { incarnation: 'self:1' }, clock });
});

test('a channel that never moved has no home', () => {
  expect([homes.of('c'), homes.isHere('c'), homes.givenTo('c')]).toEqual([undefined, false, undefined]);
  expect(homes.hasMovedWithin('c', 60_000)).toBe(false);
});

test('a channel that was given to this node is at home here, until another node is found to own it', () => {
  homes.settle('c');
  homes.leave('c'); // the store still names the node that gave it
  clock.advance(1_000_000);
  expect([homes.of('c'), homes.isHere('c'), homes.givenTo('c')]).toEqual(['self:1', true, undefined]);
  homes.leave('c');
  expect([homes.of('c'), homes.isHere('c')]).toEqual([undefined, false]);
});

test('a channel that this node gave away is at home there for five seconds, whoever is found to own it', () => {
  homes.give('c', 'two:1');
  homes.leave('c');
  clock.advance(4_999);
  expect([homes.of('c'), homes.isHere('c'), homes.givenTo('c')]).toEqual(['two:1', false, 'two:1']);
  clock.advance(1);
  expect([homes.of('c'), homes.givenTo('c')]).toEqual([undefined, undefined]);
});

test('when a channel moved last is remembered, whatever became of it', () => {
  homes.settle('c');
  clock.advance(6_000);
  homes.leave('c');
  expect([homes.hasMovedWithin('c', 6_001), homes.hasMovedWithin('c', 6_000)]).toEqual([true, false]);
  homes.give('c', 'two:1');
  expect(homes.hasMovedWithin('c', 1)).toBe(true);
});
