/** [performance §4] A status of a recently sent message is processed without a look-up in the store. */
import { describe, expect, test } from '@jest/globals';
import { RecentMessages } from '../../actors/channel/performing/recent-messages.ts';
import { newYear } from '../rules/samples.ts';
import { receiptOf } from './support/facts.ts';
import { fileOf, inboundOf } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';
import { accepted, deferred } from './support/turns.ts';

const told = { recipient: 'mia', origin: 'service', statusAt: null } as const;
const owner = (key: string, epoch = 1) => ({ key, grant: { epoch } });
const delivered = { status: 'delivered', tag: 'm-1', upstreamId: 'up-1' } as const;

/** The timestamp of the last POST, which must be a message.read. */
function lastTime({ posts }: LiveChannel): number {
  const body = posts.at(-1)?.sent.body ?? new Uint8Array();
  const { event, timestamp }: { event: string; timestamp: string } = JSON.parse(Buffer.from(body).toString());
  expect(event).toBe('message.read');
  return Date.parse(timestamp);
}

describe('the memory of a message', () => {
  test('is visible to its own channel only', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a'), { id: 'm-1', ...told });
    expect(recent.find(owner('channel-a'), 'm-1')).toMatchObject({ id: 'm-1', recipient: 'mia' });
    expect(recent.find(owner('channel-b'), 'm-1')).toBeUndefined();
  });

  test('is not changed by another channel that names the message', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a'), { id: 'm-1', ...told });
    recent.raise(owner('channel-b'), 'm-1', 9_000);
    expect(recent.find(owner('channel-a'), 'm-1')?.statusAt).toBeNull();
  });

  test('ends with its activation, because another owner may have stored more', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a', 1), { id: 'm-1', ...told });
    expect(recent.find(owner('channel-a', 3), 'm-1')).toBeUndefined();
  });

  test('is bounded: the oldest entries are forgotten', () => {
    const recent = new RecentMessages(10);
    const found = (count: number): number[] => {
      for (let n = 0; n < count; n += 1) recent.remember(owner('channel-a'), { id: `m-${n}`, ...told });
      const all = Array.from({ length: count }, (_, n) => n);
      return all.filter((n) => recent.find(owner('channel-a'), `m-${n}`) !== undefined);
    };
    expect(found(10)).toHaveLength(10);
    expect(found(1_000)).toEqual([990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
    // One new entry evicts half of the ten.
    recent.remember(owner('channel-a'), { id: 'new', ...told });
    const kept = [994, 995].map((n) => recent.find(owner('channel-a'), `m-${n}`) !== undefined);
    expect(kept).toEqual([false, true]);
  });

  test('has a status time that only increases', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a'), { id: 'm-1', ...told });
    for (const at of [2_000, 5_000, 3_000]) recent.raise(owner('channel-a'), 'm-1', at);
    expect(recent.find(owner('channel-a'), 'm-1')?.statusAt).toBe(5_000);
  });
});

describe('statuses of recently sent messages', () => {
  test('are stored and make events while the store cannot be read', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    channel.lookUps = new Promise(() => {}); // no look-up would ever be answered
    expect(await channel.facts(receiptOf(delivered))).toEqual({ taken: 1, dropped: 0 });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
  });

  test('three of one message in one POST make one event for each status', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    const facts = (['delivered', 'delivered', 'read'] as const).map((status) =>
      receiptOf({ ...delivered, status }),
    );
    expect(await channel.facts(...facts)).toEqual({ taken: 3, dropped: 0 });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1', 'message.read m-1']);
  });

  test('of a message that was looked up once need no second look-up', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.takeOver(); // nothing is in memory
    await channel.facts(receiptOf(delivered));
    channel.lookUps = new Promise(() => {});
    expect(await channel.facts(receiptOf({ ...delivered, status: 'read' }))).toEqual({
      taken: 1,
      dropped: 0,
    });
  });

  test('cause a look-up only of the message that is not remembered', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.sent('m-2', 'up-2', 'noah');
    await channel.takeOver();
    await channel.facts(receiptOf(delivered));
    const both = [
      { ...delivered, status: 'read' },
      { ...delivered, tag: 'm-2', upstreamId: 'up-2' },
    ] as const;
    await channel.facts(...both.map((status) => receiptOf(status)));
    expect(channel.lookedUp).toEqual([['m-1'], ['m-2']]);
    expect(channel.events.slice(-2)).toEqual(['message.read m-1', 'message.delivered m-2']);
  });

  test('are never earlier than the previous status, also if only the cache remembers it', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.facts(receiptOf({ ...delivered, at: newYear + 9_000 }));
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('cause a look-up after a commit that may have been applied without an answer', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    channel.mood = () => 'silent';
    await expect(channel.facts(receiptOf({ ...delivered, at: newYear + 9_000 }))).rejects.toThrow();
    channel.mood = () => 'well';
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('are never earlier than the acceptance', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.clock.pass(9_000);
    await channel.calls[0]?.answer(accepted('up-1'));
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('have their own time if upstream deferred the first call', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.calls[0]?.answer(deferred());
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 5_000);
  });

  test('of a send whose first call another owner may still report are not remembered', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.takeOver();
    await channel.facts(receiptOf({ ...delivered, status: 'sent', at: newYear + 1_000 }));
    await channel.clock.pass(9_000);
    await channel.calls[0]?.answer(accepted('up-1')); // the previous owner stores it late
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('in one batch each make one event and one write', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    channel.largestCommit = 0;
    await channel.facts(receiptOf(delivered), receiptOf({ ...delivered, status: 'read' }));
    expect(channel.largestCommit).toBe(4); // a delivery and a status each
  });

  test('together with a message with a file cause no look-up', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.facts(receiptOf(delivered), inboundOf('a', [fileOf()]));
    expect([channel.events, channel.lookedUp]).toEqual([['message.sent m-1', 'message.delivered m-1'], []]);
  });

  test("that have only upstream's id are looked up by that id only", async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.facts(receiptOf({ ...delivered, tag: null }));
    expect(channel.lookedUp).toEqual([[]]);
  });
});
