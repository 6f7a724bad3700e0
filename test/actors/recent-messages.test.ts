/** [performance §4] A status of a message that went out a moment ago is taken without a look into the store. */
import { describe, expect, test } from '@jest/globals';
import { RecentMessages } from '../../actors/channel/performing/recent-messages.ts';
import { newYear } from '../domain/samples.ts';
import { receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';

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
    for (let n = 0; n < 1_000; n += 1) recent.remember(owner('channel-a'), { id: `m-${n}`, ...told });
    expect(recent.size).toBeLessThanOrEqual(10);
    expect(recent.find(owner('channel-a'), 'm-999')).toBeDefined();
    expect(recent.find(owner('channel-a'), 'm-0')).toBeUndefined();
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
});
