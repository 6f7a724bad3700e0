/** [spec: Ordered delivery; faults: 382] The events of one person one at a time, in order, whatever fails. */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { InboundMessage } from '../../src/rules/messages/facts.ts';
import { inboundOf } from '../rules/samples.ts';
import { pendingOf } from '../stores/conformance/views.ts';
import { LiveChannel } from './support/live-channel.ts';
import { down, up } from './support/deliveries.ts';

const minute = 60_000;
const ordered = { channel: { ordered: true } };

const inbound = (n: number, from = 'mia'): InboundMessage => inboundOf({ upstreamId: `in-${n}`, from });

async function started(start: object = ordered): Promise<LiveChannel> {
  const channel = await LiveChannel.started(start);
  channel.receiver = 'by hand';
  return channel;
}

/** What each POST was about: the text tells the order in which upstream told the messages. */
const posted = ({ posts, store }: LiveChannel) =>
  posts.map(({ sent }) => [...store.deliveries.keys()].indexOf(sent.deliveryId) + 1);

test('the next waits until the outcome of the one before is stored', async () => {
  const channel = await started();
  await channel.facts(inbound(1), inbound(2), inbound(3));
  expect(posted(channel)).toEqual([1]);
  await channel.posts[0]?.answer(up);
  expect(posted(channel)).toEqual([1, 2]);
  await channel.posts[1]?.answer(down);
  expect(posted(channel)).toEqual([1, 2]);
  await channel.clock.pass(minute);
  expect(posted(channel)).toEqual([1, 2, 2]);
  await channel.posts[2]?.answer(up);
  expect(posted(channel)).toEqual([1, 2, 2, 3]);
});

test('people do not wait for each other', async () => {
  const channel = await started();
  await channel.facts(inbound(1), inbound(2), inbound(3, 'ben'), inbound(4, 'ben'));
  expect(posted(channel)).toEqual([1, 3]);
  await channel.posts[1]?.answer(up);
  expect(posted(channel)).toEqual([1, 3, 4]);
});

test('a person with two names is one', async () => {
  const channel = await started();
  await channel.facts({ ...inbound(1), userId: 'US.1' }, inbound(2, 'US.1'), inbound(3, 'ben'));
  expect(posted(channel)).toEqual([1, 3]);
});

test('without the option a failing event holds up none', async () => {
  const channel = await started({});
  await channel.facts(inbound(1), inbound(2));
  expect(posted(channel)).toEqual([1, 2]);
  expect([...channel.store.deliveries.values()].map(({ sequence }) => sequence)).toEqual([null, null]);
});

test('a receiver that is down for good frees the next when the one before is given up', async () => {
  const channel = await started();
  channel.receiver = down;
  await channel.facts(inbound(1), inbound(2));
  await channel.clock.pass(40 * minute);
  const states = [...channel.store.deliveries.values()].map(({ state, attempts }) => [state, attempts]);
  expect(states).toEqual([
    ['failed', 8],
    ['failed', 8],
  ]);
  expect(posted(channel)).toEqual([
    ...Array.from({ length: 8 }, () => 1),
    ...Array.from({ length: 8 }, () => 2),
  ]);
});

describe('after a crash', () => {
  test('between claim and outcome the same event is posted again, before those behind it', async () => {
    const channel = await started();
    await channel.facts(inbound(1), inbound(2));
    await channel.takeOver();
    await channel.clock.pass(1_000);
    expect(posted(channel)).toEqual([1, 1]);
    await channel.posts[1]?.answer(up);
    expect(posted(channel)).toEqual([1, 1, 2]);
  });

  test('a failed event that is due later is before those that came after it, though they are due', async () => {
    const channel = await started();
    await channel.facts(inbound(1), inbound(2));
    await channel.posts[0]?.answer(down);
    await channel.takeOver();
    await channel.facts(inbound(3));
    expect(posted(channel)).toEqual([1]);
    await channel.clock.pass(minute);
    expect(posted(channel)).toEqual([1, 1]);
  });

  test('so it is when more is pending than memory holds, and all are posted in order', async () => {
    const channel = await started();
    const many = limits.deliveries + 50;
    await channel.facts(inbound(1));
    await channel.posts[0]?.answer(down);
    for (let n = 2; n <= many; n += 50)
      await channel.facts(...Array.from({ length: Math.min(50, many - n + 1) }, (_, at) => inbound(n + at)));
    await channel.takeOver();
    expect(posted(channel)).toEqual([1]);
    channel.receiver = up;
    for (let step = 0; step < 100 && posted(channel).length <= many; step += 1)
      await channel.clock.pass(minute);
    const seen = posted(channel);
    expect(seen).toEqual([1, ...Array.from({ length: many }, (_, at) => at + 1)]);
    expect([...channel.store.deliveries.values()].every(({ state }) => state === 'delivered')).toBe(true);
  });
});

test('what was pending before the option is on comes first', async () => {
  const channel = await started({});
  channel.receiver = down;
  await channel.facts(inbound(1));
  channel.receiver = 'by hand';
  await channel.change(ordered);
  await channel.facts(inbound(2));
  expect(posted(channel)).toEqual([1]);
  await channel.clock.pass(minute);
  await channel.posts.at(-1)?.answer(up);
  expect(posted(channel)).toEqual([1, 1, 2]);
});

test('an event that was given up and is retried on request waits for the one that is under way', async () => {
  const channel = await started({ channel: { ordered: true, failedRetentionDays: 7 } });
  channel.receiver = down;
  await channel.facts(inbound(1));
  await channel.clock.pass(40 * minute);
  channel.receiver = 'by hand';
  await channel.facts(inbound(2));
  const before = posted(channel).length;
  const [givenUp] = [...channel.store.deliveries.values()];
  if (givenUp?.keptSince == null) throw new Error('it is kept');
  // As a client asks: without its person and its place.
  const { person: _, sequence: _place, ...delivery } = pendingOf(givenUp);
  await channel.ask({ type: 'retry-delivery', delivery, keptSince: givenUp.keptSince });
  expect(posted(channel).slice(before)).toEqual([]);
  await channel.posts.at(-1)?.answer(up);
  expect(posted(channel).slice(before)).toEqual([1]);
  await channel.posts.at(-1)?.answer(up);
  expect([...channel.store.deliveries.values()].map(({ state }) => state)).toEqual([
    'delivered',
    'delivered',
  ]);
});

test('a retry on request does not overtake', async () => {
  const channel = await started();
  await channel.facts(inbound(1), inbound(2));
  const [, behind] = [...channel.store.deliveries.values()];
  if (behind === undefined) throw new Error('there are two deliveries');
  await channel.ask({ type: 'retry-delivery', delivery: behind });
  expect(posted(channel)).toEqual([1]);
});
