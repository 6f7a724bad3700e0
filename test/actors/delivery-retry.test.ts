/** A manual retry, independent of the schedule; and the log of every attempt. */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { PendingDelivery } from '../../src/storage/journal/channel-journal.ts';
import { parseAttempts } from '../../src/rules/webhooks/delivery.ts';
import { inboundOf } from '../rules/samples.ts';
import { pendingOf } from '../stores/conformance/views.ts';
import { LiveChannel } from './support/live-channel.ts';
import { up, down } from './support/deliveries.ts';

const seconds = 1_000;

async function failing(count = 1): Promise<LiveChannel> {
  const channel = await LiveChannel.started();
  channel.receiver = down;
  for (let n = 0; n < count; n += 1) await channel.facts(inboundOf({ upstreamId: `in-${n}` }));
  return channel;
}

const stored = (channel: LiveChannel) => [...channel.store.deliveries.values()];

function pendingAt(channel: LiveChannel, at = 0): PendingDelivery {
  const found = stored(channel)[at];
  if (found === undefined) throw new Error('there is no such delivery');
  return pendingOf(found);
}

const retry = (channel: LiveChannel, at = 0) =>
  channel.ask({ type: 'retry-delivery', delivery: pendingAt(channel, at) });

describe('a manual retry', () => {
  test('is made at once and delivers', async () => {
    const channel = await failing();
    channel.receiver = up;
    expect(await retry(channel)).toEqual({ status: 'retrying' });
    await channel.settled;
    expect(channel.posts.map(({ sent }) => sent.attempt)).toEqual([1, 2]);
    expect(stored(channel)).toMatchObject([{ state: 'delivered', attempts: 2, payload: null }]);
  });

  test('that fails leaves the schedule unchanged: all 7 retries still come, at their times, with their mails', async () => {
    const channel = await failing();
    const before = pendingAt(channel);
    for (let n = 0; n < 10; n += 1) {
      await retry(channel);
      await channel.settled;
    }
    expect(channel.posts).toHaveLength(11);
    expect(pendingAt(channel)).toMatchObject({ attempts: 1, nextDueAt: before.nextDueAt });
    expect(channel.store.mails).toEqual([]);
    await channel.clock.pass(690 * seconds);
    expect(channel.posts).toHaveLength(18);
    expect(stored(channel)).toMatchObject([{ state: 'failed', attempts: 8 }]);
    expect(channel.store.mails.map(({ kind }) => kind)).toEqual(['webhook-warning', 'webhook-alert']);
  });

  test('during an attempt is that attempt', async () => {
    const channel = await failing();
    channel.receiver = 'by hand';
    await Promise.all([retry(channel), retry(channel)]);
    expect(channel.posts).toHaveLength(2);
    await channel.posts[1]?.answer(down);
    expect(channel.posts).toHaveLength(2);
  });

  test('does not wait for another one, nor behind a failing receiver', async () => {
    const channel = await failing(6); // from the 5th failure on it is probed one at a time
    channel.receiver = 'by hand';
    await retry(channel, 0);
    await retry(channel, 1);
    expect(channel.posts).toHaveLength(8);
    await channel.posts[7]?.answer(up);
    await channel.posts[6]?.answer(up);
    expect(stored(channel).filter(({ state }) => state === 'delivered')).toHaveLength(2);
  });

  describe('while all places are taken', () => {
    /** A delivery that failed once, a retry of it, and as many POSTs in flight as there may be. */
    async function waiting(): Promise<LiveChannel> {
      const channel = await failing();
      channel.receiver = 'by hand';
      for (let n = 1; n <= limits.posts; n += 1) await channel.facts(inboundOf({ upstreamId: `in-${n}` }));
      await retry(channel);
      expect(channel.posts).toHaveLength(1 + limits.posts);
      return channel;
    }

    test('is made when one is free, and leaves the schedule unchanged', async () => {
      const channel = await waiting();
      const before = pendingAt(channel);
      await channel.posts[1]?.answer(up);
      expect(channel.posts.at(-1)?.sent).toMatchObject({ attempt: 2 });
      await channel.posts.at(-1)?.answer(down);
      expect(pendingAt(channel)).toMatchObject({ attempts: 1, nextDueAt: before.nextDueAt });
    });

    test('is the schedule’s if it is due by then', async () => {
      const channel = await waiting();
      await channel.clock.pass(30 * seconds);
      await channel.posts[1]?.answer(up);
      await channel.posts.at(-1)?.answer(down);
      expect(pendingAt(channel)).toMatchObject({ attempts: 2 });
    });
  });

  test('of a delivery that this owner does not remember is read from the store', async () => {
    const channel = await failing();
    const delivery = pendingAt(channel);
    channel.state?.deliveries.open.clear();
    channel.receiver = up;
    expect(await channel.ask({ type: 'retry-delivery', delivery })).toEqual({ status: 'retrying' });
    await channel.settled;
    expect(stored(channel)).toMatchObject([{ state: 'delivered' }]);
  });

  test('of a delivery that has ended meanwhile does nothing', async () => {
    const channel = await failing();
    const delivery = pendingAt(channel);
    channel.receiver = up;
    await channel.clock.pass(30 * seconds);
    await channel.ask({ type: 'retry-delivery', delivery });
    await channel.settled;
    expect([channel.posts.length, channel.state?.deliveries.open.size]).toEqual([2, 0]);
  });

  test('of an event that the channel no longer subscribes to is refused', async () => {
    const channel = await failing();
    await channel.change({ channel: { webhookEvents: [] } });
    await expect(retry(channel)).rejects.toMatchObject({ code: 'conflict' });
    expect(channel.posts).toHaveLength(1);
  });

  test('that a crash interrupts changes nothing: the next owner continues the schedule', async () => {
    const channel = await failing();
    const before = pendingAt(channel);
    channel.receiver = 'by hand';
    await retry(channel);
    await channel.takeOver();
    expect(pendingAt(channel)).toEqual({ ...before, claims: 1 });
    channel.receiver = up;
    await channel.clock.pass(30 * seconds);
    expect(stored(channel)).toMatchObject([{ state: 'delivered', attempts: 2 }]);
  });
});

describe('the log of a delivery', () => {
  test('has each attempt: start time, duration and answer', async () => {
    const channel = await LiveChannel.started();
    const startedAt = channel.clock.now();
    channel.receiver = 'by hand';
    await channel.facts(inboundOf({ upstreamId: 'in-1' }));
    await channel.clock.pass(40);
    await channel.posts[0]?.answer({ ok: false, status: null, reason: 'timeout' });
    await channel.clock.pass(30 * seconds);
    await channel.posts[1]?.answer(up);
    expect(parseAttempts(stored(channel)[0]?.attemptLog ?? null)).toEqual([
      { at: startedAt, durationMs: 40, status: null, failure: 'timeout' },
      { at: startedAt + 40 + 30 * seconds, durationMs: 0, status: 204, failure: null },
    ]);
  });
});
