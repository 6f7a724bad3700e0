/** [operator-interface §4: content of given-up events] */
import { expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { countFigures } from '../../actors/channel/turns/idle.ts';
import { inboundOf } from '../rules/samples.ts';
import { LiveChannel } from './support/live-channel.ts';
import { hourMs } from '../../src/kernel/clock.ts';
import { down } from './support/deliveries.ts';

/** A channel that keeps failed deliveries for a week, with this many events for a receiver that is down. */
async function failing(count: number, channel = {}): Promise<LiveChannel> {
  const live = await LiveChannel.started({ channel: { failedRetentionDays: 7, ...channel } });
  live.receiver = down;
  for (let n = 0; n < count; n += 1) await live.facts(inboundOf({ upstreamId: `in-${n}` }));
  return live;
}

const kept = (live: LiveChannel) =>
  [...live.store.deliveries.values()].map(({ state, payload, keptSince, keptBytes }) => ({
    state,
    isKept: payload !== null && keptSince !== null && keptBytes === payload.length,
  }));

const [isKept, isErased] = [
  { state: 'failed', isKept: true },
  { state: 'failed', isKept: false },
];

test('a failed delivery is kept with its content, from the time at which it failed', async () => {
  const live = await failing(1);
  await live.clock.pass(hourMs);
  expect(kept(live)).toEqual([isKept]);
  const [delivery] = live.store.deliveries.values();
  expect(delivery?.keptSince).toBe((delivery?.createdAt ?? 0) + 690_000);
});

test.each([
  ['does not ask for it', { failedRetentionDays: 0 }],
  ['is inactive', { isActive: false }],
])('a channel that %s keeps nothing', async (_why, changed) => {
  const live = await failing(1);
  await live.change({ channel: { failedRetentionDays: 7, ...changed } });
  await live.clock.pass(hourMs);
  expect(kept(live)).toEqual([isErased]);
});

test('a delivery that cannot be decrypted is not kept', async () => {
  const live = await failing(1);
  live.receiver = { ok: false, status: null, reason: 'payload unreadable' };
  await live.clock.pass(hourMs);
  expect(kept(live)).toEqual([isErased]);
});

test('a delivery that passed its deadline without another attempt, or whose event is disabled, is kept too', async () => {
  const live = await failing(1);
  live.mood = () => 'down';
  await live.clock.pass(hourMs);
  live.mood = () => 'well';
  await live.takeOver();
  await live.clock.pass(hourMs);
  expect(kept(live)).toEqual([isKept]);
  await live.facts(inboundOf({ upstreamId: 'later' }));
  await live.change({ channel: { failedRetentionDays: 7, webhookEvents: [] } });
  await live.clock.pass(hourMs);
  expect(kept(live)).toEqual([isKept, isKept]);
});

test('beyond 64 MiB a failed delivery is erased; the sum is read from the store with the settings', async () => {
  const live = await failing(3);
  const bytes = [...live.store.deliveries.values()][0]?.payload?.length ?? 0;
  const { keptBytes: others } = limits;
  live.store.keptBefore = others - 2 * bytes;
  await live.ask({ type: 'reload' });
  await live.clock.pass(hourMs);
  expect(kept(live)).toEqual([isKept, isKept, isErased]);
  await live.facts(inboundOf({ upstreamId: 'later' }));
  await live.clock.pass(hourMs);
  expect(kept(live).at(-1)).toEqual(isErased);
  live.store.keptBefore = 0;
  await live.ask({ type: 'reload' });
  await live.facts(inboundOf({ upstreamId: 'last' }));
  await live.clock.pass(hourMs);
  expect(kept(live).at(-1)).toEqual(isKept);
  expect(live.state?.kept.decided).toBe(live.state?.kept.recorded);
});

test('a kept delivery is counted once, however often the settings are read', async () => {
  const live = await failing(2);
  await live.clock.pass(hourMs);
  const bytes = [...live.store.deliveries.values()].reduce((sum, { keptBytes }) => sum + (keptBytes ?? 0), 0);
  await live.ask({ type: 'reload' });
  const figures = live.state === null ? {} : countFigures(live.state, live.clock.now());
  expect(figures).toMatchObject({ deliveries_kept_bytes: bytes });
});
