/** [architecture §4] Where a channel belongs, as far as a node knows: every node, of every release, finds the same place. */
import { describe, expect, test } from '@jest/globals';
import { Placement, chooseNode } from '../../src/cluster/placement.ts';
import { aMember } from './support/members-on-clock.ts';

const three = ['one', 'two', 'three'].map(aMember);
const channels = Array.from({ length: 300 }, (_, n) => `channel-${n}`);
const chosen = (channelId: string, among = three) => chooseNode(channelId, among)?.nodeId;

describe('the node of a channel', () => {
  test('is that of every release: two that choose otherwise would hand a channel to and fro', () => {
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

  test('changes with a node that leaves for the channels of that node alone', () => {
    const moved = channels.filter((id) => chosen(id, three.slice(1)) !== chosen(id));
    expect(moved).toEqual(channels.filter((id) => chosen(id) === 'one'));
    expect(moved.length).toBeGreaterThan(50);
  });

  test('is none where there is no node', () => {
    expect(chooseNode('channel-1', [])).toBeNull();
  });
});

describe('a node chooses', () => {
  const [self, second, third] = ['one', 'two', 'three'].map(aMember);
  if (self === undefined || second === undefined || third === undefined) throw new Error('there are three');
  const placementWith = (linked: string[], placeable = [self, second, third]) =>
    new Placement({
      self,
      membership: { placeable: () => placeable },
      links: { get: (incarnation) => (linked.includes(incarnation) ? { send: () => undefined } : undefined) },
    });
  /** `channel-0` belongs to two, then to one or three. */
  const all = placementWith([second.incarnation, third.incarnation]);

  test('among those that it can reach', () => {
    expect(all.nodeFor('channel-0')).toBe(second);
    expect(placementWith([third.incarnation]).nodeFor('channel-0')).not.toBe(second);
    expect(channels.map((id) => placementWith([]).nodeFor(id))).toEqual(channels.map(() => self));
  });

  test('among those that take channels, none if there is none', () => {
    expect(placementWith([second.incarnation, third.incarnation], [third]).nodeFor('channel-0')).toBe(third);
    expect(placementWith([], []).nodeFor('channel-0')).toBeNull();
  });

  test('no other that was tried, and itself all the same', () => {
    expect(all.nodeFor('channel-0', new Set([second.incarnation]))).not.toBe(second);
    expect(all.nodeFor('channel-2', new Set([self.incarnation]))).toBe(self);
  });

  test('itself or another, and knows which', () => {
    expect([all.isSelf(self), all.isSelf(second), all.isSelf(null)]).toEqual([true, false, false]);
  });
});
