/** [architecture §4, §7] A node compares its channels with the store, and claims them in Redis again after an outage. */
import { describe, expect, test } from '@jest/globals';
import { Confirmations } from '../../src/ownership/confirmations.ts';
import { Grant } from '../../src/ownership/grant.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { makeLog } from '../../src/kernel/log.ts';

const [self, other] = ['self:1', 'other:1'];
const epoch = 7;

/** A node that owns these channels; Redis has had no outage, and the store has no higher epoch. */
class Owner {
  readonly lease = { outages: 1, isSure: (): boolean => this.isSure };
  readonly granted = new Map<string, Grant>();
  isSure = true;
  /** The epochs in the store that differ. */
  readonly minted = new Map<string, number>();
  /** The owner of the channel in Redis; null: this node's lease is gone. */
  inRedis: string | null = self;
  storeIsAway = false;
  /** Channels that never had an owner, by the store. */
  unknown = '';
  /** Runs while the store is asked. */
  meanwhile = (): void => undefined;
  meanwhileClaiming = (): void => undefined;
  readonly asked: string[][] = [];
  readonly claimed: string[] = [];
  readonly overtaken: string[] = [];
  readonly elsewhere: string[] = [];
  readonly told: unknown[] = [];
  readonly confirmations: Confirmations;

  constructor(channels: number, { confirmedIn = 1 }: { confirmedIn?: number | null } = {}) {
    for (let n = 0; n < channels; n += 1) this.own(`channel-${n}`, confirmedIn);
    this.confirmations = new Confirmations({
      incarnation: self,
      granted: this.granted,
      lease: this.lease,
      directory: { claim: (channelId) => this.#claim(channelId) },
      owners: { lastOwners: (channelIds) => this.#lastOwners(channelIds) },
      log: makeLog('debug', { write: (line) => void this.told.push(JSON.parse(line)) }),
      onOvertaken: (channelId) => void this.overtaken.push(channelId),
      onClaimedElsewhere: (channelId) => void this.elsewhere.push(channelId),
    });
  }

  own(channelId: string, confirmedIn: number | null): void {
    const grant = new Grant(epoch, { isOfTerm: () => true, lease: this.lease, confirmedIn });
    this.granted.set(channelId, grant);
  }

  look(): Promise<void> {
    return this.confirmations.confirmNext();
  }

  /** The number of channels in each query to the store. */
  get sizes(): number[] {
    return this.asked.map(({ length }) => length);
  }

  async #claim(channelId: string): Promise<string | null> {
    this.claimed.push(channelId);
    this.meanwhileClaiming();
    return this.inRedis;
  }

  async #lastOwners(channelIds: readonly string[]) {
    this.asked.push([...channelIds]);
    this.meanwhile();
    if (this.storeIsAway) throw new StoreUnavailable('away');
    return new Map(
      channelIds
        .filter((id) => id !== this.unknown)
        .map((id) => [id, { epoch: this.minted.get(id) ?? epoch, incarnation: other }]),
    );
  }
}

describe('a channel', () => {
  test.each([
    ['a higher epoch', epoch + 1, ['channel-0']],
    ['its own epoch', epoch, []],
    ['a lower one, of a store that was restored', epoch - 1, []],
  ])('for which the store has %s: given up are %j', async (_words, minted, overtaken) => {
    const owner = new Owner(2);
    owner.minted.set('channel-0', minted);
    await owner.look();
    expect([owner.overtaken, owner.claimed]).toEqual([overtaken, []]);
  });

  test('that was given up and acquired again during the query is left alone', async () => {
    const owner = new Owner(1);
    owner.minted.set('channel-0', epoch + 1);
    owner.meanwhile = () => owner.own('channel-0', 1);
    await owner.look();
    expect(owner.overtaken).toEqual([]);
  });

  test('that was acquired without Redis is claimed there once, and is sure then', async () => {
    const owner = new Owner(1, { confirmedIn: null });
    await owner.look();
    await owner.look();
    expect([owner.claimed, owner.granted.get('channel-0')?.isSure()]).toEqual([['channel-0'], true]);
  });

  test('that was owned throughout an outage is claimed again', async () => {
    const owner = new Owner(1);
    owner.lease.outages = 2;
    await owner.look();
    expect([owner.claimed, owner.granted.get('channel-0')?.confirmedIn]).toEqual([['channel-0'], 2]);
  });

  test('is not sure if an outage began during the claim', async () => {
    const owner = new Owner(1, { confirmedIn: null });
    owner.meanwhile = () => (owner.lease.outages = 2);
    await owner.look();
    expect(owner.granted.get('channel-0')?.isSure()).toBe(false);
  });

  test('is not claimed while Redis does not answer, nor if the store has a higher epoch', async () => {
    const owner = new Owner(1, { confirmedIn: null });
    owner.isSure = false;
    await owner.look();
    owner.isSure = true;
    owner.minted.set('channel-0', epoch + 1);
    await owner.look();
    expect([owner.claimed, owner.overtaken]).toEqual([[], ['channel-0']]);
  });

  test('that Redis gives to another node is handed over', async () => {
    const owner = new Owner(1, { confirmedIn: null });
    owner.inRedis = other;
    await owner.look();
    expect([owner.elsewhere, owner.granted.get('channel-0')?.isSure()]).toEqual([['channel-0'], false]);
  });

  test('that was given up and acquired again during the claim is left alone', async () => {
    const owner = new Owner(1, { confirmedIn: null });
    owner.inRedis = other;
    owner.meanwhileClaiming = () => owner.own('channel-0', 1);
    await owner.look();
    expect(owner.elsewhere).toEqual([]);
  });

  test('that the store does not know does not delay others', async () => {
    const owner = new Owner(2);
    owner.unknown = 'channel-0';
    owner.minted.set('channel-1', epoch + 1);
    await owner.look();
    expect(owner.overtaken).toEqual(['channel-1']);
  });

  test('of a node whose lease is gone is claimed the next time', async () => {
    const owner = new Owner(1, { confirmedIn: null });
    owner.inRedis = null;
    await owner.look();
    expect([owner.elsewhere, owner.granted.get('channel-0')?.isSure()]).toEqual([[], false]);
    owner.inRedis = self;
    await owner.look();
    expect(owner.granted.get('channel-0')?.isSure()).toBe(true);
  });

  test('that has been given up is skipped', async () => {
    const owner = new Owner(150);
    await owner.look();
    owner.granted.delete('channel-120');
    for (const each of ['channel-120', 'channel-130']) owner.minted.set(each, epoch + 1);
    await owner.look();
    expect(owner.overtaken).toEqual(['channel-130']);
  });
});

describe('a check', () => {
  test.each([
    [true, [100, 100, 100, 100, 100, 100]],
    [false, [500, 100, 500]],
  ])('(Redis answers: %s) covers some of the channels, in turn, then starts again', async (isSure, sizes) => {
    const owner = new Owner(600);
    owner.isSure = isSure;
    if (!isSure) owner.lease.outages += 1;
    for (const _ of sizes) await owner.look();
    expect(owner.sizes).toEqual(sizes);
    const round = owner.asked.flat().slice(0, 600);
    expect(new Set(round).size).toBe(600);
  });

  test('covers all unconfirmed channels, five hundred at a time', async () => {
    const owner = new Owner(700);
    owner.lease.outages = 2;
    await owner.look();
    expect([owner.sizes, owner.claimed.length]).toEqual([[500, 200], 700]);
  });

  test('during another check is skipped', async () => {
    const owner = new Owner(150);
    await Promise.all([owner.look(), owner.look()]);
    expect(owner.sizes).toEqual([100]);
    await owner.look();
    expect(owner.sizes).toEqual([100, 50]);
  });

  test('that the store does not answer is repeated', async () => {
    const owner = new Owner(1);
    owner.minted.set('channel-0', epoch + 1);
    owner.storeIsAway = true;
    await owner.look();
    owner.storeIsAway = false;
    await owner.look();
    expect(owner.overtaken).toEqual(['channel-0']);
    expect(owner.told).toMatchObject([{ msg: 'ownership.not-confirmed', error: { message: 'away' } }]);
  });
});
