import { describe, expect, test } from '@jest/globals';
import { sentenceFor } from '../../src/rules/messages/error-codes.ts';
import { inboundMessageId } from '../../src/rules/events/received.ts';
import { rankOf } from '../../src/rules/messages/message.ts';
import { limits } from '../../actors/channel/limits.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { readOf, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { plainSealer } from './support/plain-sealer.ts';
import { gate } from './support/toy-actor.ts';
import { openMessage } from './support/turns.ts';

const minutes = 60_000;

describe('inbound messages', () => {
  test('each part makes an event, and a redelivered message makes none', async () => {
    const channel = await LiveChannel.started();
    const parts = [
      { type: 'text' as const, text: 'one' },
      { type: 'unsupported' as const, unsupportedType: 'location' },
    ];
    const fact = inboundOf({ parts });
    expect(await channel.facts(fact)).toEqual({ taken: 1, dropped: 0 });
    expect(await channel.facts(fact, fact)).toEqual({ taken: 2, dropped: 0 });
    const id = inboundMessageId('channel-1', fact.upstreamId);
    expect(channel.events).toEqual([`message.received ${id}`, `message.received ${id}.2`]);
    expect(channel.posts).toHaveLength(2);
  });

  test('an event that is not enabled makes no delivery', async () => {
    const channel = await LiveChannel.started({ channel: { webhookEvents: ['message.read'] } });
    expect(await channel.facts(inboundOf())).toEqual({ taken: 1, dropped: 0 });
    expect(channel.events).toEqual([]);
  });

  test.each([
    ['inactive', { channel: { isActive: false } }],
    ['without a licence', { subscription: { status: 'canceled' as const } }],
  ])('a channel that is %s receives nothing except statuses of its sends', async (_case, settings) => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.change(settings);
    const facts = [inboundOf(), receiptOf({ tag: 'm-1' })];
    expect(await channel.facts(...facts)).toEqual({ taken: 1, dropped: 1 });
    expect(await channel.facts(inboundOf())).toEqual({ taken: 0, dropped: 1 });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
  });

  test('a message that could not be stored is answered unavailable, and its redelivery makes the event', async () => {
    const channel = await LiveChannel.started();
    channel.mood = () => 'silent'; // applied, but the answer is lost
    await expect(channel.facts(inboundOf())).rejects.toThrow('Temporarily unavailable');
    channel.mood = () => 'well';
    await channel.clock.pass(50);
    expect(channel.posts).toHaveLength(1);
    expect(await channel.facts(inboundOf())).toEqual({ taken: 1, dropped: 0 });
    expect([channel.events.length, channel.posts.length]).toEqual([1, 1]);
  });
});

/** The plain sealer writes the purpose of the encryption in front of the text. */
function opened(payload: Uint8Array | null): string {
  const sealed = Buffer.from(payload ?? []).toString();
  return sealed.slice(sealed.indexOf('{'));
}

describe("the timestamps of one message's status events", () => {
  const timesOf = ({ store }: LiveChannel): string[] =>
    [...store.deliveries.values()].map(({ event, payload }) => {
      const envelope: unknown = JSON.parse(opened(payload));
      const isEnvelope = typeof envelope === 'object' && envelope !== null && 'timestamp' in envelope;
      return `${event} ${isEnvelope ? String(envelope.timestamp) : ''}`;
    });

  test.each([false, true])(
    'never decrease, although upstream counts in seconds (another owner in between: %s)',
    async (isTakenOver) => {
      const channel = await LiveChannel.started();
      channel.receiver = { ok: false, status: 503, reason: 'status' }; // payloads stay in the store
      await channel.clock.pass(700);
      await channel.sent('m-1', 'up-1');
      const acceptedAt = channel.clock.now();
      const second = acceptedAt - (acceptedAt % 1_000);
      if (isTakenOver) await channel.takeOver();
      await channel.facts(receiptOf({ tag: 'm-1', status: 'read', at: second + 2_000 }));
      if (isTakenOver) await channel.takeOver();
      await channel.facts(receiptOf({ tag: 'm-1', status: 'delivered', at: second }));
      const [sent, read] = [new Date(acceptedAt).toISOString(), new Date(second + 2_000).toISOString()];
      expect(timesOf(channel)).toEqual([
        `message.sent ${sent}`,
        `message.read ${read}`,
        `message.delivered ${read}`,
      ]);
    },
  );
});

describe('statuses of one message (chatapp)', () => {
  test('each makes one event, however often and in whatever order it comes; the rank never decreases', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    for (const status of ['read', 'delivered', 'sent', 'read', 'delivered'] as const)
      await channel.facts(receiptOf({ status }));
    expect(channel.events).toEqual(['message.sent m-1', 'message.read m-1', 'message.delivered m-1']);
    expect(channel.store.messages.get('m-1')).toMatchObject({ state: 'sent', rank: 3 });
  });

  test('a failure after delivered is stored, makes an event, and lowers no status', async () => {
    const channel = await LiveChannel.started();
    await channel.sent('m-1', 'up-1');
    await channel.facts(receiptOf({ status: 'delivered' }));
    expect(channel.store.messages.get('m-1')).toMatchObject({ error: null, errorCode: null });
    await channel.facts(
      receiptOf({ status: 'failed', errors: [{ code: 131026, title: 'gone', details: 'no app' }] }),
    );
    expect(channel.events.at(-1)).toBe('message.failed m-1');
    expect(channel.store.messages.get('m-1')).toMatchObject({
      state: 'sent',
      rank: 2,
      deliveryFailed: true,
      error: sentenceFor(131026, { subcode: null, message: 'gone', details: 'no app' }),
      errorCode: 131026,
    });
  });

  test('a status with our id confirms an open send and answers its client', async () => {
    const channel = await LiveChannel.started();
    const { reply } = await channel.send('m-1');
    await channel.facts(receiptOf({ status: 'delivered', tag: 'm-1', upstreamId: 'up-1' }));
    expect(await reply).toEqual({ status: 'sent' });
    expect(channel.store.messages.get('m-1')).toMatchObject({
      state: 'sent',
      rank: 2,
      upstreamIds: ['up-1'],
    });
  });
});

describe('a status of an unknown message', () => {
  test('waits for the answer to its send', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.facts(receiptOf({ status: 'delivered' }), receiptOf({ status: 'read' }));
    expect([channel.events, channel.store.unmatched.size]).toEqual([[], 2]);
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1', 'message.read m-1']);
    expect(channel.store.unmatched.size).toBe(0);
  });

  test('is matched if the answer is stored during its look-up', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    const lookUp = gate();
    channel.lookUps = lookUp.promise;
    const taken = channel.facts(receiptOf());
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    expect(channel.events).toEqual(['message.sent m-1']);
    lookUp.open();
    expect(await taken).toEqual({ taken: 1, dropped: 0 });
    await channel.settled;
    expect(channel.events).toEqual(['message.sent m-1', 'message.delivered m-1']);
    expect([channel.store.unmatched.size, channel.state?.facts.learnedLately.size]).toEqual([0, 0]);
  });

  test('is matched by the next owner, also if the previous one crashed between the answer and the match', async () => {
    const channel = await LiveChannel.started();
    await channel.send('m-1');
    await channel.facts(receiptOf());
    channel.store.commit('channel-1', 1, [
      { write: 'recordAccepted', messageId: 'm-1', upstreamId: 'up-1', rank: 1, at: 0 },
    ]);
    await channel.takeOver();
    expect([channel.events, channel.store.unmatched.size]).toEqual([['message.delivered m-1'], 0]);
  });

  test('is dropped after 15 minutes', async () => {
    const channel = await LiveChannel.started();
    await channel.facts(receiptOf());
    await channel.clock.pass(15 * minutes - 1);
    expect(channel.store.unmatched.size).toBe(1);
    await channel.clock.pass(1);
    expect([channel.store.unmatched.size, channel.state?.facts.unmatched.size, channel.events]).toEqual([
      0,
      0,
      [],
    ]);
  });

  test('up to 5,000 are remembered; the oldest make room', async () => {
    const channel = await LiveChannel.started();
    for (let chunk = 0; chunk < 11; chunk += 1) {
      const some = Array.from({ length: 500 }, (_, n) => receiptOf({ upstreamId: `up-${chunk * 500 + n}` }));
      await channel.facts(...some);
    }
    expect([channel.state?.facts.unmatched.size, channel.store.unmatched.size]).toEqual([5_000, 5_500]);
  });
});

/** An echo to somebody else: ten of its receipts fill a round. */
function addEchoOfFiftyParts({ store: { messages } }: LiveChannel): void {
  for (let n = 0; n < 50; n += 1) {
    const { message } = openMessage({
      id: `echo-${n}`,
      origin: 'echo',
      recipient: 'noah',
      state: 'sent',
      upstreamIds: ['up-e'],
    });
    messages.set(message.id, message);
  }
}

describe('receipts of a conversation', () => {
  test('pagechat: one event for each earlier message below that status, up to the watermark', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    for (const n of [1, 2, 3]) {
      await channel.sent(`m-${n}`, `up-${n}`);
      await channel.clock.pass(1_000);
    }
    await channel.sent('to-noah', 'up-4', 'noah');
    await channel.facts(readOf('pagechat', { status: 'delivered', at: newYear + 1_000 }));
    await channel.facts(readOf('pagechat', { at: newYear + 1_500 }));
    await channel.facts(readOf('pagechat', { at: newYear + 1_500 }));
    expect(channel.events).toEqual([
      'message.delivered m-1',
      'message.delivered m-2',
      'message.read m-1',
      'message.read m-2',
    ]);
  });

  test('photoapp: accepted is a synthetic delivered; a read covers everything up to the message that it names', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    for (const n of [1, 2, 3]) {
      await channel.sent(`m-${n}`, `up-${n}`);
      await channel.clock.pass(1_000);
    }
    const read = readOf('photoapp', { upTo: null, upToUpstreamId: 'up-2', at: newYear + 9_000 });
    await channel.facts(read);
    expect(channel.events).toEqual([
      'message.delivered m-1',
      'message.delivered m-2',
      'message.delivered m-3',
      'message.read m-1',
      'message.read m-2',
    ]);
    expect(channel.store.messages.get('m-2')).toMatchObject({ rank: 3 });
  });

  test('two in one POST each cover their own conversation', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.sent('m-1', 'up-1', 'mia');
    await channel.sent('m-2', 'up-2', 'noah');
    await channel.facts(readOf('pagechat', { recipient: 'mia' }), readOf('pagechat', { recipient: 'noah' }));
    expect(channel.events).toEqual(['message.read m-1', 'message.read m-2']);
  });

  test('1,200 unread messages: 1,200 events, in commits of at most 500 messages', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    channel.receiver = 'by hand';
    for (let n = 0; n < 1_200; n += 1) {
      if (n % 50 === 0) await channel.clock.pass(1_000);
      await channel.sent(`m-${n}`, `up-${n}`);
    }
    channel.largestCommit = 0;
    const at = channel.clock.now();
    expect(await channel.facts(readOf('pagechat', { upTo: at, at }))).toEqual({ taken: 1, dropped: 0 });
    expect(channel.events.filter((event) => event.startsWith('message.read'))).toHaveLength(1_200);
    expect(channel.largestCommit).toBe(1_000); // a delivery and a status each
  });

  test('one that covers sends in flight waits for all their answers', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.send('m-1');
    await channel.clock.pass(2_000); // the second send overtakes then
    await channel.send('m-2');
    await channel.facts(readOf('pagechat', { at: newYear + 3_000 }));
    await channel.calls[0]?.answer({ outcome: 'accepted', upstreamId: 'up-1' });
    expect([channel.events, channel.store.unmatched.size]).toEqual([['message.read m-1'], 1]);
    await channel.calls[1]?.answer({ outcome: 'accepted', upstreamId: 'up-2' });
    expect([channel.events, channel.store.unmatched.size]).toEqual([
      ['message.read m-1', 'message.read m-2'],
      0,
    ]);
  });

  test('a read behind more receipts than one round takes is told after the delivered before it', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', channel: { echoStatuses: true } });
    await channel.sent('m-1', 'up-m');
    const { messages } = channel.store;
    addEchoOfFiftyParts(channel);
    const at = newYear + 1_000;
    await channel.facts(
      ...Array.from({ length: limits.readChunk / 50 }, () => receiptOf({ upstreamId: 'up-e' })),
      receiptOf({ upstreamId: 'up-m', at }),
      readOf('pagechat', { at: at + 1_000 }),
    );
    expect(messages.get('m-1')).toMatchObject({ deliveredAt: at, readAt: at + 1_000 });
    expect(channel.events.filter((event) => /^message\.(delivered|read) m-1$/.test(event))).toEqual([
      'message.delivered m-1',
      'message.read m-1',
    ]);
  });

  test('a read of a later POST is told after the delivered of an earlier one that takes another round', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', channel: { echoStatuses: true } });
    await channel.sent('m-1', 'up-m');
    addEchoOfFiftyParts(channel);
    const delivered = channel.facts(
      ...Array.from({ length: limits.readChunk / 50 }, () => receiptOf({ upstreamId: 'up-e' })),
      receiptOf({ upstreamId: 'up-m' }),
    );
    const read = channel.facts(readOf('pagechat', { at: newYear + 1_000 }));
    expect(await Promise.all([delivered, read])).toEqual([
      { taken: limits.readChunk / 50 + 1, dropped: 0 },
      { taken: 1, dropped: 0 },
    ]);
    expect(channel.events.filter((event) => event.endsWith(' m-1'))).toEqual([
      'message.delivered m-1',
      'message.read m-1',
    ]);
  });

  test('a read of a later POST is told after an earlier delivered that waits for a running job', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.sent('m-1', 'up-m');
    await Promise.all([
      channel.facts(inboundOf()),
      channel.facts(receiptOf({ upstreamId: 'up-m' })),
      channel.facts(readOf('pagechat', { at: newYear + 1_000 })),
    ]);
    expect(channel.events.filter((event) => event.endsWith(' m-1'))).toEqual([
      'message.delivered m-1',
      'message.read m-1',
    ]);
  });

  test('[faults: I1] one that waited reaches each of its messages, although its owner is lost between two rounds', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.send('m-1');
    await channel.facts(readOf('pagechat'));
    const { messages, unmatched } = channel.store;
    for (let n = 0; n < limits.readChunk; n += 1) {
      const { message } = openMessage({ id: `earlier-${n}`, state: 'sent', attemptedAt: newYear - 1_000 });
      messages.set(message.id, message);
    }
    channel.store.commit('channel-1', 1, [
      { write: 'recordAccepted', messageId: 'm-1', upstreamId: 'up-1', rank: 1, at: newYear },
    ]);
    const ranks = () => [messages.get('earlier-0')?.rank, messages.get('m-1')?.rank];
    // The owner stores its first round and nothing more.
    channel.mood = () => (ranks()[0] === rankOf('read') ? 'fenced' : 'well');
    await channel.takeOver();
    expect([ranks(), unmatched.size]).toEqual([[rankOf('read'), 1], 1]);
    channel.mood = () => 'well';
    await channel.takeOver();
    expect([ranks(), unmatched.size]).toEqual([[rankOf('read'), rankOf('read')], 0]);
    expect(channel.events.filter((event) => event === 'message.read m-1')).toHaveLength(1);
  });

  test('of two that wait the later one is kept, whichever is written last', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat' });
    await channel.clock.pass(100);
    await channel.send('m-1');
    const lookUp = gate();
    channel.lookUps = lookUp.promise;
    const late = channel.facts(readOf('pagechat', { at: newYear + 200 }));
    const early = channel.facts(readOf('pagechat', { at: newYear + 100 }));
    lookUp.open();
    await Promise.all([late, early]);
    await channel.settled;
    const unmatched = [...channel.store.unmatched.values()].map(
      ({ id, fact }) =>
        JSON.parse(plainSealer.openText(fact, sealContext.unmatched('channel-1', id))).at - newYear,
    );
    expect(unmatched).toEqual([200]);
  });
});
