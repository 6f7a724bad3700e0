/** [architecture §7] The reaction of a node when its own lease is acquired, lost, or sure again. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { OwnLease } from '../../src/ownership/own-lease.ts';
import { FencedError, StoreUnavailable } from '../../src/kernel/faults.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { FakeClock } from '../support/fake-clock.ts';

let clock: FakeClock;
/** The actions of the node, in order. */
let done: unknown[];
let told: Record<string, unknown>[];
let lease: { losses: number };
/** Runs while every activation is being ended. */
let whileClosing: () => void;
let ownLease: OwnLease;

beforeEach(() => {
  clock = new FakeClock();
  [done, told] = [[], []];
  lease = { losses: 0 };
  whileClosing = () => undefined;
  ownLease = new OwnLease({
    clock,
    lease,
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
    counters: { increment: (name) => void done.push(name) },
    host: {
      size: 3,
      closeAll(error) {
        done.push(error);
        whileClosing();
      },
    },
    claims: { forgetTurns: () => void done.push('forget turns') },
    ownership: {
      forgetAll: () => void done.push('forget claims'),
      ended: async (channelId, isFenced) => void done.push([channelId, isFenced]),
    },
    confirmations: { confirmNext: async () => void done.push('confirm') },
    peers: { refreshMembers: () => void done.push('look') },
    rebalancer: { rebalanceSoon: () => void done.push('rebalance') },
    onLease: () => void done.push('may own'),
    onOrphans: () => void done.push('orphans'),
  });
});

test('when Redis answers again, the node confirms its channels, reads the members and looks for channels to move', () => {
  ownLease.answered();
  expect(done).toEqual(['forget turns', 'confirm', 'look', 'rebalance']);
});

describe('a lease that is lost', () => {
  test('ends its claims, then every activation: none is released', () => {
    ownLease.lost();
    expect(done).toEqual(['leases_lost_total', 'forget claims', expect.any(StoreUnavailable)]);
    expect(done[2]).toMatchObject({ message: "this node's lease was lost" });
    expect(told).toMatchObject([{ level: 'warn', msg: 'lease.lost', channels: 3 }]);
  });

  test('releases no claim for an activation that the node ended itself; a fenced one is counted', () => {
    whileClosing = () => {
      ownLease.activationFailed('channel-1', new StoreUnavailable('ended'));
      ownLease.activationFailed('channel-2', new FencedError('ended'));
    };
    ownLease.lost();
    expect(done.slice(3)).toEqual(['fences_total']);
    ownLease.activationFailed('channel-3', new Error('broken'));
    expect(done.slice(4)).toEqual([['channel-3', false]]);
  });
});

describe('an acquired lease', () => {
  test('is logged the first time; no channel has waited for this node', () => {
    ownLease.taken();
    clock.advance(60_000);
    expect(done).toEqual(['may own']);
    expect(told).toMatchObject([{ level: 'info', msg: 'lease.taken', losses: 0 }]);
  });

  test('again is followed by a search for channels without an owner a second later', () => {
    lease.losses = 1;
    ownLease.taken();
    clock.advance(999);
    expect(done).toEqual(['may own']);
    clock.advance(1);
    expect(done).toEqual(['may own', 'orphans']);
  });
});

test('searches within a second are one; a later one has its own second', () => {
  ownLease.checkOrphansSoon();
  clock.advance(500);
  ownLease.checkOrphansSoon();
  clock.advance(60_000);
  expect(done).toEqual(['orphans']);
  ownLease.checkOrphansSoon();
  clock.advance(1_000);
  expect(done).toEqual(['orphans', 'orphans']);
});

test.each([
  ['was fenced', new FencedError('a higher epoch'), true, ['fences_total']],
  ['broke', new Error('broken'), false, []],
])('an activation that %s releases its channel and is logged', (_words, error, isFenced, counted) => {
  ownLease.activationFailed('channel-1', error);
  expect(done).toEqual([...counted, ['channel-1', isFenced]]);
  expect(told).toMatchObject([
    {
      level: 'warn',
      msg: 'channel.activation-ended',
      channel: 'channel-1',
      error: { message: error.message },
    },
  ]);
});
