/** Failed deliveries that are kept get a manual retry or a replay. [operator-interface §3: Additive paths] */
import { expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { inboundOf } from '../rules/samples.ts';
import { pendingOf } from '../stores/conformance/views.ts';
import { LiveChannel } from './support/live-channel.ts';
import { hourMs } from '../../src/kernel/clock.ts';
import { up, down } from './support/deliveries.ts';

/** A channel that keeps failed deliveries, with this many that failed within the last hour. */
async function keeping(count: number): Promise<LiveChannel> {
  const live = await LiveChannel.started({ channel: { failedRetentionDays: 7 } });
  live.receiver = down;
  for (let n = 0; n < count; n += 1) await live.facts(inboundOf({ upstreamId: `in-${n}` }));
  await live.clock.pass(hourMs);
  live.posts.length = 0;
  return live;
}

const states = (live: LiveChannel): string[] =>
  [...live.store.deliveries.values()].map(({ state }) => state).toSorted();

/** Returns a manual retry of the `n`th delivery, as the portal sends it: with what the store holds now. */
function askAgain(live: LiveChannel, n = 0): () => Promise<unknown> {
  const found = [...live.store.deliveries.values()][n];
  if (found === undefined) throw new Error('there is no such delivery');
  const ask = {
    type: 'retry-delivery',
    delivery: pendingOf(found),
    keptSince: found.keptSince ?? 0,
  } as const;
  return () => live.ask(ask);
}

/** Starts a replay of everything that has been kept until now. */
function replay(live: LiveChannel): void {
  live.store.replays.push({ id: 'replay-1', since: 0, until: live.clock.now(), events: null });
  live.tell({ type: 'replay' });
}

test('a manual retry: the delivery gets all its attempts again', async () => {
  const live = await keeping(2);
  expect(await askAgain(live)()).toEqual({ status: 'retrying' });
  await live.settled;
  expect([live.posts.length, states(live)]).toEqual([1, ['failed', 'pending']]);
  await live.clock.pass(hourMs);
  expect([live.posts.length, states(live)]).toEqual([8, ['failed', 'failed']]);
});

test('a manual retry of a delivery that is in flight, or was delivered meanwhile, is refused', async () => {
  const live = await keeping(1);
  const again = askAgain(live);
  live.receiver = 'by hand';
  await again();
  await expect(again()).rejects.toMatchObject({ code: 'conflict' });
  await live.posts[0]?.answer(up);
  await expect(again()).rejects.toMatchObject({ code: 'conflict' });
  expect([live.posts.length, states(live)]).toEqual([1, ['delivered']]);
});

test('a manual retry whose revival the store does not confirm: overloaded, and the delivery is posted nevertheless', async () => {
  const live = await keeping(1);
  live.receiver = up;
  live.mood = () => 'silent';
  const [delivery] = live.store.deliveries.keys();
  live.lines.length = 0;
  await expect(askAgain(live)()).rejects.toMatchObject({ code: 'overloaded' });
  expect(live.lines[0]).toEqual(['delivery.not-revived', { channel: 'channel-1', delivery, times: 1 }]);
  live.mood = () => 'well';
  await live.clock.pass(hourMs);
  expect(states(live)).toEqual(['delivered']);
});

test('a replay: all deliveries, in batches, each once, in the order of the events', async () => {
  const count = limits.replayed + 40;
  const live = await keeping(count);
  live.receiver = 'by hand';
  replay(live);
  await live.clock.pass(1);
  expect(live.posts.length).toBe(limits.posts);
  expect(live.state?.deliveries.open.size).toBeLessThanOrEqual(limits.replayed);
  for (let n = 0; n < live.posts.length; n += 1) await live.posts[n]?.answer(up);
  expect([...live.store.revivals.values()]).toEqual(Array.from({ length: count }, () => 1));
  expect([new Set(states(live)), live.posts.length]).toEqual([new Set(['delivered']), count]);
  expect(live.store.replays).toEqual([]);
  expect(live.state?.deliveriesAtWork?.replay ?? null).toBeNull();
});

test('an unfinished replay is continued by the next owner', async () => {
  const count = limits.replayed + 40;
  const live = await keeping(count);
  live.receiver = 'by hand';
  replay(live);
  await live.clock.pass(1);
  expect(live.store.replays).toHaveLength(1);
  live.receiver = up;
  await live.takeOver();
  live.tell({ type: 'replay' });
  await live.clock.pass(hourMs);
  expect([new Set(states(live)), live.store.replays]).toEqual([new Set(['delivered']), []]);
});

test('of two replays the second starts when the first has ended', async () => {
  const live = await keeping(1);
  live.receiver = up;
  replay(live);
  live.store.replays.push({ id: 'replay-2', since: 0, until: live.clock.now(), events: null });
  await live.clock.pass(1);
  expect([live.posts.length, live.store.replays]).toEqual([1, []]);
});

test('a store that does not answer delays a replay, and no delivery is left out', async () => {
  const live = await keeping(3);
  live.receiver = up;
  let faults = 2;
  live.mood = () => ((faults -= 1) >= 0 ? 'silent' : 'well');
  replay(live);
  await live.clock.pass(hourMs);
  expect([new Set(states(live)), live.store.replays]).toEqual([new Set(['delivered']), []]);
});

test('a delivery that fails again during the replay is not replayed a second time', async () => {
  const live = await keeping(2);
  replay(live);
  await live.clock.pass(hourMs);
  expect([live.posts.length, states(live)]).toEqual([16, ['failed', 'failed']]);
});

test('a manual retry during a replay: both continue', async () => {
  const live = await keeping(limits.replayed + 40);
  live.receiver = 'by hand';
  replay(live);
  const last = askAgain(live, limits.replayed + 39);
  expect(await last()).toEqual({ status: 'retrying' });
  for (let n = 0; n < live.posts.length; n += 1) await live.posts[n]?.answer(up);
  expect([new Set(states(live)), live.posts.length]).toEqual([new Set(['delivered']), limits.replayed + 40]);
});
