/** [faults: I11] Files that are slow or fail repeatedly leave slots for other messages' files. */
import { expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { FileOutcome } from '../../src/rules/outside.ts';
import { fileFetched, fileOf, inboundOf, toldBy } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';

const failed: FileOutcome = { outcome: 'failed', error: 'No file', mayPass: true };
const most = limits.fetches + limits.slowFetches;

/** A channel with this many images whose fetches hang, each from another person. */
async function hanging(count: number): Promise<LiveChannel> {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  for (let n = 0; n < count; n += 1) await channel.facts(imageOf(`slow-${n}`));
  return channel;
}

const imageOf = (name: string) => inboundOf(name, [fileOf(name)], `person of ${name}`);

function asked(channel: LiveChannel): (string | null)[] {
  return channel.fetches.map(({ sent }) => sent.file.mediaId);
}

test('a first attempt never waits behind retries of other files', async () => {
  const channel = await hanging(3 * limits.fetches);
  for (let next = 0; next < 3 * limits.fetches; next += 1) await channel.fetches[next]?.answer(failed);
  await channel.clock.pass(1_000);
  expect(asked(channel).slice(3 * limits.fetches)).toHaveLength(limits.fetches); // the retries, which hang
  await channel.facts(imageOf('good'));
  expect(asked(channel).at(-1)).toBe('good');
  await channel.fetches.at(-1)?.answer(fileFetched('good'));
  expect(toldBy(channel)).toEqual(['good']);
});

test('of the retries, those with fewer attempts are first', async () => {
  const channel = await hanging(limits.fetches);
  for (const at of [0, 1, 2, 3]) await channel.fetches[at]?.answer(failed);
  await channel.clock.pass(1_000);
  const retries = channel.fetches.slice(-limits.fetches);
  await channel.facts(imageOf('new'));
  await channel.fetches.at(-1)?.answer(failed);
  await retries[0]?.answer(failed);
  await channel.clock.pass(5_000);
  expect(asked(channel).at(-1)).toBe('new');
  await retries[1]?.answer(fileFetched('b'));
  expect(asked(channel).at(-1)).toBe('slow-0');
});

test('a slow fetch leaves its slot to the next, up to a bound', async () => {
  const channel = await hanging(30);
  await channel.facts(imageOf('good'));
  const counts = [channel.fetches.length];
  for (let round = 0; round < 4; round += 1) {
    await channel.clock.pass(limits.slowFetchMs);
    counts.push(channel.fetches.length);
  }
  expect(counts).toEqual([4, 8, most, most, most]);
});

test.each([
  ['all files have their places', limits.fetches, 0],
  ['no place can come free by slowness', 30, 3],
])('the channel sets no further alarm if %s', async (_, count, rounds) => {
  const channel = await hanging(count);
  await channel.clock.pass(rounds * limits.slowFetchMs);
  expect(channel.fetches).toHaveLength(Math.min(count, most));
  expect(channel.state?.wakeAt).toBeGreaterThan(channel.clock.now() + limits.slowFetchMs);
});

test("thirty files that stall until their timeout do not block another file's first attempt", async () => {
  const channel = await hanging(30);
  await channel.facts(imageOf('good'));
  const stallMs = 3 * limits.slowFetchMs;
  const startedAt: number[] = [];
  let rounds = 0;
  for (; rounds < 10 && !asked(channel).includes('good'); rounds += 1) {
    while (startedAt.length < channel.fetches.length) startedAt.push(channel.clock.now());
    await channel.clock.pass(limits.slowFetchMs);
    for (const [at, since] of startedAt.entries())
      if (since + stallMs === channel.clock.now()) await channel.fetches[at]?.answer(failed);
  }
  expect(asked(channel)).toContain('good');
  expect(rounds).toBeLessThanOrEqual(8);
});

test('operators see how many files are being prepared', async () => {
  const channel = await hanging(6);
  expect(await channel.ask({ type: 'inspect' })).toMatchObject({ filesOpen: 6 });
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect(await channel.ask({ type: 'inspect' })).toMatchObject({ filesOpen: 5 });
});
