/** [architecture §4, Fail-over] The consequences of a peer that joins, leaves or dies. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Member } from '../../src/ownership/member.ts';
import { Peers } from '../../src/ownership/peers.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { until } from '../support/until.ts';
import { aMember } from './support/members-on-clock.ts';

const [self, one, two] = [aMember('self'), aMember('one'), aMember('two')];

/** The actions of the node, in order. */
let done: string[];
let live: Member[];
/** Peers that were linked and are not now. */
let missed: Set<string>;
let redis: Error | null;
let told: Record<string, unknown>[];
let peers: Peers;

beforeEach(() => {
  [done, told, live, missed, redis] = [[], [], [self], new Set(), null];
  const does = (what: string) => (of: string | { incarnation: string }) =>
    void done.push(`${what} ${typeof of === 'string' ? of : of.incarnation}`);
  const answered = async (): Promise<void> => {
    if (redis !== null) throw redis;
  };
  peers = new Peers({
    self,
    claims: { gone: does('gone') },
    directory: { evictOwner: does('evict') },
    membership: {
      endLease(incarnation) {
        done.push(`end lease ${incarnation}`);
        return answered();
      },
      refresh() {
        done.push('look');
        return answered();
      },
      live: () => live,
      find: (incarnation) => live.find((member) => member.incarnation === incarnation),
      drop: does('drop'),
    },
    links: {
      addPeer: does('link'),
      removePeer: does('unlink'),
      isMissed: (incarnation) => missed.has(incarnation),
    },
    feed: { linked: does('feed') },
    rebalancer: {
      async takeOver(incarnation) {
        done.push(`take over ${incarnation}`);
      },
      rebalanceSoon: () => void done.push('rebalance'),
    },
    router: { wakeWaiters: () => void done.push('wake') },
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
    counters: { increment: (name) => void done.push(name) },
  });
});

test('members that joined are linked; channels may move, and asks that wait for an owner look again', () => {
  live = [self, one, two];
  peers.changed({ joined: [one, two], gone: [] });
  expect(done).toEqual(['link one:1', 'link two:1', 'rebalance', 'wake']);
});

test('members that have gone are forgotten, and their channels are taken over', () => {
  peers.changed({ joined: [], gone: [one] });
  expect(done).toEqual(['gone one:1', 'evict one:1', 'unlink one:1', 'take over one:1', 'rebalance', 'wake']);
});

describe('a member with the address of another one', () => {
  const again = { ...one, incarnation: 'one:2' };
  const dies = ['peers_dead_total', 'end lease one:1', 'drop one:1'];

  test('is the same node after a restart: its earlier run is dead, although its port answers', () => {
    [live, missed] = [[self, one, two, again], new Set(['one:1', 'one:2', 'two:1'])];
    peers.changed({ joined: [again], gone: [] });
    expect(done).toEqual(['link one:2', ...dies, 'rebalance', 'wake']);
  });

  test('that is linked proves nothing', () => {
    live = [self, one, again];
    peers.changed({ joined: [again], gone: [] });
    expect(done).toEqual(['link one:2', 'rebalance', 'wake']);
  });
});

describe('a linked peer', () => {
  test("learns of this node's subscribers, and is reachable: channels may move", () => {
    live = [self, one];
    peers.linked('one:1');
    expect(done).toEqual(['feed one:1', 'rebalance']);
  });

  test('that is no member yet causes a look for members', () => {
    peers.linked('one:1');
    expect(done).toEqual(['feed one:1', 'look', 'rebalance']);
  });
});

describe('a dead peer', () => {
  test('is no member any more, and has no lease any more', () => {
    live = [self, one];
    peers.died('one:1');
    expect(done).toEqual(['peers_dead_total', 'end lease one:1', 'drop one:1']);
    expect(told).toMatchObject([{ level: 'warn', msg: 'node.dead', peer: 'one:1', node: 'one' }]);
  });

  test('that was no member any more is reported without a name', () => {
    peers.died('one:1');
    expect(told).toMatchObject([{ msg: 'node.dead', peer: 'one:1' }]);
  });

  test('while Redis is down is not recorded there, which is logged', async () => {
    redis = new Error('away');
    peers.died('one:1');
    const line = await until('the second line', () => told[1]);
    expect(line).toMatchObject({ level: 'warn', msg: 'node.dead-not-told', error: { message: 'away' } });
    expect(done.at(-1)).toBe('drop one:1');
  });

  test('is never this node', () => {
    peers.died(self.incarnation);
    expect([done, told]).toEqual([[], []]);
  });
});

test('a look that Redis does not answer fails nobody', async () => {
  redis = new Error('away');
  peers.refreshMembers();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['look']);
});
