/** [architecture §4] Channels that move without a request: from a dead node, to a new node, from one that leaves. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Homes } from '../../src/ownership/homes.ts';
import type { Member } from '../../src/ownership/member.ts';
import { Rebalancer } from '../../src/ownership/rebalancer.ts';
import type { Frame } from '../../src/ownership/wire.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { aMember } from './support/members-on-clock.ts';

const [dead, other] = ['dead:1', aMember('other')];
const [settleMs, againMs] = [1_000, 500];
const wake = { type: 'wake' };

let clock: FakeClock;
let self: Member;
/** The chosen node of a channel if it is another one; null: no node takes channels. */
let elsewhere: Map<string, Member | null>;
let placed: number;
/** The channels of this node. */
let keys: string[];
/** The channels of the dead node; an error: the store does not answer. */
let claimed: string[] | Error;
let activated: string[];
let handedOver: string[];
/** Runs while a channel is activated or handed over. */
let meanwhile: (channelId: string) => Promise<void>;
let sent: [string, Frame][];
let isLinked: boolean;
let canMove: boolean;
/** Whether the dead node is a member again. */
let isBack: boolean;
let orphans: number;
let told: Record<string, unknown>[];
let homes: Homes;
let rebalancer: Rebalancer;

beforeEach(() => {
  clock = new FakeClock();
  self = aMember('self');
  elsewhere = new Map();
  [keys, claimed] = [[], []];
  [activated, handedOver, sent, told] = [[], [], [], []];
  [placed, orphans] = [0, 0];
  [isLinked, canMove, isBack] = [true, true, false];
  meanwhile = async () => undefined;
  homes = new Homes({ self, clock });
  rebalancer = new Rebalancer({
    self,
    homes,
    clock,
    host: {
      keys: () => keys,
      live: (channelId) => (keys.includes(channelId) ? {} : undefined),
      async activate(channelId) {
        activated.push(channelId);
        await meanwhile(channelId);
      },
      async handOver(channelId) {
        handedOver.push(channelId);
        await meanwhile(channelId);
      },
    },
    membership: { find: (incarnation) => (isBack && incarnation === dead ? self : undefined) },
    owners: {
      async ownedBy(incarnation) {
        if (claimed instanceof Error) throw claimed;
        return incarnation === dead ? claimed : [];
      },
    },
    placement: {
      nodeFor(channelId) {
        placed += 1;
        return elsewhere.has(channelId) ? (elsewhere.get(channelId) ?? null) : self;
      },
      isSelf: (owner) => owner === self,
    },
    links: {
      get: (incarnation) =>
        isLinked ? { send: (frame: Frame) => void sent.push([incarnation, frame]) } : undefined,
    },
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
    canMove: () => canMove,
    onOrphans: () => void (orphans += 1),
  });
});

const channels = (count: number): string[] => Array.from({ length: count }, (_, n) => `channel-${n}`);
/** Resolves once every promise has run that no timer holds. */
const settled = () => clock.pass(0);

/** Holds activations and hand-overs until they are released. */
function held() {
  const waiting: (() => void)[] = [];
  meanwhile = () => new Promise((resolve) => waiting.push(resolve));
  return {
    letGo: () => {
      for (const go of waiting.splice(0)) go();
      return settled();
    },
  };
}

describe('the channels of a dead node', () => {
  test('are taken over if this is their chosen node', async () => {
    claimed = channels(3);
    elsewhere.set('channel-1', other);
    clock.advance(5);
    meanwhile = async () => clock.advance(20);
    await rebalancer.takeOver(dead);
    expect([activated, orphans]).toEqual([['channel-0', 'channel-2'], 1]);
    expect(told).toMatchObject([
      { level: 'info', msg: 'node.taken-over', from: dead, channels: 2, taken: 2, ms: 40 },
    ]);
  });

  test('that another node has by now are counted as not taken', async () => {
    claimed = channels(2);
    meanwhile = async (channelId) => {
      if (channelId === 'channel-0') throw new Error('another node has it');
    };
    await rebalancer.takeOver(dead);
    expect(told).toMatchObject([{ msg: 'node.taken-over', channels: 2, taken: 1 }]);
  });

  test('that all belong to other nodes are not logged; some may be without an owner nevertheless', async () => {
    claimed = channels(1);
    elsewhere.set('channel-0', other);
    await rebalancer.takeOver(dead);
    expect([activated, told, orphans]).toEqual([[], [], 1]);
  });

  test('are taken over two hundred at a time', async () => {
    claimed = channels(400);
    const { letGo } = held();
    const taking = rebalancer.takeOver(dead);
    const sizes: number[] = [];
    for (let batch = 0; batch < 2; batch += 1) {
      await settled();
      sizes.push(activated.length);
      await letGo();
    }
    await taking;
    expect(sizes).toEqual([200, 400]);
  });

  test('are taken over once, however often the node is found dead meanwhile', async () => {
    claimed = channels(1);
    const { letGo } = held();
    const taking = rebalancer.takeOver(dead);
    await rebalancer.takeOver(dead);
    await settled();
    await letGo();
    await taking;
    expect([activated, orphans]).toEqual([['channel-0'], 1]);
    const again = rebalancer.takeOver(dead);
    await settled();
    await letGo();
    await again;
    expect([activated.length, orphans]).toEqual([2, 2]);
  });

  test('are taken over a moment later if the store does not answer now', async () => {
    claimed = new StoreUnavailable('away');
    await rebalancer.takeOver(dead);
    expect(told).toMatchObject([
      { level: 'warn', msg: 'takeover.failed', from: dead, error: { message: 'away' } },
    ]);
    expect(orphans).toBe(1);
    claimed = channels(1);
    await clock.pass(againMs - 1);
    expect(activated).toEqual([]);
    await clock.pass(1);
    expect(activated).toEqual(['channel-0']);
  });

  test('are looked at until none is left, because other nodes may place them otherwise for a moment', async () => {
    claimed = channels(1);
    elsewhere.set('channel-0', other);
    await rebalancer.takeOver(dead);
    await clock.pass(againMs);
    expect(activated).toEqual([]);
    elsewhere.clear();
    await clock.pass(againMs);
    expect(activated).toEqual(['channel-0']);
    claimed = [];
    await clock.pass(againMs);
    expect(clock.pending).toBe(0);
  });

  test.each<[string, () => void]>([
    ['stops', () => rebalancer.stop()],
    ['sees the dead node among the members again', () => (isBack = true)],
  ])('are not looked at again by a node that %s', async (_words, happens) => {
    claimed = channels(1);
    await rebalancer.takeOver(dead);
    happens();
    await clock.pass(againMs);
    expect([activated, clock.pending]).toEqual([['channel-0'], 0]);
  });

  test.each<[string, () => void]>([
    ['drains', () => void (self.draining = true)],
    ['stops', () => rebalancer.stop()],
  ])('are left alone by a node that %s, from the next two hundred on', async (_words, leaves) => {
    claimed = channels(401);
    const { letGo } = held();
    const taking = rebalancer.takeOver(dead);
    await settled();
    leaves();
    await letGo();
    await taking;
    expect(activated).toHaveLength(200);
    [activated.length, orphans] = [0, 0];
    await rebalancer.takeOver(dead);
    expect([activated, orphans]).toEqual([[], 0]);
  });

  test('are placed five hundred per turn, so that the event loop is not blocked', async () => {
    claimed = channels(1_100);
    for (const channelId of claimed) elsewhere.set(channelId, other);
    const perTurn: number[] = [];
    const taking = rebalancer.takeOver(dead);
    for (let turn = 0; turn < 3; turn += 1) {
      for (let microtask = 0; microtask < 20; microtask += 1) await Promise.resolve();
      perTurn.push(placed);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await taking;
    expect(perTurn).toEqual([499, 999, 1_100]);
  });
});

describe('channels with another chosen node', () => {
  test('are handed over once the members have settled', async () => {
    keys = channels(4);
    elsewhere.set('channel-1', other).set('channel-2', other).set('channel-3', null);
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs - 1);
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs - 1);
    expect(handedOver).toEqual([]);
    await clock.pass(1);
    expect(handedOver).toEqual(['channel-1', 'channel-2']);
    expect(told).toMatchObject([{ level: 'info', msg: 'channels.rebalanced', channels: 2 }]);
  });

  test('that do not exist cause no log line', async () => {
    keys = channels(2);
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    expect([handedOver, told]).toEqual([[], []]);
  });

  test('stay while the nodes may disagree about them', async () => {
    [keys, canMove] = [channels(1), false];
    elsewhere.set('channel-0', other);
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    expect(handedOver).toEqual([]);
    canMove = true;
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    expect(handedOver).toEqual(['channel-0']);
  });

  test('are handed over fifty at a time', async () => {
    keys = channels(101);
    for (const channelId of keys) elsewhere.set(channelId, other);
    const { letGo } = held();
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    const sizes: number[] = [];
    for (let batch = 0; batch < 3; batch += 1) {
      sizes.push(handedOver.length);
      await letGo();
    }
    expect(sizes).toEqual([50, 100, 101]);
    expect(told).toMatchObject([{ channels: 101 }]);
  });

  test('stay if this is their chosen node again when their turn comes', async () => {
    keys = channels(51);
    for (const channelId of keys) elsewhere.set(channelId, other);
    const { letGo } = held();
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    elsewhere.clear();
    await letGo();
    expect(handedOver).toHaveLength(50);
  });

  test.each<[string, () => Promise<void>]>([
    [
      'the members have changed once more',
      async () => {
        keys = [];
        rebalancer.rebalanceSoon();
        await clock.pass(settleMs);
      },
    ],
    ['the node drains', async () => void (self.draining = true)],
    ['the node stops', async () => rebalancer.stop()],
  ])('are handed over no further once %s', async (_words, changes) => {
    keys = channels(51);
    for (const channelId of keys) elsewhere.set(channelId, other);
    const { letGo } = held();
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    await changes();
    await letGo();
    expect(handedOver).toHaveLength(50);
  });

  test.each<[string, () => void]>([
    ['drains', () => void (self.draining = true)],
    ['stops', () => rebalancer.stop()],
  ])('are not searched for by a node that %s', (_words, leaves) => {
    leaves();
    rebalancer.rebalanceSoon();
    expect(clock.pending).toBe(0);
  });

  test('are not searched for any more by a node that stops', () => {
    rebalancer.rebalanceSoon();
    rebalancer.stop();
    expect(clock.pending).toBe(0);
  });

  test('are searched for again when one of them is acquired; a search that is scheduled is not delayed', async () => {
    elsewhere.set('channel-1', other);
    rebalancer.acquired('channel-0');
    expect(clock.pending).toBe(0);
    rebalancer.acquired('channel-1');
    expect(clock.untilNext).toBe(settleMs);
    await clock.pass(400);
    rebalancer.acquired('channel-1');
    expect(clock.untilNext).toBe(600);
    await clock.pass(600);
    rebalancer.acquired('channel-1');
    expect(clock.untilNext).toBe(settleMs);
  });
});

describe('a released channel', () => {
  const wakes = [[other.incarnation, { f: 'tell', channelId: 'channel-0', tell: wake, frees: 'store' }]];

  test('that was handed over is woken on its chosen node, once', async () => {
    keys = channels(1);
    elsewhere.set('channel-0', other);
    meanwhile = async (channelId) => rebalancer.released(channelId);
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    expect(sent).toEqual(wakes);
    rebalancer.released('channel-0');
    expect(sent).toEqual(wakes);
  });

  test('that is given to a node is woken there as its own', async () => {
    meanwhile = async (channelId) => rebalancer.released(channelId);
    elsewhere.set('channel-0', other);
    keys = ['channel-0'];
    rebalancer.give('channel-0', other.incarnation);
    await settled();
    const woken = { f: 'tell', channelId: 'channel-0', tell: wake, frees: 'store', isGiven: true };
    expect([handedOver, sent]).toEqual([['channel-0'], [[other.incarnation, woken]]]);
    expect(homes.givenTo('channel-0')).toBe(other.incarnation);
  });

  test('that is given to a node is its own for five seconds from then on, however long the hand-over took', async () => {
    const { letGo } = held();
    keys = ['channel-0'];
    elsewhere.set('channel-0', other);
    rebalancer.give('channel-0', other.incarnation);
    await clock.pass(60_000);
    expect([homes.givenTo('channel-0'), sent]).toEqual([undefined, []]);
    rebalancer.released('channel-0');
    expect([homes.givenTo('channel-0'), sent.length]).toEqual([other.incarnation, 1]);
    await letGo();
  });

  test('that is given although it is not live is woken there at once', () => {
    rebalancer.give('channel-0', other.incarnation);
    const woken = { f: 'tell', channelId: 'channel-0', tell: wake, frees: 'store', isGiven: true };
    expect([handedOver, sent]).toEqual([[], [[other.incarnation, woken]]]);
  });

  test('for another reason is not woken', () => {
    elsewhere.set('channel-0', other);
    rebalancer.released('channel-0');
    expect(sent).toEqual([]);
  });

  test('after the end of its hand-over is not woken', async () => {
    keys = channels(1);
    elsewhere.set('channel-0', other);
    rebalancer.rebalanceSoon();
    await clock.pass(settleMs);
    rebalancer.released('channel-0');
    expect([handedOver, sent]).toEqual([['channel-0'], []]);
  });

  test('of a node that drains is woken on its chosen node', () => {
    self.draining = true;
    elsewhere.set('channel-0', other);
    rebalancer.released('channel-0');
    expect(sent).toEqual(wakes);
  });

  test('without another node is not woken', () => {
    self.draining = true;
    elsewhere.set('channel-1', null).set('channel-2', other);
    for (const channelId of ['channel-0', 'channel-1']) rebalancer.released(channelId);
    isLinked = false;
    rebalancer.released('channel-2');
    expect(sent).toEqual([]);
  });
});
