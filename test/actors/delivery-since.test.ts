/** The start of a delivery's latency, as it is measured, and the age of the oldest delivery and send for operators. */
import { expect, test } from '@jest/globals';
import { countFigures } from '../../actors/channel/turns/idle.ts';
import { echoOf, inboundOf, newYear } from '../rules/samples.ts';
import { fileFetched, fileOf, inboundOf as inboundWith } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';
import { accepted } from './support/turns.ts';
import { down } from './support/deliveries.ts';

const sinces = ({ posts }: LiveChannel) => posts.map(({ sent }) => sent.since - newYear);

function oldestSeconds({ state, clock }: LiveChannel): number | undefined {
  return state === null ? undefined : countFigures(state, clock.now()).deliveries_oldest_pending_seconds;
}

test("latency counts from upstream's report, however long the store took", async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  let answer: () => void = () => undefined;
  channel.lookUps = new Promise((resolve) => (answer = resolve));
  const taken = channel.facts(echoOf({ channelType: 'pagechat', upstreamId: 'foreign', recipient: 'mia' }));
  await channel.clock.pass(250);
  answer();
  await taken;
  expect([channel.posts.length, sinces(channel)]).toEqual([1, [0]]);
  expect([...channel.store.deliveries.values()].map(({ createdAt }) => createdAt - newYear)).toEqual([250]);
});

test('latency of a message with files counts from its arrival, not from the fetch', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  await channel.facts(inboundWith('a', [fileOf()]));
  await channel.clock.pass(7_000);
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect(sinces(channel)).toEqual([0]);
});

test('each attempt has the same start; the oldest delivery ages until it has ended', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = down;
  await channel.facts(inboundOf({ upstreamId: 'in-1' }));
  await channel.clock.pass(29_000);
  await channel.facts(inboundOf({ upstreamId: 'in-2' }));
  expect(oldestSeconds(channel)).toBe(29);
  channel.receiver = { ok: true, status: 200 };
  await channel.clock.pass(1_000);
  expect(sinces(channel)).toEqual([0, 29_000, 0]);
  expect(oldestSeconds(channel)).toBe(1);
  await channel.clock.pass(30_000);
  expect(oldestSeconds(channel)).toBe(0);
});

test('a new owner continues from the stored first attempt', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = down;
  await channel.facts(inboundOf({ upstreamId: 'in-1' }));
  await channel.clock.pass(10_000);
  await channel.takeOver();
  expect(oldestSeconds(channel)).toBe(10);
});

test('the oldest send ages until it has ended', async () => {
  const channel = await LiveChannel.started();
  const oldest = (): number | undefined =>
    channel.state === null
      ? undefined
      : countFigures(channel.state, channel.clock.now()).sends_oldest_open_seconds;
  await channel.send('m-1');
  await channel.clock.pass(4_000);
  await channel.send('m-2', 'noa');
  expect(oldest()).toBe(4);
  await channel.calls[0]?.answer(accepted('up-1'));
  await channel.clock.pass(1_000);
  expect(oldest()).toBe(1);
});
