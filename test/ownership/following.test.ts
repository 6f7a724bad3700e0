/** [operating/deploying, By API key] When a channel follows its sends to the node that they reach. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Following } from '../../src/ownership/following.ts';
import { Homes } from '../../src/ownership/homes.ts';
import type { Figures } from '../../src/kernel/metrics.ts';
import type { Member } from '../../src/ownership/member.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aMember } from './support/members-on-clock.ts';

const channelId = 'channel-1';
const minuteMs = 60_000;

let clock: FakeClock;
let self: Member;
let homes: Homes;
let members: Member[];
/** The channels that are live on each peer, as it told; null: it is of an earlier build. */
let owned: Map<string, number | null>;
let size: number;
let isLive: boolean;
let isIdle: boolean;
let figures: Figures;
let canMove: boolean;
let given: string[][];
let acquired: string[];
let counted: string[];
let following: Following;

const [two, three] = [aMember('two'), aMember('three')];

beforeEach(() => {
  clock = new FakeClock();
  self = aMember('self');
  homes = new Homes({ self, clock });
  members = [self, two, three];
  owned = new Map([two, three].map(({ incarnation }) => [incarnation, 10]));
  [size, isLive, isIdle, canMove] = [10, true, true, true];
  figures = {};
  [given, acquired, counted] = [[], [], []];
  const linkTo = (incarnation: string) => ({
    get owns() {
      return owned.get(incarnation) ?? null;
    },
    set owns(count: number | null) {
      owned.set(incarnation, count);
    },
  });
  following = new Following({
    self,
    clock,
    homes,
    membership: { placeable: () => members },
    links: { get: (incarnation) => (owned.has(incarnation) ? linkTo(incarnation) : undefined) },
    host: {
      get size() {
        return size;
      },
      live: () => (isLive ? { isIdle, figures } : undefined),
    },
    rebalancer: {
      give(channel, to) {
        given.push([channel, to]);
        homes.give(channel, to);
      },
      acquired: (channel) => void acquired.push(channel),
    },
    counters: { increment: (name) => void counted.push(name) },
    canMove: () => canMove,
  });
});

/** Sends in this order, each over the link from the node, or without one. */
function sends(count: number, ...from: (Member | 'here')[]): void {
  for (let n = 0; n < count; n += 1) {
    const by = from[n % from.length];
    if (by === 'here' || by === undefined) following.sentHere(channelId);
    else following.sentFor(by.incarnation, channelId);
  }
}

const toTwo = [[channelId, two.incarnation]];

describe('a channel follows its sends', () => {
  test('to the node that has brought sixteen in a row', () => {
    sends(15, two);
    expect(given).toEqual([]);
    sends(1, two);
    expect([given, counted]).toEqual([toTwo, ['channels_followed_total']]);
  });

  test('although one of ten reaches another node', () => {
    const oneOfTen = [...Array<Member>(19).fill(two), three];
    sends(20, ...oneOfTen);
    expect(given).toEqual(toTwo);
  });

  test.each<[string, (Member | 'here')[]]>([
    ['the three nodes in turn', [two, three, 'here']],
    ['the two other nodes in turn', [two, three]],
    ['this node and another in turn', [two, 'here']],
    ['this node once in fifteen', [...Array<Member>(14).fill(two), 'here']],
  ])('to nobody while they reach %s', (_words, order) => {
    sends(10_000, ...order);
    expect(given).toEqual([]);
  });

  test('once in a minute, whoever brings them', () => {
    sends(16, two);
    sends(1_000, three);
    expect(given).toEqual(toTwo);
    clock.advance(minuteMs - 1);
    sends(1, three);
    expect(given).toEqual(toTwo);
    clock.advance(1);
    sends(1, three);
    expect(given).toEqual([...toTwo, [channelId, three.incarnation]]);
  });

  test('not within a minute after it came here', () => {
    homes.settle(channelId);
    sends(1_000, two);
    expect(given).toEqual([]);
    clock.advance(minuteMs);
    sends(1, two);
    expect(given).toEqual(toTwo);
  });

  test('while nothing of it is in flight; with the sixty-fourth in any case', () => {
    isIdle = false;
    sends(63, two);
    expect(given).toEqual([]);
    sends(1, two);
    expect(given).toEqual(toTwo);
  });

  test.each<Figures>([
    { sends_oldest_open_seconds: 5 },
    { deliveries_oldest_pending_seconds: 5 },
    { sends_waiting: 1 },
  ])('not while it is busy with %j: its sends would have to wait, or would be refused', (busy) => {
    [isIdle, figures] = [false, busy];
    sends(1_000, two);
    expect(given).toEqual([]);
    figures = { sends_oldest_open_seconds: 4.9, deliveries_oldest_pending_seconds: 4.9 };
    sends(1, two);
    expect(given).toEqual(toTwo);
  });

  test.each<[string, () => unknown]>([
    ['that drains', () => (members = [self, three])],
    ['of an earlier build', () => owned.set(two.incarnation, null)],
    ['without a link', () => owned.delete(two.incarnation)],
    ['while this one drains', () => (self.draining = true)],
    ['while Redis does not answer', () => (canMove = false)],
  ])('not to a node %s', (_words, arrange) => {
    arrange();
    sends(1_000, two);
    expect([given, counted]).toEqual([[], []]);
  });
});

describe('a channel that is not live when a send comes', () => {
  const comes = (from: Member): boolean => following.givesIdle(from.incarnation, channelId);

  beforeEach(() => {
    isLive = false;
  });

  test('follows after two sends from that node, and the third is its', () => {
    const first: boolean[] = [];
    for (let n = 0; n < 2; n += 1) {
      first.push(comes(two));
      following.sentFor(two.incarnation, channelId);
    }
    expect([first, given]).toEqual([[false, false], []]);
    expect(comes(two)).toBe(true);
    expect([given, counted]).toEqual([toTwo, ['channels_followed_total']]);
    expect(comes(two)).toBe(false);
  });

  test.each<[string, () => unknown]>([
    ['the last came from another node', () => sends(2, two, three)],
    ['the last reached this node', () => sends(3, two, two, 'here')],
    ['it is live', () => ((isLive = true), sends(2, two))],
    ['the node drains', () => ((members = [self, three]), sends(2, two))],
    ['it has moved just now', () => (homes.settle(channelId), sends(2, two))],
  ])('stays if %s', (_words, arrange) => {
    arrange();
    expect([comes(two), given, counted]).toEqual([false, [], []]);
  });
});

describe('a node gets', () => {
  /** Gives as many channels as possible to node two; returns how many. */
  const giveAll = (count: number): number => {
    for (let channel = 0; channel < count; channel += 1)
      for (let n = 0; n < 16; n += 1) following.sentFor(two.incarnation, `channel-${channel}`);
    return given.length;
  };

  test('no more than half as many channels again as its share, so that one account does not fill it', () => {
    owned.set(two.incarnation, 100);
    owned.set(three.incarnation, 100);
    size = 100;
    // Its share grows by a third of each, as this node still has those that it is giving away.
    expect(giveAll(300)).toBe(100);
  });

  test('sixteen in any case', () => {
    owned.set(two.incarnation, 0);
    owned.set(three.incarnation, 0);
    size = 1;
    expect(giveAll(100)).toBe(16);
  });

  test('six hundred a minute from each other node', () => {
    owned.set(three.incarnation, 100_000);
    expect(giveAll(2_000)).toBe(600);
    clock.advance(minuteMs);
    following.sentFor(two.incarnation, 'channel-700');
    expect(given.length).toBe(601);
  });
});

describe('a channel that followed its sends here', () => {
  beforeEach(() => {
    homes.settle(channelId);
    clock.advance(minuteMs);
  });

  test('stays while most of its sends reach this node', () => {
    sends(10_000, two, 'here', 'here', 'here');
    expect([homes.isHere(channelId), given, acquired]).toEqual([true, [], []]);
  });

  test('goes where placement puts it once its sends reach the nodes in turn', () => {
    sends(61, two, three, 'here');
    expect([homes.isHere(channelId), acquired]).toEqual([true, []]);
    sends(1, three);
    expect([homes.isHere(channelId), given, acquired]).toEqual([false, [], [channelId]]);
  });
});

test('a send that needs no link leaves nothing behind, and ends what is left', () => {
  sends(1, two);
  sends(2, 'here');
  sends(15, two);
  expect(given).toEqual([]);
  sends(1, two);
  expect(given).toEqual(toTwo);
});
