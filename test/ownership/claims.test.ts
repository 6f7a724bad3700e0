/** [architecture §4, §7] Who owns a channel, by the store, and whom a node may replace: by its members while Redis answers, else by its links. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { Claims, NotOwner } from '../../src/ownership/claims.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import type { Member } from '../../src/ownership/member.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { Ledger } from './support/ledger.ts';

const channelId = 'channel-1';
const leaseTtlMs = 10_000;
const memberOf = (nodeId: string): Member => ({
  nodeId,
  incarnation: `${nodeId}:1`,
  url: `wss://${nodeId}:1`,
  startedAt: 0,
  draining: false,
  leaseTtlMs,
});
const [self, other, third] = [memberOf('self'), memberOf('other'), memberOf('third')];

/** Counts what is asked of the store. */
class Store extends Ledger {
  readonly asked: string[] = [];
  readonly steps: (number | undefined)[] = [];

  override mint(...of: Parameters<Ledger['mint']>): ReturnType<Ledger['mint']> {
    this.asked.push(`mint from ${of[3]?.from?.join(' ') ?? 'anybody'}`);
    this.steps.push(of[3]?.step);
    return super.mint(...of);
  }

  override lastOwners(channelIds: readonly string[]): ReturnType<Ledger['lastOwners']> {
    this.asked.push(`read ${channelIds.length}`);
    return super.lastOwners(channelIds);
  }
}

let store: Store;
let isSure: boolean;
/** The members that this node knows, and those that a look for members adds; an error: Redis does not answer it. */
let members: Member[];
let latecomer: Member | Error | null;
let looks: number;
let links: { changes: number; missed: number };
let claims: Claims;

beforeEach(() => {
  store = new Store();
  [isSure, members, latecomer, looks, links] = [true, [self, other], null, 0, { changes: 1, missed: 0 }];
  claims = new Claims({
    self,
    lease: { isSure: () => isSure },
    membership: {
      find: (incarnation) => members.find((member) => member.incarnation === incarnation),
      async refresh() {
        looks += 1;
        if (latecomer instanceof Error) throw latecomer;
        if (latecomer !== null) members.push(latecomer);
      },
    },
    links: {
      get changes() {
        return links.changes;
      },
      missedMs: () => links.missed,
    },
    owners: store,
    clock: new FakeClock(),
  });
});

const ownedBy = (owner: Member, channel = channelId) =>
  store.mint(channel, owner).then(() => (store.asked.length = 0));

/** `mine`, or the owner. */
async function claim(channel = channelId): Promise<string> {
  try {
    const { owner } = await claims.claim(channel, 1);
    return owner === self.incarnation ? 'mine' : `granted, but owned by ${owner}`;
  } catch (error) {
    if (error instanceof NotOwner) return error.owner;
    throw error;
  }
}

describe('a claim', () => {
  test('of a free channel is one question, under the next epoch and the step that is asked for', async () => {
    expect(await claims.claim(channelId, 1)).toEqual({ owner: 'self:1', epoch: 1, previous: null });
    expect(await claims.claim(channelId, 4)).toEqual({ owner: 'self:1', epoch: 2, previous: 'self:1' });
    await claims.free(channelId);
    expect(await claims.claim(channelId, 1)).toEqual({ owner: 'self:1', epoch: 3, previous: 'self:1' });
    expect(store.asked).toEqual(['mint from ', 'mint from ', 'mint from ']);
    expect(store.steps).toEqual([1, 4, 1]);
  });

  test.each([[false], [true]])(
    'of a channel of a member is refused (it drains: %s), without a look',
    async (draining) => {
      members = [self, { ...other, draining }];
      await ownedBy(other);
      expect(await claim()).toBe('other:1');
      expect([store.asked, looks, store.epochOf(channelId)]).toEqual([['mint from '], 0, 1]);
    },
  );

  test('of a channel whose owner is no member is granted after one look; later claims name that owner beforehand', async () => {
    await ownedBy(third, 'channel-2');
    await ownedBy(third);
    expect([await claim(), await claim('channel-2')]).toEqual(['mine', 'mine']);
    expect(store.asked).toEqual(['mint from ', 'mint from third:1', 'mint from third:1']);
    expect([looks, store.epochOf(channelId)]).toEqual([1, 2]);
  });

  test('of a channel of a node that has just joined is refused after the look', async () => {
    await ownedBy(third);
    latecomer = third;
    expect([await claim(), await claim()]).toEqual(['third:1', 'third:1']);
    expect(looks).toBe(1);
  });

  test('of a channel whose owner is no member is granted, although Redis does not answer the look', async () => {
    await ownedBy(third);
    latecomer = new Error('Command timed out');
    expect(await claim()).toBe('mine');
  });

  test('of a channel of a node that was told to be gone is one question, unless it has come back', async () => {
    claims.gone('third:1');
    await ownedBy(third);
    members.push(third);
    expect(await claim()).toBe('third:1');
    members.pop();
    expect(await claim()).toBe('mine');
    expect([store.asked, looks]).toEqual([['mint from ', 'mint from third:1'], 0]);
  });

  test('that another node has overtaken between its two questions is refused', async () => {
    await ownedBy(third);
    const asked = claim();
    latecomer = null;
    const mint = store.mint.bind(store);
    store.mint = async (...of) => {
      if (of[3]?.from?.includes('third:1') === true) await mint(channelId, other);
      return mint(...of);
    };
    expect(await asked).toBe('other:1');
  });

  test('that the store does not answer fails', async () => {
    store.isDown = true;
    await expect(claim()).rejects.toThrow(StoreUnavailable);
    await expect(claims.free(channelId)).rejects.toThrow(StoreUnavailable);
    await expect(claims.find(channelId)).rejects.toThrow(StoreUnavailable);
  });
});

describe('a channel that its owner, of an earlier build, has woken here [operating/upgrade]', () => {
  test('is not its own any more, and is granted once', async () => {
    await ownedBy(other);
    claims.given(channelId, 'other:1');
    expect(await claim()).toBe('mine');
    await ownedBy(other);
    expect(await claim()).toBe('other:1');
  });

  test.each<[string, string, string]>([
    ['another node has woken it', channelId, 'third:1'],
    ['it has woken another channel', 'channel-2', 'other:1'],
  ])('is refused if %s', async (_words, channel, by) => {
    await ownedBy(other);
    claims.given(channel, by);
    expect(await claim()).toBe('other:1');
  });
});

describe('the owner', () => {
  test('is read for many channels at once; a free channel has none', async () => {
    await ownedBy(other, 'channel-2');
    await claim('channel-3');
    await claims.free('channel-3', 1);
    store.asked.length = 0;
    const found = await Promise.all([channelId, 'channel-2', 'channel-3'].map((each) => claims.find(each)));
    expect([found, store.asked]).toEqual([[null, 'other:1', null], ['read 3']]);
  });

  test('stays, if a channel is freed under an earlier epoch', async () => {
    for (const step of [1, 1]) await claims.claim(channelId, step);
    await claims.free(channelId, 1);
    expect(await claims.find(channelId)).toBe('self:1');
  });
});

describe('while Redis does not answer, a claim', () => {
  beforeEach(async () => {
    isSure = false;
    await ownedBy(other);
  });

  test.each<[string, () => void]>([
    ['is no member', () => void members.pop()],
    ['drains', () => (members = [self, { ...other, draining: true }])],
    ['is missed for the life of its lease', () => (links.missed = leaseTtlMs)],
  ])('is granted if the owner %s', async (_words, happens) => {
    happens();
    expect([await claim(), looks, store.epochOf(channelId)]).toEqual(['mine', 0, 2]);
  });

  test('is refused if the owner has been missing for less than its lease', async () => {
    links.missed = leaseTtlMs - 1;
    expect([await claim(), store.epochOf(channelId)]).toEqual(['other:1', 1]);
  });

  test('names no owner beforehand: who has replaced whom is counted', async () => {
    members.pop();
    claims.gone('other:1');
    await claim();
    expect(store.asked).toEqual(['mint from ', 'mint from other:1']);
  });
});

describe('two nodes that disagree take a channel from each other only once', () => {
  beforeEach(async () => {
    [isSure, links.missed] = [false, leaseTtlMs];
    await ownedBy(other);
  });

  test('a node that has replaced the other does so again only after links have changed', async () => {
    expect(await claim()).toBe('mine');
    await ownedBy(other);
    expect([await claim(), await claim()]).toEqual(['other:1', 'other:1']);
    links.changes += 1;
    expect(await claim()).toBe('mine');
    await ownedBy(other);
    expect(await claim()).toBe('other:1');
  });

  test('or after Redis has answered', async () => {
    await claim();
    await ownedBy(other);
    claims.forgetTurns();
    expect(await claim()).toBe('mine');
    await ownedBy(other);
    expect(await claim()).toBe('other:1');
  });

  test.each<[string, () => Promise<unknown>]>([
    ['free', () => store.release(channelId, 'other:1')],
    ['its own', () => ownedBy(self)],
  ])('taking a channel that was %s does not count', async (_words, happens) => {
    await happens();
    expect(await claim()).toBe('mine');
    await ownedBy(other);
    expect(await claim()).toBe('mine');
  });

  test('replacing a node while Redis answers does not count', async () => {
    isSure = true;
    members.pop();
    expect(await claim()).toBe('mine');
    [isSure, members] = [false, [self, other]];
    await ownedBy(other);
    expect(await claim()).toBe('mine');
  });
});
