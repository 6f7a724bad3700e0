/** [architecture §4, Acquire] From the claim to a valid grant, to its release, and the notifications on the way. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { NotOwner } from '../../src/ownership/claims.ts';
import { ClusterOwnership } from '../../src/ownership/ownership.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { makeLog } from '../../src/kernel/log.ts';

const channelId = 'channel-1';

let lease: { term: number; outages: number; isHeld: boolean; isSure: boolean };
/** What the store answers to a claim. */
let mint: { owner: string; epoch: number; previous: string | null } | Error;
/** Runs while the claim is being asked for. */
let meanwhile: () => void;
let release: Error | null;
/** The notifications of the parts, in order. */
let done: unknown[];
let told: Record<string, unknown>[];
let ownership: ClusterOwnership;

beforeEach(() => {
  lease = { term: 1, outages: 0, isHeld: true, isSure: true };
  [mint, release, done, told] = [{ owner: 'self:1', epoch: 7, previous: null }, null, [], []];
  meanwhile = () => undefined;
  ownership = makeOwnership();
});

function makeOwnership(): ClusterOwnership {
  return new ClusterOwnership({
    self: { incarnation: 'self:1' },
    lease: {
      term: () => {
        const { term } = lease;
        return () => lease.isHeld && lease.term === term;
      },
      isSure: () => lease.isSure,
      get outages() {
        return lease.outages;
      },
    },
    claims: {
      claim: async (...asked) => {
        done.push(['claim', ...asked]);
        meanwhile();
        if (mint instanceof Error) throw mint;
        return mint;
      },
      free: async (...asked) => {
        done.push(['free', ...asked]);
        if (release !== null) throw release;
      },
    },
    log: makeLog('info', { write: (line) => void told.push(JSON.parse(line)) }),
    counters: { increment: (name) => void done.push(name) },
    onAcquired: (channel) => done.push(['acquired', channel]),
    onReleased: (channel) => done.push(['released', channel]),
  });
}

const acquire = () => ownership.acquire(channelId);
const claimed = ['claim', channelId, 1];
const free = ['free', channelId, 7];

describe('an acquired channel', () => {
  test('is claimed in the store, and is served under its epoch', async () => {
    const grant = await acquire();
    expect([grant.epoch, grant.isValid(), grant.isSure()]).toEqual([7, true, true]);
    expect(done).toEqual([claimed, 'epochs_minted_total', ['acquired', channelId]]);
    expect([[...ownership.granted], told]).toEqual([[[channelId, grant]], []]);
  });

  test.each([
    ['other:1', ['epochs_minted_total', 'takeovers_total'], ['channel.taken-over']],
    ['self:1', ['epochs_minted_total'], []],
    [null, ['epochs_minted_total'], []],
  ])('after owner %s is counted as %j', async (previous, counted, logged) => {
    mint = { owner: 'self:1', epoch: 8, previous };
    await acquire();
    expect(done.filter((each) => String(each).endsWith('_total'))).toEqual(counted);
    expect(told.map(({ msg }) => msg)).toEqual(logged);
    if (logged.length > 0) expect(told).toMatchObject([{ channel: channelId, epoch: 8, from: previous }]);
  });

  test('without an answer of Redis has a valid grant that is not sure', async () => {
    lease.isSure = false;
    const grant = await acquire();
    lease.isSure = true;
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

  test('because the lease ended while the store was slow stays with this node, which claims it again under its next lease', async () => {
    meanwhile = () => (lease.term += 1);
    await expect(acquire()).rejects.toThrow(new StoreUnavailable("this node's lease was lost meanwhile"));
    expect([done, ownership.granted.size]).toEqual([[claimed, 'epochs_minted_total'], 0]);
  });

  test.each<[string, Error]>([
    ['the store does not answer', new StoreUnavailable('away')],
    ['another node has it', new NotOwner('other:1')],
  ])('because %s is claimed once, and the caller gets the error', async (_words, error) => {
    mint = error;
    await expect(acquire()).rejects.toBe(error);
    expect(done).toEqual([claimed]);
  });

  test('has no earlier grant any more', async () => {
    await acquire();
    mint = new StoreUnavailable('away');
    await expect(acquire()).rejects.toBe(mint);
    expect(ownership.granted.size).toBe(0);
  });
});

describe('a released channel', () => {
  test('is free in the store before others are notified', async () => {
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

  test('that cannot be freed is logged with the reason; others are notified', async () => {
    const grant = await acquire();
    release = new StoreUnavailable('away');
    await ownership.release(channelId, grant);
    expect(done.at(-1)).toEqual(['released', channelId]);
    expect(told).toMatchObject([
      { level: 'warn', msg: 'channel.release-failed', channel: channelId, error: { message: 'away' } },
    ]);
  });

  test('that was fenced is not freed: another node owns it', async () => {
    await acquire();
    done.length = 0;
    await ownership.ended(channelId, true);
    expect([done, ownership.granted.size]).toEqual([[], 0]);
  });

  test("after the loss of the lease is not freed: the next claim makes it this node's again", async () => {
    await acquire();
    done.length = 0;
    ownership.forgetAll();
    await ownership.ended(channelId, false);
    expect([done, ownership.granted.size]).toEqual([[], 0]);
  });
});

describe('a fenced owner skips epochs, to get beyond any epoch in the store', () => {
  const steps = () => done.flatMap((each) => (Array.isArray(each) && each[0] === 'claim' ? [each[2]] : []));
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
