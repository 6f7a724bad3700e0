/** When a node may evict a channel: only if the store holds everything that it remembers. [architecture §4] */
import { expect, test } from '@jest/globals';
import { echoOf } from '../rules/samples.ts';
import { fileFetched, fileOf, inboundOf } from './support/files.ts';
import { receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { accepted } from './support/turns.ts';

const seconds = 1_000;

test('a channel that was just loaded, and one whose work is done, may be evicted', async () => {
  const channel = await LiveChannel.started();
  expect(channel.isIdle).toBe(true);
  await channel.sent('m-1', 'up-1');
  await channel.facts(receiptOf({ upstreamId: 'up-1', status: 'delivered' }));
  await channel.clock.pass(1);
  expect(channel.isIdle).toBe(true);
});

test('not during a call', async () => {
  const channel = await LiveChannel.started();
  await channel.send('m-1');
  await channel.clock.pass(31 * seconds); // its client has been answered `queued`
  expect(channel.isIdle).toBe(false);
  await channel.calls[0]?.answer(accepted());
  expect(channel.isIdle).toBe(true);
});

const paused = {
  outcome: 'deferred',
  error: 'Too fast',
  errorCode: 130429,
  pause: 'channel',
  pauseMs: 60 * seconds,
} as const;

test('not before a pause of upstream is over', async () => {
  const channel = await LiveChannel.started({ rules: { sendGiveUpAfterMs: 1 * seconds } });
  await channel.send('m-1');
  await channel.calls[0]?.answer(paused);
  const until = channel.state?.sends.pausedUntil ?? 0;
  await channel.facts(receiptOf({ tag: 'm-1', upstreamId: 'up-1', status: 'sent' }));
  expect(channel.state?.sends.open.size).toBe(0);
  await channel.clock.pass(until - channel.clock.now() - 1);
  expect(channel.isIdle).toBe(false);
  await channel.clock.pass(1);
  expect(channel.isIdle).toBe(true);
});

test('not while facts wait for their message', async () => {
  const channel = await LiveChannel.started();
  await channel.facts(receiptOf({ upstreamId: 'unknown' }));
  expect(channel.isIdle).toBe(false);
  await channel.clock.pass(16 * 60 * seconds);
  expect(channel.isIdle).toBe(true);
});

test('not while a message waits for its files', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  await channel.facts(inboundOf('a', [fileOf('f')]));
  expect(channel.isIdle).toBe(false);
  await channel.fetches[0]?.answer(fileFetched('f'));
  expect(channel.isIdle).toBe(true);
});

test('not while a webhook waits for its retry', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = { ok: false, status: 500, reason: 'status' };
  await channel.facts(echoOf());
  expect(channel.isIdle).toBe(false);
  channel.receiver = { ok: true, status: 200 };
  await channel.clock.pass(30 * seconds);
  expect(channel.isIdle).toBe(true);
});

test('not in the interval of an alert: what is given up next is gathered for the next one', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = { ok: false, status: 500, reason: 'status' };
  await channel.facts(echoOf());
  await channel.clock.pass(690 * seconds);
  expect([channel.store.mails.at(-1)?.kind, channel.isIdle]).toEqual(['webhook-alert', false]);
  await channel.clock.pass(902 * seconds);
  expect(channel.isIdle).toBe(true);
});
