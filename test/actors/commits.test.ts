/** What an event stores, and what the live feed shows of it. [architecture §6.4, §8] */
import { describe, expect, test } from '@jest/globals';
import type { ChannelMessage } from '../../actors/channel/messages.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { makeDeliveryId } from '../../src/rules/events/built.ts';
import { inboundMessageId } from '../../src/rules/events/received.ts';
import { signaturesOf } from '../../src/rules/webhooks/signature.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { plainSealer } from './support/plain-sealer.ts';

const secret = plainSealer.sealText('hush', sealContext.webhookSecret('channel-1'));
const fact = inboundOf({ upstreamId: 'in-1', from: 'mia', requestId: 'request-1' });
const messageId = inboundMessageId('channel-1', 'in-1');
const deliveryId = makeDeliveryId('channel-1', messageId, 'message.received');

async function withOneEvent(channelFields = {}): Promise<LiveChannel> {
  const channel = await LiveChannel.started({ channel: channelFields });
  channel.receiver = 'by hand';
  await channel.clock.pass(1_000);
  await channel.facts(fact);
  return channel;
}

/** From now on the store is away; returns the times of the calls that it got. */
function downAndCounted(channel: LiveChannel): number[] {
  const tries: number[] = [];
  channel.mood = () => {
    tries.push(channel.clock.now());
    return 'down';
  };
  return tries;
}

test('a delivery is complete in the store before its first attempt: person, content and request id', async () => {
  const channel = await withOneEvent();
  const body = Buffer.from(channel.posts[0]?.sent.body ?? []);
  const payload = plainSealer.seal(body, sealContext.delivery('channel-1', deliveryId));
  expect([...channel.store.deliveries.values()]).toEqual([
    {
      id: deliveryId,
      channelId: 'channel-1',
      accountId: 'account-1',
      event: 'message.received',
      messageId,
      person: 'mia',
      messageType: 'text',
      upstreamId: 'in-1',
      requestId: 'request-1',
      state: 'pending',
      payload,
      attempts: 0,
      claims: 0,
      firstTriedAt: null,
      nextDueAt: newYear + 1_000,
      lastResult: null,
      attemptLog: null,
      keptSince: null,
      keptBytes: null,
      sequence: null,
      epoch: 1,
      createdAt: newYear + 1_000,
    },
  ]);
});

describe('the live feed shows', () => {
  const withSecret = { webhookSecret: secret };

  test("to the account what is posted, with the delivery's id and signature", async () => {
    const channel = await withOneEvent(withSecret);
    const [shown, ...others] = channel.feed;
    const body = channel.posts[0]?.sent.body ?? new Uint8Array();
    expect([others, shown?.accountId, shown?.live.deliveryId]).toEqual([[], 'account-1', deliveryId]);
    expect(shown?.live.envelope).toEqual(JSON.parse(Buffer.from(body).toString()));
    const at = 1_700_000_000;
    expect(shown?.live.sign(at)).toEqual(signaturesOf('hush', { deliveryId, timestamp: at, body }));
  });

  test.each([
    ['has no secret', { webhookSecret: null }],
    [
      'has a secret that opens with none of the keys',
      { webhookSecret: plainSealer.sealText('hush', 'else') },
    ],
  ])('an event of a channel that %s without a signature', async (_why, fields) => {
    const channel = await withOneEvent(fields);
    expect(channel.feed.map(({ live }) => live.sign(1))).toEqual([null]);
  });

  test('a repeated fact once, and a new one of the same batch', async () => {
    const channel = await withOneEvent();
    await channel.facts(fact, inboundOf({ upstreamId: 'in-2' }));
    const second = inboundMessageId('channel-1', 'in-2');
    expect(channel.shown).toEqual([`message.received ${messageId}`, `message.received ${second}`]);
  });

  test('and posts an event of which the store did not answer whether it is stored', async () => {
    const channel = await LiveChannel.started({ type: 'chatapp' });
    await channel.send('m-1');
    let tries = 0;
    channel.mood = () => ((tries += 1) === 1 ? 'silent' : 'well');
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    await channel.clock.pass(50);
    expect([channel.shown, channel.posts.map(({ sent }) => sent.attempt)]).toEqual([
      ['message.sent m-1'],
      [1],
    ]);
  });
});

test('a fact that the store does not accept is refused, and a log line names the channel', async () => {
  const channel = await LiveChannel.started();
  channel.mood = () => 'down';
  await expect(channel.facts(fact)).rejects.toMatchObject({ code: 'unavailable' });
  const line = ['facts.commit-failed', { channel: 'channel-1', times: 1 }];
  expect([channel.shown, channel.posts, channel.lines[0]]).toEqual([[], [], line]);
});

test('an outcome that nobody would report again is written until the store accepts it, with growing pauses', async () => {
  const channel = await LiveChannel.started();
  await channel.send('m-1');
  const tries = downAndCounted(channel);
  await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
  await channel.clock.pass(59_000);
  const pauses = tries.slice(1).map((at, before) => at - (tries[before] ?? 0));
  expect(pauses.length).toBeGreaterThan(15);
  expect(Math.max(...pauses)).toBeLessThanOrEqual(5_000);
  expect(Math.min(...pauses)).toBe(pauses[0]);
  // One a minute. [faults: 556]
  expect(channel.lines).toMatchObject([['store.retrying', { channel: 'channel-1', times: 1 }]]);
  channel.mood = () => 'well';
  await channel.clock.pass(5_000);
  expect([channel.events, channel.store.messages.get('m-1')?.state]).toEqual([['message.sent m-1'], 'sent']);
});

test('an owner that has been replaced stops asking the store', async () => {
  const channel = await LiveChannel.started();
  await channel.send('m-1');
  const tries = downAndCounted(channel);
  await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
  await channel.takeOver(); // the new owner cannot be loaded either
  await channel.clock.pass(5_000);
  const { length } = tries;
  await channel.clock.pass(60_000);
  expect(tries).toHaveLength(length);
});

test('a repeated status is not shown again', async () => {
  const channel = await LiveChannel.started();
  await channel.sent('m-1', 'up-1');
  channel.shown.length = 0;
  await channel.facts(receiptOf({ status: 'sent' }));
  expect([channel.shown, channel.events]).toEqual([[], ['message.sent m-1']]);
});

test('a status that one POST of a page states twice, by id and by watermark, is shown and posted', async () => {
  const channel = await LiveChannel.started({ type: 'pagechat' });
  await channel.sent('m-1', 'up-1');
  const byId = receiptOf({ channelType: 'pagechat' });
  await channel.facts(byId, readOf('pagechat', { status: 'delivered' }));
  const event = 'message.delivered m-1';
  expect([new Set(channel.shown), channel.events, channel.posts.length]).toEqual([
    new Set([event]),
    [event],
    1,
  ]);
});

describe('a repeated fact that no request waits for', () => {
  const again: ChannelMessage = { type: 'take-facts', facts: [fact] };

  test('is shown and posted once', async () => {
    const channel = await withOneEvent();
    channel.tell(again);
    await channel.settled;
    expect([channel.shown.length, channel.posts.length]).toEqual([1, 1]);
  });

  test('costs one write after it was delivered, and no look-up of its delivery', async () => {
    const channel = await LiveChannel.started();
    await channel.facts(fact);
    let operations = 0;
    channel.mood = () => {
      operations += 1;
      return 'well';
    };
    await channel.facts(fact);
    expect([operations, channel.posts.length]).toEqual([1, 1]);
  });
});
