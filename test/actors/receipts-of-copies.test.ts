/** Receipts of a conversation while the outcome of a send's first call is unknown and a second call does not go out. [faults: 349] */
import { describe, expect, test } from '@jest/globals';
import { newYear } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { deferred, unknown } from './support/turns.ts';

const confirmed = receiptOf({ channelType: 'pagechat', tag: 'm-1', upstreamId: 'up-1', status: 'delivered' });

/** The answer to the first call is lost, the person reads the message, and the call of a second copy is refused for now. */
async function readBeforeRefusal(): Promise<LiveChannel> {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  await channel.send('m-1');
  await channel.calls[0]?.answer(unknown);
  await channel.facts(readOf('pagechat', { at: newYear + 1_000 }));
  await channel.clock.pass(180_000);
  await channel.calls[1]?.answer(deferred());
  return channel;
}

describe('a read that came after a call whose answer was lost', () => {
  test('is told when upstream confirms the message, although a later call was refused for now', async () => {
    const channel = await readBeforeRefusal();
    await channel.facts(confirmed);
    expect([channel.calls.length, channel.events]).toEqual([
      2,
      ['message.delivered m-1', 'message.read m-1'],
    ]);
    expect(channel.store.messages.get('m-1')).toMatchObject({ attemptedAt: newYear, copies: 1, tries: 2 });
  });

  test('is told by the next owner too, after another refusal', async () => {
    const channel = await readBeforeRefusal();
    await channel.takeOver();
    const before = channel.calls.length;
    await channel.clock.pass(30_000);
    await channel.calls[before]?.answer(deferred());
    await channel.facts(confirmed);
    expect([channel.calls.length, channel.events]).toEqual([
      before + 1,
      ['message.delivered m-1', 'message.read m-1'],
    ]);
    const { attemptedAt, calls } = channel.store.messages.get('m-1') ?? {};
    expect([attemptedAt, calls?.[1]?.at, calls?.[2]?.at]).toEqual([newYear, newYear, newYear + 180_000]);
  });

  test('does not cover a second copy that upstream accepts', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.send('m-1');
    await channel.calls[0]?.answer(unknown);
    await channel.facts(readOf('pagechat', { at: newYear + 1_000 }));
    await channel.clock.pass(180_000);
    await channel.calls[1]?.answer({ outcome: 'accepted', upstreamId: 'up-2' });
    expect(channel.events).toEqual([]);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', readAt: null, copies: 2 });
  });
});
