import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { WebhookResult } from '../../src/rules/outside.ts';
import type { InboundMessage } from '../../src/rules/messages/facts.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { facts, receiptOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { Turns, accepted, openMessage } from './support/turns.ts';
import { up, down } from './support/deliveries.ts';

const seconds = 1_000;
const minutes = 60_000;

function inbound(n: number): InboundMessage {
  return inboundOf({ upstreamId: `in-${n}` });
}

/** A channel with one delivery in flight to a receiver that answers `receiver`. */
async function posting(receiver: WebhookResult | 'by hand', start = {}): Promise<LiveChannel> {
  const channel = await LiveChannel.started(start);
  channel.receiver = receiver;
  await channel.facts(inbound(1));
  return channel;
}

function onRecord(channel: LiveChannel): unknown[] {
  return [...channel.store.deliveries.values()].map((delivery) => {
    const { state, attempts, lastResult, payload } = delivery;
    return { state, attempts, lastResult, isErased: payload === null };
  });
}

test('of a burst beyond the limit of POSTs, each is tried as soon as another ends', async () => {
  const channel = await posting('by hand');
  await channel.facts(...Array.from({ length: limits.posts + 7 }, (_, n) => inbound(n + 2)));
  expect(channel.posts).toHaveLength(limits.posts);
  for (let next = 0; next < channel.posts.length; next += 1) await channel.posts[next]?.answer(up);
  expect([channel.posts.length, channel.clock.now()]).toEqual([limits.posts + 8, newYear]);
  expect(onRecord(channel)).toEqual(
    channel.posts.map(() => ({ state: 'delivered', attempts: 1, lastResult: '204', isErased: true })),
  );
});

test.each([
  [['message.sent'], ['message.sent']],
  [[], []],
  [null, []],
] as const)(
  "of a turn's events, those that the channel subscribes to make deliveries: %p",
  (webhookEvents, posted) => {
    const turns = new Turns({ channel: { webhookEvents: webhookEvents && [...webhookEvents] } }).sent('m-1');
    const [commit] = turns.effects({
      type: 'send-result',
      messageId: 'm-1',
      attempt: 1,
      outcome: accepted(),
    });
    if (commit?.effect !== 'commit') throw new Error('its outcome goes on record');
    const namesOf = (events: readonly { event: string }[]): string[] => events.map(({ event }) => event);
    expect(namesOf(commit.events)).toEqual(['message.sent']);
    expect(namesOf(commit.deliveries)).toEqual(posted);
  },
);

test('of several events of one turn, those that the channel subscribes to make deliveries', () => {
  const turns = new Turns({ channel: { webhookEvents: ['message.read'] } });
  const { message } = openMessage({ state: 'sent', upstreamIds: ['up-1'] });
  const statuses = ['delivered', 'read'] as const;
  turns.tell(facts(...statuses.map((status) => receiptOf({ status }))));
  const known = [message];
  const effects = turns.effects({ type: 'facts-resolved', job: 1, known, conversations: [], delivered: [] });
  expect(effects).toMatchObject([
    {
      events: [{ event: 'message.delivered' }, { event: 'message.read' }],
      deliveries: [{ event: 'message.read' }],
    },
  ]);
});

describe('the retry schedule', () => {
  test('has a first attempt at once, then 7 retries after 30 s, 1 min and 5 times 2 min, with the same bytes', async () => {
    const channel = await posting(down);
    const startedAt = channel.clock.now();
    const times: number[] = [];
    for (let made = 0; made < 8; made = channel.posts.length) {
      while (channel.posts.length === made) await channel.clock.pass(1 * seconds);
      times.push((channel.clock.now() - startedAt) / seconds);
      if (channel.posts.length === 8) break;
    }
    expect(times.slice(1)).toEqual([30, 90, 210, 330, 450, 570, 690]);
    const bodies = channel.posts.map(({ sent }) => Buffer.from(sent.body).toString());
    expect(new Set(bodies).size).toBe(1);
    expect(channel.posts.map(({ sent }) => sent.attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    await channel.clock.pass(60 * minutes);
    expect(onRecord(channel)).toEqual([{ state: 'failed', attempts: 8, lastResult: '503', isErased: true }]);
    expect(channel.posts).toHaveLength(8);
  });

  test('a warning mail after the 3rd failed attempt, an alert after the last', async () => {
    const channel = await posting(down);
    await channel.clock.pass(90 * seconds - 1);
    expect(channel.store.mails).toEqual([]);
    await channel.clock.pass(1);
    expect(channel.store.mails.map(({ kind }) => kind)).toEqual(['webhook-warning']);
    await channel.clock.pass(600 * seconds);
    expect(channel.store.mails.map(({ kind }) => kind)).toEqual(['webhook-warning', 'webhook-alert']);
  });

  test('the log shows each mail once, however many lines it gets and from how many owners', async () => {
    const channel = await posting(down);
    await channel.facts(inbound(2));
    await channel.clock.pass(100 * seconds);
    await channel.facts(inbound(3));
    await channel.clock.pass(595 * seconds);
    expect(channel.store.mails.filter(({ kind }) => kind === 'webhook-alert')).toHaveLength(2);
    await channel.takeOver();
    await channel.clock.pass(120 * seconds);
    const alerts = channel.store.mails.filter(({ kind }) => kind === 'webhook-alert');
    // The next owner does not know of the first alert.
    expect([alerts.length, new Set(alerts.map(({ id }) => id)).size]).toEqual([3, 2]);
    const shown = channel.told.filter(([event]) => event === 'mail.stored');
    expect(shown.map(([, { kind }]) => kind)).toEqual(['webhook-warning', 'webhook-alert', 'webhook-alert']);
  });

  test('delivered: the same write erases the payload', async () => {
    const channel = await posting(up);
    expect(onRecord(channel)).toEqual([
      { state: 'delivered', attempts: 1, lastResult: '204', isErased: true },
    ]);
    expect([channel.state?.deliveries.open.size, channel.state?.deliveries.posts]).toEqual([0, 0]);
  });

  test('the deadline runs from the first attempt, not from the event', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = down;
    channel.isLeaseValid = false; // no attempt is allowed
    await channel.facts(inbound(1));
    await channel.clock.pass(60 * minutes);
    expect([channel.posts.length, onRecord(channel)[0]]).toMatchObject([
      0,
      { state: 'pending', attempts: 0 },
    ]);
    channel.isLeaseValid = true;
    await channel.clock.pass(12 * minutes);
    expect(onRecord(channel)).toMatchObject([{ state: 'failed', attempts: 8 }]);
  });

  test('an alert in the interval of the one before is gathered, also if the receiver has worked in between', async () => {
    const channel = await posting(down);
    await channel.clock.pass(690 * seconds);
    channel.receiver = up;
    await channel.facts(inbound(2));
    channel.receiver = down;
    await channel.facts(inbound(3));
    await channel.clock.pass(690 * seconds);
    const alerts = channel.store.mails.filter(({ kind }) => kind === 'webhook-alert');
    const [first, second] = alerts.map(({ sendAfter }) => sendAfter);
    expect((second ?? 0) - (first ?? 0)).toBe(900 * seconds);
  });

  test('at the deadline it fails, with its alert, also while it waits for a free slot', async () => {
    const channel = await posting(down, { rules: { webhookDeadlineMs: 50 * seconds } });
    await channel.clock.pass(30 * seconds);
    expect(onRecord(channel)).toMatchObject([{ state: 'failed', attempts: 2, lastResult: '503' }]);

    const crowded = await LiveChannel.started({ rules: { webhookDeadlineMs: 50 * seconds } });
    crowded.receiver = 'by hand';
    for (let n = 0; n < 37; n += 1) await crowded.facts(inbound(n));
    for (const { answer } of crowded.posts.slice(0, 5)) await answer(down);
    for (const { answer } of crowded.posts.slice(5, 32)) await answer(down);
    for (const { answer } of crowded.posts.slice(32, 37)) await answer(down);
    await crowded.clock.pass(50 * seconds); // 32 are retried and hang, five wait behind them
    expect(crowded.posts).toHaveLength(37 + 32);
    await crowded.clock.pass(1);
    const failed = onRecord(crowded).filter((each) => JSON.stringify(each).includes('deadline passed'));
    expect(failed).toHaveLength(5);
    expect(crowded.store.mails.filter(({ kind }) => kind === 'webhook-alert')).toHaveLength(5);
  });
});

describe('settings are read at each attempt', () => {
  test('a new URL and secret apply from the next attempt on', async () => {
    const channel = await posting(down);
    await channel.change({ channel: { webhookUrl: 'https://new.example.com/' } });
    await channel.clock.pass(30 * seconds);
    expect(channel.posts.map(({ sent }) => sent.url)).toEqual([
      'https://receiver.example.com/',
      'https://new.example.com/',
    ]);
  });

  test.each([
    ['the event is disabled', { webhookEvents: ['message.read'] }],
    ['the URL is removed', { webhookUrl: null }],
  ])('%s: canceled, stored as canceled, no mail', async (_case, channelSettings) => {
    const channel = await posting(down);
    await channel.change({ channel: channelSettings });
    await channel.clock.pass(30 * seconds);
    const lastResult = 'canceled: event or webhook_url no longer configured';
    expect(onRecord(channel)).toEqual([{ state: 'failed', attempts: 1, lastResult, isErased: true }]);
    expect([channel.posts.length, channel.store.mails, channel.state?.deliveries.open.size]).toEqual([
      1,
      [],
      0,
    ]);
  });

  test('an older load of settings that is answered late does not restore old settings', async () => {
    const channel = await LiveChannel.started();
    const old = channel.store.settings;
    await channel.change({ channel: { webhookEvents: [] } });
    await channel.change({ channel: { webhookEvents: [] } });
    channel.tell({ type: 'settings-loaded', request: 1, settings: old, ask: null });
    await channel.facts(inbound(1));
    expect(channel.events).toEqual([]);
  });
});

describe('a failing receiver', () => {
  test('keeps its 32 concurrent POSTs, and counts as failing from the 5th failure in a row until a success', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = 'by hand';
    for (let n = 0; n < 45; n += 1) await channel.facts(inbound(n));
    const named = () => channel.posts.map(({ sent }) => sent.isFailing).slice(32);
    for (const { answer } of channel.posts.slice(0, 6)) await answer(down);
    expect([channel.state?.deliveries.posts, named()]).toEqual([
      32,
      [false, false, false, false, true, true],
    ]);
    await channel.posts[6]?.answer(up);
    expect(named().at(-1)).toBe(false);
  });

  test('that hangs until the time limit: each of 100 events gets its 8 attempts within its schedule', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = 'by hand';
    await channel.facts(...Array.from({ length: 100 }, (_, n) => inbound(n)));
    let answered = 0;
    for (let second = 0; second < 20 * 60 && answered < 800; second += 5) {
      const hanging = channel.posts.slice(answered);
      answered += hanging.length;
      await channel.clock.pass(5 * seconds);
      for (const { answer } of hanging) await answer({ ok: false, status: null, reason: 'timeout' });
    }
    expect(onRecord(channel)).toEqual(
      Array.from({ length: 100 }, () => ({
        state: 'failed',
        attempts: 8,
        lastResult: 'timeout',
        isErased: true,
      })),
    );
  });

  test('an attempt for which the node had no free connection does not count: it is made a second later', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = { ok: false, status: null, reason: 'busy' };
    await channel.facts(inbound(1));
    channel.receiver = up;
    await channel.clock.pass(1 * seconds);
    expect(onRecord(channel)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  test('a new URL is not a failing receiver', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = down;
    for (let n = 0; n < 6; n += 1) await channel.facts(inbound(n));
    channel.receiver = 'by hand';
    await channel.change({ channel: { webhookUrl: 'https://new.example.com/' } });
    await channel.clock.pass(30 * seconds);
    expect(channel.state?.deliveries.posts).toBe(6);
  });
});

describe('bounds', () => {
  test('2,000 are remembered; the rest is read from the store when there is room', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = 'by hand';
    for (let n = 0; n < 3_500; n += 500)
      await channel.facts(...Array.from({ length: 500 }, (_, i) => inbound(n + i)));
    expect([channel.state?.deliveries.open.size, channel.state?.deliveries.storeHasMore]).toEqual([
      2_000,
      true,
    ]);
    channel.receiver = up;
    for (const { answer } of channel.posts.slice(0, 32)) await answer(up);
    await channel.clock.pass(1);
    expect(onRecord(channel).filter((each) => JSON.stringify(each).includes('"delivered"'))).toHaveLength(
      3_500,
    );
    expect(channel.posts).toHaveLength(3_500);
    expect([channel.state?.deliveries.open.size, channel.state?.deliveries.storeHasMore]).toEqual([0, false]);
  });
});

describe('claims', () => {
  test('a delivery that another owner has finished is not posted again, and forgotten', async () => {
    const channel = await posting(down);
    for (const delivery of channel.store.deliveries.values()) delivery.state = 'delivered';
    await channel.clock.pass(30 * seconds);
    expect([
      channel.posts.length,
      channel.state?.deliveries.open.size,
      channel.state?.deliveries.posts,
    ]).toEqual([1, 0, 0]);
  });

  test('a delivery that another owner has tried meanwhile continues after that attempt', async () => {
    const channel = await posting(down);
    for (const delivery of channel.store.deliveries.values()) delivery.attempts = 7;
    await channel.clock.pass(30 * seconds);
    expect(channel.posts.map(({ sent }) => sent.attempt)).toEqual([1, 8]);
    expect(onRecord(channel)).toMatchObject([{ state: 'failed', attempts: 8 }]);
  });

  test('while the store is down no attempt is made; it is tried again a second later', async () => {
    const channel = await posting(down);
    channel.mood = () => 'down';
    await channel.clock.pass(40 * seconds);
    expect(channel.posts).toHaveLength(1);
    channel.mood = () => 'well';
    await channel.clock.pass(1 * seconds);
    expect(channel.posts).toHaveLength(2);
  });

  test('a retry waits until the attempt before it is stored', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = 'by hand';
    await channel.facts(inbound(1));
    channel.mood = () => 'down';
    await channel.posts[0]?.answer(down);
    await channel.clock.pass(60 * seconds);
    channel.mood = () => 'well';
    await channel.clock.pass(5 * seconds);
    expect(channel.posts.map(({ sent }) => sent.attempt)).toEqual([1, 2]);
  });

  test('while the lease may be over nothing is posted', async () => {
    const channel = await LiveChannel.started();
    channel.isLeaseValid = false;
    await channel.facts(inbound(1));
    await channel.clock.pass(5 * seconds);
    expect(channel.posts).toEqual([]);
    channel.isLeaseValid = true;
    await channel.clock.pass(1 * seconds);
    expect(onRecord(channel)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });

  test('a retry that becomes due meanwhile is not made, and not counted', async () => {
    const channel = await posting(down);
    const claims = (): number[] => [...channel.store.deliveries.values()].map((one) => one.claims);
    const before = claims();
    channel.isLeaseValid = false;
    await channel.clock.pass(40 * seconds);
    expect([channel.posts.length, claims()]).toEqual([1, before]);
    channel.isLeaseValid = true;
    await channel.clock.pass(1 * seconds);
    expect(channel.posts.map(({ sent }) => sent.attempt)).toEqual([1, 2]);
  });

  test('a payload that cannot be decrypted fails, with its mails', async () => {
    const channel = await posting(down);
    for (const delivery of channel.store.deliveries.values()) delivery.payload = new Uint8Array([1]);
    await channel.clock.pass(20 * minutes);
    expect(onRecord(channel)).toMatchObject([
      { state: 'failed', attempts: 8, lastResult: 'payload unreadable' },
    ]);
    expect(channel.store.mails.map(({ kind }) => kind)).toEqual(['webhook-warning', 'webhook-alert']);
  });

  test('a crash during a POST costs one duplicate and no retry', async () => {
    const channel = await posting('by hand');
    channel.receiver = up;
    await channel.takeOver();
    expect(channel.posts.map(({ sent }) => sent.attempt)).toEqual([1, 1]);
    expect(onRecord(channel)).toMatchObject([{ state: 'delivered', attempts: 1 }]);
  });
});

describe('the parts of one message', () => {
  const parts = ['one', 'two', 'three'].map((text) => ({ type: 'text' as const, text }));

  test('are sent in order: the next one once the first attempt of the previous one has ended', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = 'by hand';
    await channel.facts(inboundOf({ upstreamId: 'album', parts }));
    const sent = (): unknown[] =>
      channel.posts.map(({ sent: { body } }) => JSON.parse(Buffer.from(body).toString()).data.text);
    expect(sent()).toEqual(['one']);
    void channel.posts[0]?.answer(up);
    await channel.settled;
    expect(sent()).toEqual(['one', 'two']);
    void channel.posts[1]?.answer(down);
    await channel.settled;
    expect(sent()).toEqual(['one', 'two', 'three']);
  });

  test('do not delay other messages', async () => {
    const channel = await LiveChannel.started();
    channel.receiver = 'by hand';
    await channel.facts(inboundOf({ upstreamId: 'album', parts }), inbound(7));
    expect(channel.posts).toHaveLength(2);
  });
});

describe('subscribers of the live feed [architecture §8]', () => {
  const read = {
    kind: 'receipt',
    channelType: 'chatapp',
    identity: 'x',
    status: 'read',
    upstreamId: 'up-1',
  } as const;
  const about = { ...read, tag: null, recipient: 'mia', at: 1, errors: [] };
  const onlyInbound = { channel: { webhookEvents: ['message.received' as const] } };

  test('get an event that the webhook does not ask for, which makes no delivery', async () => {
    const channel = await LiveChannel.started(onlyInbound);
    await channel.sent('m-1', 'up-1');
    await channel.facts(about);
    expect(channel.shown).toEqual(['message.sent m-1', 'message.read m-1']);
    expect(channel.events).toEqual([]);
  });

  test('if there are none, webhooks are sent as usual, and no envelopes are made', async () => {
    const channel = await LiveChannel.started(onlyInbound);
    channel.hasSubscribers = false;
    await channel.sent('m-1', 'up-1');
    await channel.facts(about, inbound(1));
    expect(channel.events).toEqual([expect.stringContaining('message.received')]);
    expect(channel.posts).toHaveLength(1);
    expect(channel.store.messages.get('m-1')).toMatchObject({ rank: 3 });
  });

  test('get the events from their subscription on', async () => {
    const channel = await LiveChannel.started(onlyInbound);
    channel.hasSubscribers = false;
    await channel.sent('m-1', 'up-1');
    channel.hasSubscribers = true;
    await channel.facts(about);
    expect(channel.shown).toEqual(['message.read m-1']);
  });
});
