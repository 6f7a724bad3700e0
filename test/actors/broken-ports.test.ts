/** A port that throws although it promised not to costs its own work, never the node. [faults: 336] */
import { expect, test } from '@jest/globals';
import { fileFetched, fileOf, inboundOf, toldBy } from './support/files.ts';
import { LiveChannel } from './support/live-channel.ts';

const broken = new Error('a defect');
/** Of the lines that the actor logs as errors. */
const events = (channel: LiveChannel): string[] => channel.lines.map(([event]) => event);

test('a call upstream that throws may have been made: the send is queued, and copied once', async () => {
  const channel = await LiveChannel.started();
  const { reply } = await channel.send('m-1');
  await channel.calls[0]?.fail(broken);
  expect([await reply, events(channel)]).toEqual([{ status: 'queued' }, ['send.broken']]);
  expect(channel.store.messages.get('m-1')?.state).toBe('queued');
});

test('a POST that throws is retried like one that reached nobody', async () => {
  const channel = await LiveChannel.started();
  channel.receiver = 'by hand';
  await channel.sent('m-1', 'wamid.1');
  await channel.posts[0]?.fail(broken);
  expect([channel.posts.length, events(channel)]).toEqual([1, ['webhook.broken']]);
  await channel.clock.pass(60_000);
  await channel.posts[1]?.answer({ ok: true, status: 200 });
  expect([channel.posts.length, [...channel.store.deliveries.values()].map(({ state }) => state)]).toEqual([
    2,
    ['delivered'],
  ]);
});

test('a fetch that throws is repeated', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  await channel.facts(inboundOf('a', [fileOf()]));
  await channel.fetches[0]?.fail(broken);
  expect([toldBy(channel), events(channel)]).toEqual([[], ['media.broken']]);
  await channel.clock.pass(60_000);
  await channel.fetches[1]?.answer(fileFetched('f'));
  expect(toldBy(channel)).toEqual(['f']);
});
