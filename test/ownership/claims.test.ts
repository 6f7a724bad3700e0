/** [architecture §4, §7] Who owns a channel, and who may take it: by Redis while it answers, else by the store. */
import { describe, expect, test } from '@jest/globals';
import { Claims, NotOwner } from '../../src/ownership/claims.ts';
import type { Member } from '../../src/ownership/member.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';

const channelId = 'channel-1';
const leaseTtlMs = 10_000;
const [self, other] = ['self:1', 'other:1'];

/** What a node sees when it looks for an owner; by default Redis does not answer, and the other node, whose link is open, got the last epoch. */
interface Seen {
  isSure: boolean;
  /** null: no owner. */
  inRedis: string | null | Error;
  inStore: string | null | Error;
  /** null: it is not a member. */
  owner: { draining: boolean } | null;
  missedMs: number;
}

const silence: Seen = {
  isSure: false,
  inRedis: new Error('Command timed out'),
  inStore: other,
  owner: { draining: false },
  missedMs: 0,
};

class Node {
  readonly asked: string[] = [];
  readonly remembered: [string, string][] = [];
  readonly links = { changes: 1, missedMs: (): number => this.seen.missedMs };
  seen: Seen;
  readonly claims: Claims;

  constructor(seen: Partial<Seen> = {}) {
    this.seen = { ...silence, ...seen };
    const inRedis = (): Promise<string | null> => this.#answer('redis', this.seen.inRedis);
    this.claims = new Claims({
      self: { incarnation: self },
      lease: { isSure: () => this.seen.isSure },
      directory: {
        find: inRedis,
        claim: inRedis,
        remember: (channel, incarnation) => void this.remembered.push([channel, incarnation]),
      },
      membership: { find: (incarnation) => this.#member(incarnation) },
      links: this.links,
      owners: {
        lastOwners: async (channels) => {
          const incarnation = await this.#answer('store', this.seen.inStore);
          if (incarnation === null) return new Map();
          return new Map(channels.map((channel) => [channel, { epoch: 7, incarnation }]));
        },
      },
    });
  }

  /** `mine`: claimed in Redis; `taken`: claimed by the store only; otherwise the owner. */
  async claim(): Promise<string> {
    try {
      return (await this.claims.claim(channelId)) ? 'mine' : 'taken';
    } catch (error) {
      if (error instanceof NotOwner) return error.owner;
      throw error;
    }
  }

  async #answer(who: string, answer: string | null | Error): Promise<string | null> {
    this.asked.push(who);
    if (answer instanceof Error) throw answer;
    return answer;
  }

  #member(incarnation: string): Member | undefined {
    const { owner } = this.seen;
    if (owner === null || incarnation !== other) return undefined;
    return { nodeId: 'other', incarnation, url: 'wss://other:1', startedAt: 0, leaseTtlMs, ...owner };
  }
}

describe('while Redis answers, only Redis is asked', () => {
  test.each<[string, Partial<Seen>, string | null, string]>([
    ['names this node', { inRedis: self }, self, 'mine'],
    ['names another', { inRedis: other, inStore: self }, other, other],
  ])('and %s', async (_words, seen, found, claimed) => {
    const node = new Node({ isSure: true, ...seen });
    expect(await node.claims.find(channelId)).toBe(found);
    expect(await node.claim()).toBe(claimed);
    expect([node.asked, node.remembered]).toEqual([['redis', 'redis'], []]);
  });

  test('and names no owner: the store is not asked, whoever got the last epoch', async () => {
    const node = new Node({ isSure: true, inRedis: null });
    expect(await node.claims.find(channelId)).toBeNull();
    expect(node.asked).toEqual(['redis']);
  });

  test("and reports that this node's lease is gone: the store is asked who got the last epoch", async () => {
    const node = new Node({ isSure: true, inRedis: null });
    expect(await node.claim()).toBe(other);
    expect(node.asked).toEqual(['redis', 'store']);
  });
});

describe('while Redis does not answer, the store is asked', () => {
  test.each<[string, boolean, string[]]>([
    ['has not answered a moment ago', false, ['store', 'store']],
    ['does not answer now', true, ['redis', 'store', 'redis', 'store']],
  ])('because Redis %s', async (_words, isSure, asked) => {
    const node = new Node({ isSure });
    expect([await node.claims.find(channelId), await node.claim()]).toEqual([other, other]);
    expect([node.asked, node.remembered]).toEqual([asked, [[channelId, other]]]);
  });

  test.each<[string, Partial<Seen>]>([
    ['nobody ever minted', { inStore: null }],
    ['this node minted last', { inStore: self }],
    ['who minted last is no member', { owner: null }],
    ['who minted last drains', { owner: { draining: true } }],
    ['who minted last is missed for the life of its lease', { missedMs: leaseTtlMs }],
  ])('and %s: the channel has no owner and may be taken', async (_words, seen) => {
    const node = new Node(seen);
    expect([await node.claims.find(channelId), await node.claim()]).toEqual([null, 'taken']);
    expect(node.remembered).toEqual([]);
  });

  test('and the owner of the last epoch has been missing for less than its lease: it keeps the channel', async () => {
    const node = new Node({ missedMs: leaseTtlMs - 1 });
    expect([await node.claims.find(channelId), await node.claim()]).toEqual([other, other]);
  });

  test('and does not answer either: the look-up and the claim fail', async () => {
    const down = new StoreUnavailable('away');
    const node = new Node({ inStore: down });
    await expect(node.claims.find(channelId)).rejects.toBe(down);
    await expect(node.claims.claim(channelId)).rejects.toBe(down);
  });
});

describe('two nodes that disagree take a channel from each other only once', () => {
  const missed: Partial<Seen> = { missedMs: leaseTtlMs };

  test('a node that has replaced the other does so again only after links have changed', async () => {
    const node = new Node(missed);
    expect([await node.claim(), await node.claim(), await node.claims.find(channelId)]).toEqual([
      'taken',
      other,
      other,
    ]);
    node.links.changes += 1;
    expect([await node.claims.find(channelId), await node.claim(), await node.claim()]).toEqual([
      null,
      'taken',
      other,
    ]);
  });

  test('or after Redis has answered', async () => {
    const node = new Node(missed);
    await node.claim();
    node.claims.forgetTurns();
    expect([await node.claim(), await node.claim()]).toEqual(['taken', other]);
  });

  test.each<[string, string | null]>([
    ['nobody had before', null],
    ['it had itself before', self],
  ])('taking a channel that %s does not count', async (_words, inStore) => {
    const node = new Node({ ...missed, inStore });
    await node.claim();
    node.seen = { ...node.seen, inStore: other };
    expect(await node.claim()).toBe('taken');
  });

  test('a store that has lost its owners leaves nobody to take turns with', async () => {
    const node = new Node(missed);
    await node.claim();
    node.seen = { ...node.seen, inStore: null };
    expect([await node.claims.find(channelId), await node.claim()]).toEqual([null, 'taken']);
    expect(node.remembered).toEqual([]);
  });

  test('a node may always take back a channel of which it got the last epoch', async () => {
    const node = new Node(missed);
    await node.claim();
    node.seen = { ...node.seen, inStore: self };
    expect([await node.claims.find(channelId), await node.claim()]).toEqual([null, 'taken']);
  });
});

test('a refusal names the owner', () => {
  expect(new NotOwner(other)).toMatchObject({
    name: 'NotOwner',
    owner: other,
    message: 'another node owns the channel',
  });
});
