/** [architecture §4, §7] A node compares its channels with the store, all of them after an outage of Redis. */
import { describe, expect, test } from '@jest/globals';
import { Confirmations } from '../../src/ownership/confirmations.ts';
import { Grant } from '../../src/ownership/grant.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { makeLog } from '../../src/kernel/log.ts';

const other = 'other:1';
const epoch = 7;

/** A node that owns these channels; Redis has had no outage, and the store has no higher epoch. */
class Owner {
  readonly lease = { outages: 1, isSure: (): boolean => this.isSure };
  readonly granted = new Map<string, Grant>();
  isSure = true;
  /** The epochs in the store that differ. */
  readonly minted = new Map<string, number>();
  storeIsAway = false;
  /** Channels that never had an owner, by the store. */
  unknown = '';
  /** Runs while the store is asked. */
  meanwhile = (): void => undefined;
  readonly asked: string[][] = [];
  readonly overtaken: string[] = [];
  readonly told: unknown[] = [];
  readonly confirmations: Confirmations;

  constructor(channels: number, { confirmedIn = 1 }: { confirmedIn?: number | null } = {}) {
    for (let n = 0; n < channels; n += 1) this.own(`channel-${n}`, confirmedIn);
    this.confirmations = new Confirmations({
      granted: this.granted,
      lease: this.lease,
      owners: { lastOwners: (channelIds) => this.#lastOwners(channelIds) },
      log: makeLog('debug', { write: (line) => void this.told.push(JSON.parse(line)) }),
      onOvertaken: (channelId) => void this.overtaken.push(channelId),
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

  isSureOf(channelId: string): boolean | undefined {
    return this.granted.get(channelId)?.isSure();
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
    expect(owner.overtaken).toEqual(overtaken);
  });

  test('that was given up and acquired again during the query is left alone', async () => {
    const owner = new Owner(1);
    owner.minted.set('channel-0', epoch + 1);
    owner.meanwhile = () => owner.own('channel-0', 1);
    await owner.look();
    expect(owner.overtaken).toEqual([]);
  });

  test.each<[string, number | null]>([
    ['acquired without Redis', null],
    ['owned throughout an outage', 0],
  ])('that was %s is sure once the store still names its epoch', async (_words, confirmedIn) => {
    const owner = new Owner(1, { confirmedIn });
    expect(owner.isSureOf('channel-0')).toBe(false);
    await owner.look();
    expect(owner.isSureOf('channel-0')).toBe(true);
  });

  test('is not sure if an outage began while the store was asked', async () => {
    const owner = new Owner(1, { confirmedIn: null });
    owner.meanwhile = () => (owner.lease.outages = 2);
    await owner.look();
    expect(owner.isSureOf('channel-0')).toBe(false);
  });

  test.each<[string, (owner: Owner) => void]>([
    ['Redis does not answer', (owner) => void (owner.isSure = false)],
    [
      'Redis answers only when the store has',
      (owner) => {
        owner.isSure = false;
        owner.meanwhile = () => (owner.isSure = true);
      },
    ],
    ['the store has a higher epoch', (owner) => void owner.minted.set('channel-0', epoch + 1)],
  ])('stays unsure while %s', async (_words, happens) => {
    const owner = new Owner(1, { confirmedIn: null });
    happens(owner);
    await owner.look();
    owner.isSure = true;
    expect(owner.isSureOf('channel-0')).toBe(false);
  });

  test('that the store does not know does not delay others', async () => {
    const owner = new Owner(2);
    owner.unknown = 'channel-0';
    owner.minted.set('channel-1', epoch + 1);
    await owner.look();
    expect(owner.overtaken).toEqual(['channel-1']);
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
    expect([owner.sizes, owner.isSureOf('channel-699')]).toEqual([[500, 200], true]);
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
