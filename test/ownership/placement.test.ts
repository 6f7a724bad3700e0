/** [architecture §4] The chosen node of a channel, as far as a node knows: every node of every release chooses the same. */
import { describe, expect, test } from '@jest/globals';
import { Homes } from '../../src/ownership/homes.ts';
import { Placement, chooseNode } from '../../src/ownership/placement.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aMember } from './support/members-on-clock.ts';

const three = ['one', 'two', 'three'].map(aMember);
const channels = Array.from({ length: 300 }, (_, n) => `channel-${n}`);
const chosen = (channelId: string, among = three) => chooseNode(channelId, among)?.nodeId;

describe('the chosen node of a channel', () => {
  test('is the same in every release: otherwise two nodes would move the channel back and forth', () => {
    expect(channels.slice(0, 6).map((id) => chosen(id))).toEqual([
      'two',
      'three',
      'one',
      'three',
      'one',
      'two',
    ]);
  });

  test('does not depend on the order in which the nodes are listed', () => {
    const reversed = three.toReversed();
    expect(channels.map((id) => chosen(id, reversed))).toEqual(channels.map((id) => chosen(id)));
  });

  test("changes with a node that leaves only for that node's channels", () => {
    const moved = channels.filter((id) => chosen(id, three.slice(1)) !== chosen(id));
    expect(moved).toEqual(channels.filter((id) => chosen(id) === 'one'));
    expect(moved.length).toBeGreaterThan(50);
  });

  test('is none if there is no node', () => {
    expect(chooseNode('channel-1', [])).toBeNull();
  });
});

describe('a node chooses', () => {
  const [self, second, third] = ['one', 'two', 'three'].map(aMember);
  if (self === undefined || second === undefined || third === undefined) throw new Error('there are three');
  const clock = new FakeClock();
  const homeless = new Homes({ self, clock });
  const placementWith = (linked: string[], placeable = [self, second, third], homes = homeless) =>
    new Placement({
      self,
      homes,
      membership: { placeable: () => placeable },
      links: { get: (incarnation) => (linked.includes(incarnation) ? { send: () => undefined } : undefined) },
    });
  /** `channel-0` belongs to two, then to one or three. */
  const all = placementWith([second.incarnation, third.incarnation]);

  test('among the nodes that it can reach', () => {
    expect(all.nodeFor('channel-0')).toBe(second);
    expect(placementWith([third.incarnation]).nodeFor('channel-0')).not.toBe(second);
    expect(channels.map((id) => placementWith([]).nodeFor(id))).toEqual(channels.map(() => self));
  });

  test('among the nodes that take channels; none if there is none', () => {
    expect(placementWith([second.incarnation, third.incarnation], [third]).nodeFor('channel-0')).toBe(third);
    expect(placementWith([], []).nodeFor('channel-0')).toBeNull();
  });

  test('none that was tried already, except for itself', () => {
    expect(all.nodeFor('channel-0', new Set([second.incarnation]))).not.toBe(second);
    expect(all.nodeFor('channel-2', new Set([self.incarnation]))).toBe(self);
  });

  test('the home of a channel that followed its sends, as long as it takes channels and is reached', () => {
    const homes = new Homes({ self, clock });
    homes.settle('channel-0');
    homes.give('channel-2', third.incarnation);
    const everyone = [second.incarnation, third.incarnation];
    const chosenWith = (linked: string[], placeable = [self, second, third]) =>
      ['channel-0', 'channel-2'].map((id) => placementWith(linked, placeable, homes).nodeFor(id)?.nodeId);
    expect(chosenWith(everyone)).toEqual(['one', 'three']);
    expect(chosenWith([second.incarnation])).toEqual(['one', chosen('channel-2', [self, second])]);
    expect(chosenWith(everyone, [second])).toEqual(['two', 'two']);
  });

  test('itself or another, and knows which', () => {
    expect([all.isSelf(self), all.isSelf(second), all.isSelf(null)]).toEqual([true, false, false]);
  });
});
