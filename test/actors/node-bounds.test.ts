/** [faults: I11, 126] Each bound of a channel has a bound for all channels of a node. Inbound files: backlog-long.test.ts. */
import { expect, test } from '@jest/globals';
import { ofNode } from '../../actors/channel/limits.ts';
import type { Remembered } from '../../actors/channel/limits.ts';
import { NodeTotals } from '../../actors/channel/turns/node-totals.ts';
import type { ChannelFact } from '../../src/rules/messages/facts.ts';
import { inboundOf } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';

const max = 500;

async function channelsOf(totals: NodeTotals, count: number): Promise<LiveChannel[]> {
  const channels = Array.from({ length: count }, () => new LiveChannel({}, totals));
  for (const channel of channels) await channel.takeOver();
  return channels;
}

async function bring(channel: LiveChannel, facts: readonly ChannelFact[]): Promise<void> {
  for (let start = 0; start < facts.length; start += 100)
    expect(await channel.facts(...facts.slice(start, start + 100))).toMatchObject({ dropped: 0 });
}

const remembered = (channels: readonly LiveChannel[], kind: Exclude<Remembered, 'inbound'>): number[] =>
  channels.map(({ state }) => {
    if (state === null) return 0;
    const { sends, deliveries, facts } = state;
    return { sends: sends.open, deliveries: deliveries.open, unmatched: facts.unmatched }[kind].size;
  });

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

test('webhooks: beyond the bound each channel remembers a few, the store the rest, and each is posted once', async () => {
  const totals = new NodeTotals({ deliveries: max });
  const channels = await channelsOf(totals, 4);
  const inbound = Array.from({ length: 300 }, (_, n) => inboundOf({ upstreamId: `in-${n}` }));
  for (const channel of channels) {
    channel.receiver = 'by hand';
    await bring(channel, inbound);
  }
  const few = ofNode.deliveries.ofChannel;
  expect(remembered(channels, 'deliveries')).toEqual([300, 200, few, few]);
  expect(totals.total('deliveries')).toBe(max + 2 * few);

  for (const channel of channels) {
    for (const post of channel.posts) await post.answer({ ok: true, status: 200 });
    expect(new Set(channel.posts.map(({ sent }) => sent.deliveryId)).size).toBe(300);
    expect(channel.posts).toHaveLength(300);
  }
  expect([remembered(channels, 'deliveries'), totals.total('deliveries')]).toEqual([[0, 0, 0, 0], 0]);
});

test('sends: beyond the bound a channel may have a few, then sends are refused as overload, with Retry-After', async () => {
  const totals = new NodeTotals({ sends: max });
  const [busy, other] = await channelsOf(totals, 2);
  if (busy === undefined || other === undefined) throw new Error('two channels');
  const replies: Promise<unknown>[] = [];
  for (let n = 0; n < max; n += 1) await busy.send(`m-${n}`, `user-${n}`);
  for (let n = 0; n < ofNode.sends.ofChannel; n += 1) await other.send(`o-${n}`, `user-${n}`);
  replies.push((await other.send('one more', 'somebody')).reply, (await busy.send('more', 'else')).reply);
  for (const reply of replies)
    await expect(reply).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfter: expect.any(Number) },
    });

  await busy.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up' });
  for (const { answer } of busy.calls.slice(1, 50)) await answer({ outcome: 'accepted', upstreamId: 'up' });
  const again = await other.send('again', 'somebody');
  await other.calls.at(-1)?.answer({ outcome: 'accepted', upstreamId: 'up' });
  expect(await again.reply).toMatchObject({ status: 'sent' });
});

test('facts of unknown messages: beyond the bound each channel remembers the newest few, the store all', async () => {
  const totals = new NodeTotals({ unmatched: max });
  const channels = await channelsOf(totals, 4);
  const receipts = Array.from({ length: 300 }, (_, n) => receiptOf({ upstreamId: `up-${n}` }));
  for (const channel of channels) await bring(channel, receipts);
  const few = ofNode.unmatched.ofChannel;
  expect(remembered(channels, 'unmatched')).toEqual([300, 200, few, few]);
  expect(channels.map(({ store }) => store.unmatched.size)).toEqual([300, 300, 300, 300]);
  const newest = [...(channels[3]?.state?.facts.unmatched.keys() ?? [])].map((id) => id.split('/').at(-1));
  expect(newest).toEqual(receipts.slice(-few).map(({ upstreamId }) => upstreamId));

  // A new owner on the full node, then an owner that ends.
  await channels[3]?.takeOver();
  expect(remembered(channels, 'unmatched')[3]).toBe(few);
  await channels[0]?.takeOver();
  expect(sum(remembered(channels, 'unmatched'))).toBe(totals.total('unmatched'));
});

test('webhooks: a new owner on a full node reads the stored ones a few at a time, until each is posted', async () => {
  const totals = new NodeTotals({ deliveries: 1 });
  const [channel] = await channelsOf(totals, 1);
  if (channel === undefined) throw new Error('a channel');
  channel.receiver = 'by hand';
  await bring(
    channel,
    Array.from({ length: 200 }, (_, n) => inboundOf({ upstreamId: `in-${n}` })),
  );
  const [other] = await channelsOf(totals, 1);
  if (other !== undefined) other.receiver = 'by hand';
  await other?.facts(inboundOf({ upstreamId: 'in' }));
  channel.posts.length = 0; // those of the previous owner
  await channel.takeOver();
  expect(remembered([channel], 'deliveries')).toEqual([ofNode.deliveries.ofChannel]);
  for (const post of channel.posts) await post.answer({ ok: true, status: 200 });
  expect(new Set(channel.posts.map(({ sent }) => sent.deliveryId)).size).toBe(200);
});
