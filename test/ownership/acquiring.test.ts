/** [architecture §4, Acquire] From the claim to a valid grant: the epoch, the release, and the notifications on the way. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { NotOwner } from '../../src/ownership/claims.ts';
import { ClusterOwnership } from '../../src/ownership/ownership.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { makeLog } from '../../src/kernel/log.ts';
import { FakeClock } from '../support/fake-clock.ts';

const channelId = 'channel-1';
const leaseTtlMs = 10_000;
const self = { nodeId: 'self', incarnation: 'self:1', leaseTtlMs };
const member = { ...self, incarnation: 'other:1', url: 'wss://other:1', startedAt: 0, draining: false };

let clock: FakeClock;
let lease: { term: number; outages: number; isHeld: boolean; isSure: boolean };
/** The result of each claim: the list's items in order, the last one for all further claims. */
let claims: (boolean | Error)[];
let mint: { epoch: number; previous: string | null } | Error;
/** Runs while the claim is being asked for. */
let meanwhile: () => void;
let release: Error | null;
/** The notifications of the parts, in order. */
let done: unknown[];
let told: Record<string, unknown>[];
let ownership: ClusterOwnership;

beforeEach(() => {
  clock = new FakeClock(5_000);
  lease = { term: 1, outages: 0, isHeld: true, isSure: true };
  [claims, mint, release, done, told] = [[true], { epoch: 7, previous: null }, null, [], []];
  meanwhile = () => undefined;
  ownership = makeOwnership();
});

function makeOwnership(): ClusterOwnership {
  return new ClusterOwnership({
    self,
    lease: {
      grant: () => {
        const { term } = lease;
        return () => lease.isHeld && lease.term === term;
      },
      isSure: () => lease.isSure,
      get outages() {
        return lease.outages;
      },
    },
    claims: {
      claim: async () => {
        done.push('claim');
        const [claimed = true, ...rest] = claims;
        if (rest.length > 0) claims = rest;
        if (claimed instanceof Error) throw claimed;
        return claimed;
      },
    },
    directory: {
      declareDead: async (incarnation) => void done.push(['dead', incarnation]),
      release: async (channel) => {
        done.push(['free', channel]);
        if (release !== null) throw release;
      },
    },
    membership: { find: (incarnation) => (incarnation === member.incarnation ? member : undefined) },
    owners: {
      mint: async (...asked) => {
        done.push(['mint', ...asked]);
        meanwhile();
        if (mint instanceof Error) throw mint;
        return mint;
      },
    },
    clock,
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
    counters: { increment: (name) => void done.push(name) },
    onAcquired: (channel) => done.push(['acquired', channel]),
    onReleased: (channel) => done.push(['released', channel]),
  });
}

const acquire = () => ownership.acquire(channelId);
const minted = (step: number) => ['mint', channelId, { nodeId: 'self', incarnation: 'self:1' }, 5_000, step];
const free = ['free', channelId];

describe('an acquired channel', () => {
  test('is claimed, gets an epoch from the store, and is served under that epoch', async () => {
    const grant = await acquire();
    expect([grant.epoch, grant.isValid(), grant.isSure()]).toEqual([7, true, true]);
    expect(done).toEqual(['claim', minted(1), 'epochs_minted_total', ['acquired', channelId]]);
    expect([[...ownership.granted], told]).toEqual([[[channelId, grant]], []]);
  });

  test.each([
    ['other:1', ['epochs_minted_total', 'takeovers_total'], ['channel.taken-over']],
    ['self:1', ['epochs_minted_total'], []],
    [null, ['epochs_minted_total'], []],
  ])('after owner %s is counted as %j', async (previous, counted, logged) => {
    mint = { epoch: 8, previous };
    await acquire();
    expect(done.filter((each) => String(each).endsWith('_total'))).toEqual(counted);
    expect(told.map(({ msg }) => msg)).toEqual(logged);
    if (logged.length > 0) expect(told).toMatchObject([{ channel: channelId, epoch: 8, from: previous }]);
  });

  test('without an answer of Redis has a valid grant that is not sure', async () => {
    claims = [false];
    const grant = await acquire();
    expect([grant.isValid(), grant.isSure()]).toEqual([true, false]);
  });

  test('is sure only until the next outage of Redis', async () => {
    const grant = await acquire();
    lease.outages += 1;
    expect([grant.isValid(), grant.isSure()]).toEqual([true, false]);
  });

  test('during which Redis goes down is not sure once Redis is back, because its claim is older', async () => {
    meanwhile = () => (lease.outages += 1);
    expect((await acquire()).isSure()).toBe(false);
  });

  test('has a grant that ends with the term of the lease', async () => {
    const grant = await acquire();
    lease.isSure = false;
    expect([grant.isValid(), grant.isSure()]).toEqual([true, false]);
    lease = { ...lease, isSure: true, term: 2 };
    expect([grant.isValid(), grant.isSure()]).toEqual([false, false]);
  });
});

describe('a channel that cannot be acquired', () => {
  test('because there is no lease is neither claimed nor gets an epoch', async () => {
    lease.isHeld = false;
    await expect(acquire()).rejects.toThrow(new StoreUnavailable("this node's lease is not valid"));
    expect(done).toEqual([]);
  });

  test('because the lease ended while the store was slow is released', async () => {
    meanwhile = () => (lease.term += 1);
    await expect(acquire()).rejects.toThrow(new StoreUnavailable("this node's lease was lost meanwhile"));
    expect([done, ownership.granted.size]).toEqual([['claim', minted(1), 'epochs_minted_total', free], 0]);
  });

  test('because the store issues no epoch is released, and the caller gets the error', async () => {
    mint = new StoreUnavailable('away');
    await expect(acquire()).rejects.toBe(mint);
    expect(done).toEqual(['claim', minted(1), free]);
  });

  test('has no earlier grant any more', async () => {
    await acquire();
    mint = new StoreUnavailable('away');
    await expect(acquire()).rejects.toBe(mint);
    expect(ownership.granted.size).toBe(0);
  });

  test('because Redis is not sure is not released, because the stored claim leads here', async () => {
    mint = new StoreUnavailable('away');
    lease.isSure = false;
    await expect(acquire()).rejects.toBe(mint);
    expect(done).toEqual(['claim', minted(1)]);
  });

  test('and cannot be released logs both, with the reason', async () => {
    mint = new StoreUnavailable('away');
    release = new Error('Command timed out');
    await expect(acquire()).rejects.toBe(mint);
    expect(told).toMatchObject([
      {
        level: 'warn',
        msg: 'channel.release-failed',
        channel: channelId,
        error: { message: release.message },
      },
    ]);
  });

  test('because a live node has it is claimed once', async () => {
    claims = [new NotOwner(member.incarnation)];
    await expect(acquire()).rejects.toBe(claims[0]);
    expect(done).toEqual(['claim']);
  });

  test('because the owner is unknown to Redis and store is claimed once', async () => {
    claims = [new StoreUnavailable('away')];
    await expect(acquire()).rejects.toBe(claims[0]);
    expect(done).toEqual(['claim']);
  });
});

describe('an owner that is no member [faults: 122]', () => {
  /** Repeats the acquisition at these intervals; returns the owners that were declared dead. */
  async function refusals(everyMs: readonly number[], owner = 'ghost:1'): Promise<unknown[]> {
    claims = [new NotOwner(owner)];
    for (const ms of everyMs) {
      await expect(acquire()).rejects.toThrow(NotOwner);
      clock.advance(ms);
    }
    done.length = 0;
    claims = [new NotOwner(owner), true];
    await acquire().catch(() => undefined);
    return done.filter((each) => String(each).startsWith('dead'));
  }

  test.each<[string, number[], unknown[]]>([
    ['met at once', [], []],
    ['known for less than a lease', [leaseTtlMs - 1], []],
    ['known for a lease', [leaseTtlMs], [['dead', 'ghost:1']]],
    ['met in between', [leaseTtlMs / 2, leaseTtlMs / 2], [['dead', 'ghost:1']]],
    ['not met for longer than a lease', [leaseTtlMs + 1], []],
    ['not met for longer than a lease, then for one', [leaseTtlMs + 1, leaseTtlMs], [['dead', 'ghost:1']]],
  ])('%s', async (_words, everyMs, dead) => {
    expect(await refusals(everyMs)).toEqual(dead);
  });

  test('is declared dead, and the channel is claimed once more', async () => {
    await refusals([leaseTtlMs]);
    expect(done.slice(0, 3)).toEqual(['claim', ['dead', 'ghost:1'], 'claim']);
    expect(ownership.granted.has(channelId)).toBe(true);
  });

  test('is never declared dead while it is a member', async () => {
    expect(await refusals([leaseTtlMs, leaseTtlMs], member.incarnation)).toEqual([]);
  });
});

describe('a released channel', () => {
  test('is free in Redis before others are notified', async () => {
    const grant = await acquire();
    done.length = 0;
    await ownership.release(channelId, grant);
    expect([done, ownership.granted.size]).toEqual([[free, ['released', channelId]], 0]);
  });

  test('that has been acquired again stays acquired', async () => {
    const first = await acquire();
    const second = await acquire();
    done.length = 0;
    await ownership.release(channelId, first);
    expect([done, ownership.granted.get(channelId)]).toEqual([[], second]);
  });

  test('whose activation ended is free; others are not notified, because it may be acquired here again at once', async () => {
    await acquire();
    done.length = 0;
    await ownership.ended(channelId, false);
    await ownership.ended(channelId, false);
    expect([done, ownership.granted.size]).toEqual([[free], 0]);
  });

  test('after the loss of the lease causes no command to Redis', async () => {
    await acquire();
    done.length = 0;
    ownership.forgetAll();
    await ownership.ended(channelId, false);
    expect([done, ownership.granted.size]).toEqual([[], 0]);
  });
});

describe('a fenced owner skips epochs, to get beyond any epoch in the store', () => {
  const steps = () => done.flatMap((each) => (Array.isArray(each) && each[0] === 'mint' ? [each[4]] : []));
  const fenced = async (times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await ownership.ended(channelId, true);
  };

  test.each([
    [0, 1],
    [1, 2],
    [2, 4],
    [20, 2 ** 20],
    [21, 2 ** 20],
  ])('after %i fences in a row it adds %i to the epoch', async (times, step) => {
    await fenced(times);
    await acquire();
    expect(steps()).toEqual([step]);
  });

  test.each<[string, () => Promise<void>]>([
    ['released', async () => ownership.release(channelId, await acquire())],
    ['ended by itself', () => ownership.ended(channelId, false)],
  ])('and starts from 1 once it is %s', async (_words, happen) => {
    await fenced(3);
    await happen();
    done.length = 0;
    await acquire();
    expect(steps()).toEqual([1]);
  });
});
