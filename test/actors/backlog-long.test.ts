/** [faults: I11] Messages that wait for their files: memory holds a bounded number, the store the rest, and each makes its event once. */
import { expect, test } from '@jest/globals';
import { limits, ofNode } from '../../actors/channel/limits.ts';
import { NodeTotals } from '../../actors/channel/turns/node-totals.ts';
import type { InboundMessage } from '../../src/rules/messages/facts.ts';
import { fileFetched, fileOf, inboundOf, asText, toldBy } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';
import { gate } from './support/toy-actor.ts';

const most = limits.inbound;

/** Each from another person. */
const messages = (count: number): InboundMessage[] =>
  Array.from({ length: count }, (_, n) => inboundOf(`in-${n}`, [fileOf(`f-${n}`)], `user-${n}`));

async function bring(channel: LiveChannel, facts: readonly InboundMessage[]): Promise<void> {
  for (let start = 0; start < facts.length; start += 100)
    expect(await channel.facts(...facts.slice(start, start + 100))).toMatchObject({ dropped: 0 });
}

/** Answers every fetch until none is left; returns the largest number of messages in memory meanwhile. */
async function fetchAll(channel: LiveChannel): Promise<number> {
  let remembered = 0;
  for (let next = channel.fetches.shift(); next !== undefined; next = channel.fetches.shift()) {
    remembered = Math.max(remembered, channel.state?.inbound.open.size ?? 0);
    await next.answer(fileFetched(next.sent.file.mediaId ?? ''));
  }
  return remembered;
}

test('of thousands of waiting messages a channel remembers a bounded number, and each makes its event once', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  const all = messages(3 * most + 7);
  await bring(channel, all);
  expect([channel.state?.inbound.open.size, channel.store.unmatched.size]).toEqual([most, all.length]);
  expect(await fetchAll(channel)).toBe(most);
  expect(new Set(toldBy(channel))).toEqual(new Set(all.map((_, n) => `f-${n}`)));
  expect(toldBy(channel)).toHaveLength(all.length);
  expect([channel.state?.inbound.open.size, channel.store.unmatched.size]).toEqual([0, 0]);
});

test('while the store holds waiting messages, a new one queues behind them; the text of a person without waiting messages makes its event at once', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  const all = messages(most + 2);
  await bring(channel, all);
  await channel.facts(asText('hello', 'somebody'), inboundOf('last', [fileOf('last')], 'somebody else'));
  expect(toldBy(channel)).toEqual(['hello']);
  await fetchAll(channel);
  expect(toldBy(channel).slice(-3)).toEqual([`f-${most}`, `f-${most + 1}`, 'last']);
});

test('a new owner loads as many as it may remember, and reads the rest later', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  const all = messages(2 * most);
  await bring(channel, all);
  await channel.takeOver();
  channel.fetches.splice(0, limits.fetches); // Fetches of the previous owner.
  expect([channel.state?.inbound.open.size, channel.pages]).toEqual([most, [most]]);
  expect(await fetchAll(channel)).toBe(most);
  expect([toldBy(channel).length, channel.store.unmatched.size]).toEqual([all.length, 0]);
});

test('a message that no key decrypts is skipped and blocks no other', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  await bring(channel, messages(3 * most));
  const kept = [...channel.store.unmatched.values()];
  for (const held of kept.slice(most, 2 * most + 50))
    Object.assign(held, { fact: 'sealed with another key' });
  await fetchAll(channel);
  expect([toldBy(channel).length, channel.store.unmatched.size]).toEqual([2 * most - 50, most + 50]);
});

test("the order of one person's messages survives a change of owner, also within one batch", async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  await channel.facts(inboundOf('z', [fileOf('first')]), asText('y'), asText('x'));
  await channel.takeOver();
  await channel.fetches.at(-1)?.answer(fileFetched('first'));
  expect(toldBy(channel)).toEqual(['first', 'y', 'x']);
});

test('the channels of a node share one bound; beyond it each may remember only a few', async () => {
  const totals = new NodeTotals();
  const count = ofNode.inbound.max / most + 20;
  const channels: LiveChannel[] = [];
  for (let n = 0; n < count; n += 1) {
    const channel = new LiveChannel({ type: 'pagechat' }, totals);
    await channel.takeOver();
    await bring(channel, messages(most));
    channels.push(channel);
  }
  const remembered = (): number =>
    channels.reduce((sum, { state }) => sum + (state?.inbound.open.size ?? 0), 0);
  expect(remembered()).toBe(totals.total('inbound'));
  expect(totals.total('inbound')).toBeLessThanOrEqual(ofNode.inbound.max + 20 * ofNode.inbound.ofChannel);
  const last = channels.at(-1);
  expect(last?.state?.inbound.open.size).toBe(ofNode.inbound.ofChannel);
  // The last channel still works.
  if (last !== undefined) expect(await fetchAll(last)).toBe(ofNode.inbound.ofChannel);
  expect(last === undefined ? [] : toldBy(last)).toHaveLength(most);
  // A channel whose owner ends frees its part of the bound.
  await channels[0]?.takeOver();
  expect(remembered()).toBe(totals.total('inbound'));
});

/** A channel on a node whose bound is used up. */
async function onFullNode(): Promise<LiveChannel> {
  const totals = new NodeTotals({ inbound: 1 });
  const [other, channel] = [0, 1].map(() => new LiveChannel({ type: 'pagechat' }, totals));
  if (other === undefined || channel === undefined) throw new Error('two channels');
  await other.takeOver();
  await bring(other, messages(1));
  await channel.takeOver();
  return channel;
}

test('a message that finds no room when it is read still makes its event, whatever was read with it', async () => {
  const few = ofNode.inbound.ofChannel;
  const channel = await onFullNode();
  const ofMia = Array.from({ length: few + 12 }, (_, n) => inboundOf(`mia-${n}`, [fileOf(`mia-${n}`)]));
  await bring(channel, ofMia);
  const [first] = channel.fetches.splice(0, 1);
  for (let next = channel.fetches.shift(); next !== undefined; next = channel.fetches.shift())
    await next.answer(fileFetched(next.sent.file.mediaId ?? ''));
  const read = gate();
  channel.readsOn = read.promise;
  await first?.answer(fileFetched('mia-0')); // all messages in memory make their events at once
  expect([toldBy(channel).length, channel.pages.at(-1)]).toEqual([few, few]);

  await bring(channel, messages(few / 2));
  read.open();
  await channel.settled;
  await fetchAll(channel);
  const told = toldBy(channel).map(String);
  const ofOthers = Array.from({ length: few / 2 }, (_, n) => `f-${n}`);
  expect(told).toHaveLength(few + 12 + few / 2);
  expect(new Set(told)).toEqual(new Set([...ofMia.map(({ upstreamId }) => upstreamId), ...ofOthers]));
});

test('a text for which there is no room is queued behind the file of the same POST that precedes it', async () => {
  const channel = await onFullNode();
  await bring(channel, messages(ofNode.inbound.ofChannel - 1));
  await channel.facts(inboundOf('file', [fileOf('file')], 'tom'), asText('text', 'tom'));
  expect(toldBy(channel)).toEqual([]);
  await fetchAll(channel);
  expect(toldBy(channel).filter((told) => told === 'file' || told === 'text')).toEqual(['file', 'text']);
});
