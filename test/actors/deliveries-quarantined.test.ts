/** [faults: 151] A POST is counted before it starts; one that crashes owner after owner is quarantined, and the channel's other deliveries continue. */
import { expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import { inboundOf } from '../rules/samples.ts';
import { LiveChannel } from './support/live-channel.ts';
import { up, down } from './support/deliveries.ts';

/** A channel with deliveries in flight to a receiver that has not answered. */
async function posting(events: number): Promise<LiveChannel> {
  const channel = await LiveChannel.started();
  channel.receiver = 'by hand';
  await channel.facts(...Array.from({ length: events }, (_, n) => inboundOf({ upstreamId: `in-${n}` })));
  return channel;
}

const onRecord = (channel: LiveChannel): unknown[] =>
  [...channel.store.deliveries.values()].map(({ state, claims, lastResult }) => [state, claims, lastResult]);
/** Replaces this many owners while they post; the last one quarantines the delivery. */
async function loseOwners(channel: LiveChannel, owners: number = limits.deliveryCrashes): Promise<void> {
  for (let lost = 0; lost < owners; lost += 1) await channel.takeOver();
}
const alerts = (channel: LiveChannel): number =>
  channel.store.mails.filter(({ kind }) => kind === 'webhook-alert').length;

test('a POST that crashed owner after owner is quarantined: its client gets an alert, and other deliveries continue', async () => {
  const channel = await posting(1);
  expect(onRecord(channel)).toEqual([['pending', 0, null]]);
  await channel.takeOver();
  expect([channel.posts.length, onRecord(channel)]).toEqual([2, [['pending', 2, null]]]);
  await loseOwners(channel, limits.deliveryCrashes - 1);
  const posts = limits.deliveryCrashes;
  expect([channel.posts.length, onRecord(channel)]).toEqual([posts, [['failed', 0, 'put aside']]]);
  expect([channel.aside.length, alerts(channel)]).toEqual([1, 1]);
  await channel.facts(inboundOf({ upstreamId: 'next' }));
  await channel.posts.at(-1)?.answer(up);
  expect(onRecord(channel).at(-1)).toEqual(['delivered', 0, '204']);
});

test('POSTs that were in flight at a crash are made one after another by the next owner; a slow one lets the next start', async () => {
  const channel = await posting(3);
  await channel.takeOver();
  expect(channel.posts.length).toBe(4);
  await channel.posts.at(-1)?.answer(up);
  expect(channel.posts.length).toBe(5);
  await channel.clock.pass(limits.slowPostMs);
  expect(channel.posts.length).toBe(6);
});

test('a delivery that cannot have been in flight is no suspect, and waits for none', async () => {
  const channel = await posting(limits.posts + 2);
  await channel.takeOver();
  await channel.posts[limits.posts]?.answer(up);
  await channel.clock.pass(limits.posts * limits.slowPostMs);
  const claims = [...channel.store.deliveries.values()].map((delivery) => delivery.claims);
  expect(claims).toEqual([...Array.from({ length: limits.posts }, () => 2), 0, 1]);
});

test('an outcome resets the count: a receiver that is down crashes nobody', async () => {
  const channel = await posting(1);
  channel.receiver = down;
  await channel.takeOver();
  expect(onRecord(channel)).toEqual([['pending', 0, '503']]);
  channel.receiver = 'by hand';
  await channel.clock.pass(30_000);
  expect(onRecord(channel)).toEqual([['pending', 1, '503']]);
  await channel.takeOver();
  expect(onRecord(channel)).toEqual([['pending', 2, '503']]);
  await loseOwners(channel, limits.deliveryCrashes - 1);
  expect(onRecord(channel)).toEqual([['failed', 0, 'put aside']]);
});

test("an operator's retry makes another delivery with the same body", async () => {
  const channel = await posting(1);
  const first = channel.posts[0]?.sent.body;
  await loseOwners(channel);
  const { event, timestamp, data } = JSON.parse(Buffer.from(first ?? []).toString());
  const told = { event, messageId: data.message_id, at: Date.parse(timestamp), data, again: 7 };
  expect(await channel.ask({ type: 'emit', told })).toEqual({ status: 'emitted' });
  await channel.settled;
  expect(Buffer.from(channel.posts.at(-1)?.sent.body ?? []).equals(Buffer.from(first ?? []))).toBe(true);
  expect(channel.store.deliveries.size).toBe(2);
});

test('a suspect whose turn comes while its owner drains is not claimed, and delays no drain', async () => {
  const channel = await posting(2);
  await channel.takeOver();
  const draining = channel.drain();
  await channel.clock.pass(limits.slowPostMs);
  expect(channel.posts.length).toBe(3);
  expect(onRecord(channel)).toEqual([
    ['pending', 2, null],
    ['pending', 0, null],
  ]);
  await channel.posts.at(-1)?.answer(up);
  await draining;
  expect(onRecord(channel)).toEqual([
    ['delivered', 0, '204'],
    ['pending', 0, null],
  ]);
});

test('a suspect that the node could not post was not in flight: a second crash does not quarantine it', async () => {
  const channel = await posting(1);
  await channel.takeOver();
  await channel.posts.at(-1)?.answer({ ok: false, status: null, reason: 'busy' });
  expect(onRecord(channel)).toEqual([['pending', 0, null]]);
  await channel.takeOver();
  expect([channel.posts.length, channel.aside.length]).toEqual([3, 0]);
});
