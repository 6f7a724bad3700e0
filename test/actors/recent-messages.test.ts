/** [performance §4] A status of a message that went out a moment ago is taken without a look into the store. */
import { describe, expect, test } from '@jest/globals';
import { RecentMessages } from '../../actors/channel/performing/recent-messages.ts';
import { newYear } from '../domain/samples.ts';
import { receiptOf } from './support/facts.ts';
import { fileOf, inboundOf } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';
import { accepted, deferred } from './support/turns.ts';

const told = { recipient: 'mia', origin: 'service', statusAt: null } as const;
const owner = (key: string, epoch = 1) => ({ key, lease: { epoch } });
const delivered = { status: 'delivered', tag: 'm-1', upstreamId: 'up-1' } as const;

/** Of the event that was POSTed last. */
function lastTime({ posts }: LiveChannel): number {
  const body = posts.at(-1)?.sent.body ?? new Uint8Array();
  const { event, timestamp }: { event: string; timestamp: string } = JSON.parse(Buffer.from(body).toString());
  expect(event).toBe('message.read');
  return Date.parse(timestamp);
}

describe('what is remembered of a message', () => {
  test('is told to its own channel, and to nobody else', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a'), { id: 'm-1', ...told });
    expect(recent.find(owner('channel-a'), 'm-1')).toMatchObject({ id: 'm-1', recipient: 'mia' });
    expect(recent.find(owner('channel-b'), 'm-1')).toBeUndefined();
  });

  test('a foreign channel that names it raises nothing', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a'), { id: 'm-1', ...told });
    recent.raise(owner('channel-b'), 'm-1', 9_000);
    expect(recent.find(owner('channel-a'), 'm-1')?.statusAt).toBeNull();
  });

  test('ends with its activation: the owner in between may have recorded more', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a', 1), { id: 'm-1', ...told });
    expect(recent.find(owner('channel-a', 3), 'm-1')).toBeUndefined();
  });

  test('is bounded: the oldest are forgotten', () => {
    const recent = new RecentMessages(10);
    const found = (count: number): number[] => {
      for (let n = 0; n < count; n += 1) recent.remember(owner('channel-a'), { id: `m-${n}`, ...told });
      const all = Array.from({ length: count }, (_, n) => n);
      return all.filter((n) => recent.find(owner('channel-a'), `m-${n}`) !== undefined);
    };
    expect(found(10)).toHaveLength(10);
    expect(found(1_000)).toEqual([990, 991, 992, 993, 994, 995, 996, 997, 998, 999]);
    // Five of the ten go for one that is new.
    recent.remember(owner('channel-a'), { id: 'new', ...told });
    const kept = [994, 995].map((n) => recent.find(owner('channel-a'), `m-${n}`) !== undefined);
    expect(kept).toEqual([false, true]);
  });

  test('its time only grows', () => {
    const recent = new RecentMessages();
    recent.remember(owner('channel-a'), { id: 'm-1', ...told });
    for (const at of [2_000, 5_000, 3_000]) recent.raise(owner('channel-a'), 'm-1', at);
    expect(recent.find(owner('channel-a'), 'm-1')?.statusAt).toBe(5_000);
  });
});

describe('statuses of what was just sent', () => {
  test('are recorded and told while the store cannot be read', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    channel.lookUps = new Promise(() => {}); // none would ever be answered
    expect(await channel.facts(receiptOf(delivered))).toEqual({ taken: 1, dropped: 0 });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
  });

  test('three of one message in one post are told once each', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    const facts = (['delivered', 'delivered', 'read'] as const).map((status) =>
      receiptOf({ ...delivered, status }),
    );
    expect(await channel.facts(...facts)).toEqual({ taken: 3, dropped: 0 });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1', 'message.read m-1']);
  });

  test('a message that is looked up once is remembered', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.takeOver(); // remembers nothing
    await channel.facts(receiptOf(delivered));
    channel.lookUps = new Promise(() => {});
    expect(await channel.facts(receiptOf({ ...delivered, status: 'read' }))).toEqual({
      taken: 1,
      dropped: 0,
    });
  });

  test('beside one that is remembered only the other is looked up', async () => {
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

  test('no status is told earlier than the one before, also when that is remembered alone', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.facts(receiptOf({ ...delivered, at: newYear + 9_000 }));
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('after a commit that the store may have taken without saying so the store is asked', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    channel.mood = () => 'silent';
    await expect(channel.facts(receiptOf({ ...delivered, at: newYear + 9_000 }))).rejects.toThrow();
    channel.mood = () => 'well';
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('nor earlier than its acceptance', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.clock.pass(9_000);
    await channel.calls[0]?.answer(accepted('up-1'));
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('nor at no time, where upstream has deferred its first call', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.calls[0]?.answer(deferred());
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 5_000);
  });

  test('of a send that another may still tell of nothing is remembered', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.takeOver();
    await channel.facts(receiptOf({ ...delivered, status: 'sent', at: newYear + 1_000 }));
    await channel.clock.pass(9_000);
    await channel.calls[0]?.answer(accepted('up-1')); // the owner before records it late
    channel.state?.facts.statusTimes.clear();
    await channel.facts(receiptOf({ ...delivered, status: 'read', at: newYear + 5_000 }));
    expect(lastTime(channel)).toBe(newYear + 9_000);
  });

  test('each status of a batch is told and written once', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    channel.largestCommit = 0;
    await channel.facts(receiptOf(delivered), receiptOf({ ...delivered, status: 'read' }));
    expect(channel.largestCommit).toBe(4); // a delivery and a status each
  });

  test('beside a message with a file nothing is looked up', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.facts(receiptOf(delivered), inboundOf('a', [fileOf()]));
    expect([channel.events, channel.lookedUp]).toEqual([['message.sent m-1', 'message.delivered m-1'], []]);
  });

  test('that upstream names by its own id alone is looked up by that alone', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.facts(receiptOf({ ...delivered, tag: null }));
    expect(channel.lookedUp).toEqual([[]]);
  });
});
