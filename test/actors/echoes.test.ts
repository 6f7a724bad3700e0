import { describe, expect, test } from '@jest/globals';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { echoMessageId } from '../../src/rules/events/echo.ts';
import type { Echo } from '../../src/rules/messages/facts.ts';
import { echoOf, newYear } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { ourAppId } from './support/model-upstream.ts';

const foreignId = echoMessageId('channel-1', 'foreign', 1);

function echo(channelType: ChannelType, fields: Partial<Echo> = {}): Echo {
  return echoOf({ channelType, upstreamId: 'foreign', recipient: 'mia', ...fields });
}

describe('messages sent through the service never arrive as echoes', () => {
  test('pagechat: recognized by our message id, before and after the answer', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    const { reply } = await channel.send('m-1');
    const own = echo('pagechat', { upstreamId: 'up-1', appId: ourAppId, tag: 'm-1' });
    await channel.facts(own);
    expect(await reply).toEqual({ status: 'sent' });
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    await channel.facts(own);
    expect(channel.events).toEqual([]);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', upstreamIds: ['up-1'] });
  });

  test('pagechat: recognized by our app id, even if the message is unknown', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.facts(echo('pagechat', { appId: ourAppId }));
    expect(channel.events).toEqual([]);
  });

  test('photoapp: recognized by the upstream id in the answer', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.sent('m-1', 'up-1');
    await channel.facts(echo('photoapp', { upstreamId: 'up-1' }));
    expect(channel.events).toEqual(['message.delivered m-1']);
  });

  test('photoapp: while a call to that person is in flight, its answer decides', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1');
    await channel.facts(echo('photoapp', { upstreamId: 'up-1' }));
    expect(channel.store.unmatched.size).toBe(1);
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    await channel.clock.pass(20_000);
    expect([channel.events, channel.store.unmatched.size]).toEqual([['message.delivered m-1'], 0]);
  });

  test('photoapp: an echo that waits is recognized as soon as the answer names it, not 10 s later', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1');
    await channel.facts(echo('photoapp', { upstreamId: 'up-1' }));
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    expect([channel.events, channel.store.unmatched.size]).toEqual([['message.delivered m-1'], 0]);
  });

  test('photoapp: an echo that arrives while the answer is being written is ours', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1');
    let isDown = true;
    channel.mood = () => (isDown ? 'down' : 'well');
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    await expect(channel.facts(echo('photoapp', { upstreamId: 'up-1' }))).rejects.toThrow('unavailable');
    isDown = false;
    await channel.facts(echo('photoapp', { upstreamId: 'up-1' }));
    await channel.clock.pass(20_000);
    expect(channel.events).toEqual(['message.delivered m-1']);
  });

  test('photoapp: the answer was lost: an echo of the same text to the same person is ours, confirms the send, and nothing is resent', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    const { reply } = await channel.send('m-1', 'mia', 'Hello');
    await channel.calls[0]?.answer({ outcome: 'unknown', error: 'reset' });
    expect(await reply).toEqual({ status: 'queued' });
    await channel.facts(echo('photoapp', { upstreamId: 'up-1', parts: [{ type: 'text', text: 'Hello' }] }));
    await channel.clock.pass(600_000);
    expect([channel.events, channel.calls.length]).toEqual([['message.delivered m-1'], 1]);
    expect(channel.store.messages.get('m-1')).toMatchObject({
      state: 'sent',
      rank: 2,
      upstreamIds: ['up-1'],
    });
  });

  test('photoapp: two answers were lost: two echoes of the same text in one batch confirm both sends, once each', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    for (const [nth, id] of ['m-1', 'm-2'].entries()) {
      const { reply } = await channel.send(id, 'mia', 'Hello');
      await channel.calls[nth]?.answer({ outcome: 'unknown', error: 'reset' });
      expect(await reply).toEqual({ status: 'queued' });
    }
    const parts = [{ type: 'text', text: 'Hello' } as const];
    await channel.facts(
      echo('photoapp', { upstreamId: 'up-1', parts }),
      echo('photoapp', { upstreamId: 'up-2', parts }),
    );
    await channel.clock.pass(600_000);
    expect([channel.events, channel.calls.length]).toEqual([
      ['message.delivered m-1', 'message.delivered m-2'],
      2,
    ]);
  });

  test('photoapp: the call hangs: an echo of the same text is decided after 10 s', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    const { reply } = await channel.send('m-1', 'mia', 'Hello');
    await channel.facts(echo('photoapp', { upstreamId: 'up-1', parts: [{ type: 'text', text: 'Hello' }] }));
    await channel.clock.pass(9_999);
    expect(channel.events).toEqual([]);
    await channel.clock.pass(1);
    expect([await reply, channel.events]).toEqual([{ status: 'sent' }, ['message.delivered m-1']]);
  });
});

describe('photoapp: an echo that came during a call is decided before the send is', () => {
  const hello = echo('photoapp', { upstreamId: 'up-1', parts: [{ type: 'text', text: 'Hello' }] });

  test.each([
    ['resent', { sendResendAfterMs: 2_000 }],
    ['given up', { sendResendAfterMs: 2_000, sendGiveUpAfterMs: 1_000 }],
  ])('but not %s, however short that is set', async (_, rules) => {
    const channel = await LiveChannel.started({ type: 'photoapp', rules });
    const { reply } = await channel.send('m-1', 'mia', 'Hello');
    await channel.facts(hello);
    await channel.calls[0]?.answer({ outcome: 'unknown', error: 'reset' });
    expect(await reply).toEqual({ status: 'queued' });
    await channel.clock.pass(60_000);
    expect([channel.events, channel.calls.length]).toEqual([['message.delivered m-1'], 1]);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent' });
  });

  test('also while another call to that person is in flight', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp', rules: { sendResendAfterMs: 4_000 } });
    const { reply } = await channel.send('m-1', 'mia', 'Hello');
    await channel.clock.pass(2_000);
    await channel.send('m-2', 'mia', 'Another');
    await channel.facts(hello);
    await channel.calls[0]?.answer({ outcome: 'unknown', error: 'reset' });
    expect(await reply).toEqual({ status: 'queued' });
    await channel.clock.pass(7_000);
    expect([channel.events, channel.calls.length]).toEqual([['message.delivered m-1'], 2]);
  });
});

describe('echoes of messages that the business sent outside the service', () => {
  test.each(['chatapp', 'photoapp', 'pagechat'] as const)('%s: one event with a stable id', async (type) => {
    const channel = await LiveChannel.started({ type });
    await channel.facts(echo(type));
    await channel.facts(echo(type));
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
  });

  test('pagechat: another app with its own metadata is another sender', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.facts(echo('pagechat', { appId: '26390203743090', tag: 'theirs' }));
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
  });

  test('photoapp: the echo of another app is not ours, even with the same text', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    const { reply } = await channel.send('m-1', 'mia', 'Hello');
    await channel.calls[0]?.answer({ outcome: 'unknown', error: 'reset' });
    expect(await reply).toEqual({ status: 'queued' });
    await channel.facts(
      echo('photoapp', { appId: '26390203743090', parts: [{ type: 'text', text: 'Hello' }] }),
    );
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
  });

  test('chatapp: does not wait for a call, because our own echo would have our id', async () => {
    const channel = await LiveChannel.started({ type: 'chatapp' });
    await channel.send('m-1', 'mia', 'Hello');
    await channel.facts(echo('chatapp', { parts: [{ type: 'text', text: 'Hello' }] }));
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
  });

  test('photoapp: another text during a call makes its event after 10 s, also under the next owner', async () => {
    for (const isTakenOver of [false, true]) {
      const channel = await LiveChannel.started({ type: 'photoapp' });
      await channel.send('m-1');
      await channel.facts(echo('photoapp'));
      if (isTakenOver) await channel.takeOver();
      await channel.clock.pass(9_999);
      const events = channel.events.filter((event) => event.startsWith('message.echo'));
      // A new owner has no call in flight, so it need not wait.
      expect(events).toEqual(isTakenOver ? [`message.echo ${foreignId}`] : []);
      await channel.clock.pass(1);
      expect(channel.events).toEqual([`message.echo ${foreignId}`]);
    }
  });

  test('photoapp: another text during a call makes its event when the last call to that person is answered', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1');
    await channel.send('m-2');
    await channel.facts(echo('photoapp'));
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    expect(channel.events).toEqual(['message.delivered m-1']);
    await channel.calls[1]?.answer({ outcome: 'accepted', upstreamId: 'up-2' });
    expect(channel.events.slice(1).toSorted()).toEqual([
      `message.delivered m-2`,
      `message.echo ${foreignId}`,
    ]);
    expect(channel.store.unmatched.size).toBe(0);
  });

  test.each([
    ['refused', { outcome: 'refused', error: 'Not reachable', errorCode: 100 }],
    ['refused for now', { outcome: 'deferred', error: 'Too fast', errorCode: 613, pause: 'none' }],
    ['left open', { outcome: 'unknown', error: 'reset' }],
  ] as const)('photoapp: another text makes its event as soon as the call is %s', async (_, outcome) => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1');
    await channel.facts(echo('photoapp'));
    expect(channel.events).toEqual([]);
    await channel.calls[0]?.answer(outcome);
    expect([channel.events, channel.store.unmatched.size]).toEqual([[`message.echo ${foreignId}`], 0]);
  });

  test('photoapp: the same text as in a refused call is the business that writes it itself', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1', 'mia', 'Hello');
    let isDown = true;
    channel.mood = () => (isDown ? 'down' : 'well');
    await channel.calls[0]?.answer({ outcome: 'refused', error: 'Not reachable', errorCode: 100 });
    isDown = false;
    await channel.facts(echo('photoapp', { parts: [{ type: 'text', text: 'Hello' }] }));
    await channel.clock.pass(20_000);
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
  });

  test('photoapp: an echo that waits is work for an owner, and survives an hour without one', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1');
    await channel.facts(echo('photoapp'));
    expect([...channel.store.unmatched.values()]).toMatchObject([{ dueAt: newYear }]);
    const before = channel.state;
    if (before !== null) before.wakeAt = Infinity; // its node is stopped
    channel.isLeaseValid = false;
    await channel.clock.pass(3_600_000);
    channel.isLeaseValid = true;
    await channel.takeOver();
    await channel.clock.pass(0);
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
    expect(channel.store.unmatched.size).toBe(0);
  });

  test('a channel that may not receive makes no event', async () => {
    const channel = await LiveChannel.started({ subscription: { status: 'expired' } });
    expect(await channel.facts(echo('chatapp'))).toEqual({ taken: 1, dropped: 0 });
    expect(channel.events).toEqual([]);
  });
});

describe('echo_statuses', () => {
  const echoStatuses = { channel: { echoStatuses: true } };

  test('off: an echo makes one event and is not tracked', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.facts(echo('pagechat', { at: newYear }));
    await channel.facts(readOf('pagechat', { at: newYear + 1_000 }));
    expect([channel.events, channel.store.messages.size]).toEqual([[`message.echo ${foreignId}`], 0]);
  });

  test('chatapp: statuses have the id of the echo, also those that came before it', async () => {
    const channel = await LiveChannel.started(echoStatuses);
    await channel.facts(receiptOf({ upstreamId: 'foreign', status: 'delivered' }));
    await channel.facts(echo('chatapp'));
    await channel.facts(receiptOf({ upstreamId: 'foreign', status: 'read' }));
    expect(channel.events).toEqual([
      `message.echo ${foreignId}`,
      `message.delivered ${foreignId}`,
      `message.read ${foreignId}`,
    ]);
    expect(channel.store.unmatched.size).toBe(0);
  });

  test('no message.sent follows an echo, even if upstream reports it as sent', async () => {
    const channel = await LiveChannel.started(echoStatuses);
    await channel.facts(receiptOf({ upstreamId: 'foreign', status: 'sent' }), echo('chatapp'));
    await channel.facts(receiptOf({ upstreamId: 'foreign', status: 'sent' }));
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
  });

  test('pagechat: every part gets the statuses that name the upstream id of the whole message', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', ...echoStatuses });
    const share = { type: 'unsupported' as const, unsupportedType: 'share' };
    await channel.facts(echo('pagechat', { parts: [share, share] }));
    const delivered = receiptOf({ channelType: 'pagechat', upstreamId: 'foreign', status: 'delivered' });
    await channel.facts(delivered);
    const second = echoMessageId('channel-1', 'foreign', 2);
    expect(channel.events).toEqual([
      `message.echo ${foreignId}`,
      `message.echo ${second}`,
      `message.delivered ${foreignId}`,
      `message.delivered ${second}`,
    ]);
  });

  test('a status before its echo in the same batch is matched', async () => {
    const channel = await LiveChannel.started(echoStatuses);
    await channel.facts(receiptOf({ upstreamId: 'foreign', status: 'read' }), echo('chatapp'));
    await channel.settled;
    expect(channel.events).toEqual([`message.echo ${foreignId}`, `message.read ${foreignId}`]);
  });

  test('turned off again: later statuses are stored and make no event', async () => {
    const channel = await LiveChannel.started(echoStatuses);
    await channel.facts(echo('chatapp'));
    await channel.change({ channel: { echoStatuses: false } });
    await channel.facts(receiptOf({ upstreamId: 'foreign', status: 'read' }));
    expect(channel.events).toEqual([`message.echo ${foreignId}`]);
    expect(channel.store.messages.get(foreignId)?.rank).toBe(3);
  });

  test('photoapp: an echo counts as delivered; a read makes one message.read for each part', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp', ...echoStatuses });
    const parts = [
      { type: 'text' as const, text: 'one' },
      { type: 'unsupported' as const, unsupportedType: 'share' },
    ];
    await channel.facts(echo('photoapp', { parts, at: newYear }));
    const read = { upTo: null, upToUpstreamId: 'foreign', at: newYear + 5_000 };
    await channel.facts(readOf('photoapp', read));
    const second = echoMessageId('channel-1', 'foreign', 2);
    expect(channel.events).toEqual([
      `message.echo ${foreignId}`,
      `message.echo ${second}`,
      `message.read ${foreignId}`,
      `message.read ${second}`,
    ]);
  });

  test('photoapp: a read while the echo waits or is being written covers it too', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp', ...echoStatuses });
    await channel.send('m-1', 'mia', 'Hello');
    await channel.facts(echo('photoapp', { at: newYear })); // waits: it may be the echo of the call in flight
    const read = { upTo: null, upToUpstreamId: 'foreign', at: newYear + 5_000 };
    await channel.facts(readOf('photoapp', read));
    await channel.calls[0]?.answer({ outcome: 'refused', error: 'Not reachable', errorCode: 100 });
    expect(channel.events).toEqual([`message.echo ${foreignId}`, `message.read ${foreignId}`]);
  });

  test('a read in the same batch as its echo covers it', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', ...echoStatuses });
    await channel.facts(echo('pagechat', { at: newYear }), readOf('pagechat', { at: newYear + 1_000 }));
    await channel.settled;
    expect(channel.events).toEqual([`message.echo ${foreignId}`, `message.read ${foreignId}`]);
  });
});
