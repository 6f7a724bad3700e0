/** Counting deliveries: bounded, each once, whatever the store does. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { countNames } from '../../../src/features/deliveries/hours.ts';
import type { DeliveryHour } from '../../../src/features/deliveries/hours.ts';
import { hourMs } from '../../../src/kernel/clock.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { DeliveryTally } from '../../../src/features/deliveries/tally.ts';
import { settingsOf } from '../../actors/support/turns.ts';
import { countTurns } from '../../support/loop-turns.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const never = () => Promise.reject(new Error('was not expected'));

let written: DeliveryHour[];
let writes: number;
/** How many writes succeed before the store is down. */
let takes: number;
let knows: (channelId: string) => Promise<Channel | null>;
let tally: DeliveryTally;
beforeEach(() => {
  written = [];
  writes = 0;
  takes = Infinity;
  knows = async (channelId) => ({ ...settingsOf({}).channel, id: channelId, accountId: `of ${channelId}` });
  const store = {
    async add(hours: readonly DeliveryHour[]) {
      if (takes === 0) throw new StoreUnavailable('away', 'no');
      takes -= 1;
      writes += 1;
      written.push(...hours);
    },
    since: async () => written,
    givenUpOfAll: never,
    dropOlder: never,
  };
  tally = new DeliveryTally(store, { byId: (channelId) => knows(channelId) });
});

const taken = (accountId: string, now = noon) =>
  tally.acknowledged({ accountId, attempt: 1, latencyMs: 5 }, now);
const summed = (name: (typeof countNames)[number]) => written.reduce((sum, hour) => sum + hour[name], 0);

test('nothing is written when nothing has ended', async () => {
  await tally.flush();
  expect(writes).toBe(0);
});

test('an account has one item for each hour, however many deliveries ended in it', async () => {
  for (let n = 0; n < 1_000; n += 1) taken('a');
  taken('a', noon + hourMs);
  tally.givenUp('a', noon);
  await tally.flush();
  expect(written.map(({ id, delivered }) => [id, delivered])).toEqual([
    [`a:${noon}`, 1_000],
    [`a:${noon + hourMs}`, 1],
    [`of a:${noon}`, 0],
  ]);
  await tally.flush();
  expect(writes).toBe(1);
});

test('deliveries accepted at the first attempt are counted apart from later ones, by duration', async () => {
  taken('a');
  tally.acknowledged({ accountId: 'a', attempt: 2, latencyMs: 60_000 }, noon);
  await tally.flush();
  expect([summed('delivered'), summed('retried'), summed('within20ms')]).toEqual([1, 1, 1]);
});

test('failures of one channel in two hours, or of two in one hour, are separate', async () => {
  tally.givenUp('a', noon);
  tally.givenUp('a', noon + hourMs);
  tally.givenUp('b', noon);
  await tally.flush();
  expect(written.map(({ id, givenUp }) => [id, givenUp])).toEqual([
    [`of a:${noon}`, 1],
    [`of a:${noon + hourMs}`, 1],
    [`of b:${noon}`, 1],
  ]);
});

test('unwritten counts are reported to their own account and channels only', async () => {
  taken('a');
  taken('b');
  tally.givenUp('channel', noon);
  tally.givenUp('channel', noon);
  tally.givenUp('another', noon);
  expect(await tally.hoursOf('a', ['channel'], noon)).toEqual([
    expect.objectContaining({ accountId: 'a', at: noon, delivered: 1, givenUp: 0 }),
    expect.objectContaining({ accountId: 'a', at: noon, delivered: 0, givenUp: 2 }),
  ]);
});

test.each([
  ['before', 0],
  ['while', 1],
  ['long after', 20],
])('an hour that is read %s it is written is counted once', async (_, turns) => {
  taken('a');
  const keeping = tally.flush();
  for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
  const [asked, askedToo] = await Promise.all([
    tally.hoursOf('a', [], noon),
    tally.hoursOf('a', [], noon),
    keeping,
  ]);
  expect(asked.map(({ delivered }) => delivered)).toEqual([1]);
  expect(askedToo).toEqual(asked);
});

test('beyond the bound of failing channels the first ones are counted', async () => {
  for (let n = 0; n < 20_001; n += 1) tally.givenUp(`channel ${n}`, noon);
  tally.givenUp('channel 0', noon);
  let asked = 0;
  knows = async () => {
    asked += 1;
    return null;
  };
  await tally.flush();
  expect(asked).toBe(20_000);
});

test('many accounts are written in batches; what the store did not accept is written the next time, once', async () => {
  for (let n = 0; n < 1_200; n += 1) taken(`account ${n}`);
  takes = 1;
  await expect(tally.flush()).rejects.toThrow('away');
  expect(written).toHaveLength(500);
  taken('account 1199');
  takes = Infinity;
  await tally.flush();
  expect([summed('delivered'), summed('within20ms'), written.length]).toEqual([1_201, 1_201, 1_200]);
});

test('an account whose failures could not be read is asked again', async () => {
  const known = knows;
  tally.givenUp('a', noon);
  tally.givenUp('a', noon);
  knows = () => Promise.reject(new StoreUnavailable('away', 'no'));
  await expect(tally.flush()).rejects.toThrow('away');
  knows = known;
  await Promise.all([tally.flush(), tally.flush()]);
  expect(summed('givenUp')).toBe(2);
});

test('beyond the bound of accounts the first ones are counted', async () => {
  for (let n = 0; n < 20_010; n += 1) taken(`account ${n}`);
  for (let n = 0; n < 20_010; n += 1) tally.givenUp('a', noon + n * hourMs);
  await tally.flush();
  expect(written).toHaveLength(20_000);
});

test('[faults: I9] the accounts of ten thousand channels are looked up in many turns of the event loop', async () => {
  for (let n = 0; n < 10_000; n += 1) tally.givenUp(`channel-${n}`, noon);
  const turns = countTurns();
  await tally.flush();
  expect(turns()).toBeGreaterThan(50);
  expect(summed('givenUp')).toBe(10_000);
});
