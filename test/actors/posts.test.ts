/** The contents of an attempt, and the consequences if it cannot be made. [spec: Delivery and retry of webhooks] */
import { describe, expect, test } from '@jest/globals';
import { limits } from '../../actors/channel/limits.ts';
import type { WebhookResult } from '../../src/rules/outside.ts';
import { ActivationGone } from '../../actors/runtime/activation.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import { inboundMessageId } from '../../src/rules/events/received.ts';
import { inboundOf, newYear } from '../rules/samples.ts';
import { LiveChannel } from './support/live-channel.ts';
import { plainSealer } from './support/plain-sealer.ts';
import { up, down } from './support/deliveries.ts';

const fact = inboundOf({ upstreamId: 'in-1', requestId: 'request-1' });

async function posting(receiver: WebhookResult | 'by hand', channel = {}): Promise<LiveChannel> {
  const live = await LiveChannel.started({ channel });
  live.receiver = receiver;
  await live.facts(fact);
  return live;
}

const stored = (live: LiveChannel) => [...live.store.deliveries.values()];

describe('an attempt', () => {
  const [current, before] = ['new', 'old'].map((text) =>
    plainSealer.sealText(text, sealContext.webhookSecret('channel-1')),
  );
  const settings = {
    webhookSecret: current,
    previousSecret: before,
    previousSecretUntil: newYear + 20_000,
    keepAnswers: true,
  };

  test('gets URL, body, secrets and log fields; a retry gets the same', async () => {
    const live = await posting(down, settings);
    await live.clock.pass(30_000);
    const [delivery] = stored(live);
    const [{ sent: first } = { sent: null }] = live.posts;
    const post = {
      channelId: 'channel-1',
      url: 'https://receiver.example.com/',
      secret: current,
      previousSecret: before,
      deliveryId: delivery?.id,
      requestId: 'request-1',
      attempt: 1,
      since: newYear,
      body: first?.body,
      headers: null,
      isFailing: false,
      logged: {
        channel: expect.objectContaining({ accountId: 'account-1', keepAnswers: true }),
        startedAt: newYear,
      },
    };
    expect(live.posts.map(({ sent }) => ({ ...sent, body: Buffer.from(sent.body).toString() }))).toEqual(
      [
        post,
        // The previous secret signs only for a limited time.
        {
          ...post,
          attempt: 2,
          previousSecret: null,
          logged: { ...post.logged, startedAt: newYear + 30_000 },
        },
      ].map((each) => ({ ...each, body: Buffer.from(first?.body ?? []).toString() })),
    );
    expect(JSON.parse(Buffer.from(first?.body ?? []).toString())).toMatchObject({
      event: 'message.received',
      data: { message_id: inboundMessageId('channel-1', 'in-1') },
    });
  });

  test('is logged in one line, with the id of the request that caused its event', async () => {
    const live = await posting(up);
    const [delivery] = stored(live);
    const ids = { channel: 'channel-1', delivery: delivery?.id, message: delivery?.messageId };
    expect(live.told).toEqual([
      [
        'delivery.attempted',
        expect.objectContaining({ ...ids, request_id: 'request-1', attempt: 1, result: '204' }),
      ],
    ]);
  });

  test('whose payload no key decrypts is logged for operators, and has no status in the delivery log', async () => {
    const live = await posting(down);
    for (const delivery of live.store.deliveries.values()) delivery.payload = new Uint8Array([1]);
    await live.clock.pass(30_000);
    const [delivery] = stored(live);
    expect([live.posts.length, delivery?.attempts, delivery?.lastResult]).toEqual([
      1,
      2,
      'payload unreadable',
    ]);
    const ids = { channel: 'channel-1', delivery: delivery?.id };
    expect(live.lines).toEqual([['delivery.payload-unreadable', ids]]);
  });

  test('whose claim the store does not answer is logged, and made a second later', async () => {
    const live = await posting(down);
    live.mood = () => 'down';
    await live.clock.pass(30_000);
    live.mood = () => 'well';
    const line = { channel: 'channel-1', delivery: stored(live)[0]?.id, request_id: 'request-1', times: 1 };
    expect([live.posts.length, live.lines]).toEqual([1, [['delivery.postponed', line]]]);
    await live.clock.pass(999);
    expect(live.posts).toHaveLength(1);
    await live.clock.pass(1);
    expect(live.posts.map(({ sent }) => sent.attempt)).toEqual([1, 2]);
  });

  test('is not made if the lease ends during its claim', async () => {
    const live = await posting(down);
    let operations = 0;
    live.mood = () => {
      operations += 1;
      if (operations === 1) live.isLeaseValid = false;
      return 'well';
    };
    await live.clock.pass(30_500);
    expect(live.posts).toHaveLength(1);
    live.isLeaseValid = true;
    await live.clock.pass(1_000);
    expect(live.posts.map(({ sent }) => sent.attempt)).toEqual([1, 2]);
  });

  test('is not made if the delivery ends during its claim', async () => {
    const live = await posting(down);
    let operations = 0;
    live.mood = () => {
      operations += 1;
      if (operations === 2)
        for (const delivery of live.store.deliveries.values()) delivery.state = 'delivered';
      return 'well';
    };
    await live.clock.pass(60_000);
    expect([live.posts.length, live.state?.deliveries.open.size]).toEqual([1, 0]);
  });

  test('of a delivery that another owner has claimed ends this owner, which posts nothing', async () => {
    const live = await posting(down);
    for (const delivery of live.store.deliveries.values()) delivery.epoch = 2;
    await live.clock.pass(60_000);
    expect([live.posts.length, stored(live)[0]?.attempts]).toEqual([1, 1]);
  });
});

describe('a POST that crashed owner after owner', () => {
  test('is quarantined with everything that a retry needs', async () => {
    const live = await posting('by hand');
    const body = Buffer.from(live.posts[0]?.sent.body ?? []).toString();
    for (let owner = 0; owner < limits.deliveryCrashes; owner += 1) await live.takeOver();
    const [delivery] = stored(live);
    expect(live.aside).toEqual([
      {
        kind: 'delivery',
        channel: live.store.settings.channel,
        ownerId: 'channel-1',
        id: delivery?.id,
        event: 'message.received',
        messageId: inboundMessageId('channel-1', 'in-1'),
        requestId: 'request-1',
        body,
        tries: limits.deliveryCrashes,
      },
    ]);
  });

  test('whose payload cannot be decrypted fails, and is not quarantined', async () => {
    const live = await posting('by hand');
    for (let owner = 1; owner < limits.deliveryCrashes; owner += 1) await live.takeOver();
    for (const delivery of live.store.deliveries.values()) delivery.payload = new Uint8Array([1]);
    await live.takeOver();
    expect([live.aside, stored(live)[0]?.state]).toEqual([[], 'failed']);
  });

  test('is quarantined although the store does not answer at first', async () => {
    const live = await posting('by hand');
    for (let owner = 1; owner < limits.deliveryCrashes; owner += 1) await live.takeOver();
    let operations = 0;
    // The first two operations load the state and the settings.
    live.mood = () => ((operations += 1) === 3 ? 'down' : 'well');
    await live.takeOver();
    expect(live.aside).toEqual([]);
    await live.clock.pass(50);
    expect([live.aside.length, stored(live)[0]?.state]).toEqual([1, 'failed']);
  });
});

describe('a suspect that the node was too busy to post', () => {
  test('is tried again a second later, once the store has reset its count', async () => {
    const live = await posting('by hand');
    await live.takeOver();
    live.mood = () => 'down';
    await live.posts.at(-1)?.answer({ ok: false, status: null, reason: 'busy' });
    expect(stored(live)[0]?.claims).toBe(2);
    live.mood = () => 'well';
    await live.clock.pass(50);
    expect(stored(live)[0]?.claims).toBe(0);
    await live.clock.pass(1_000);
    await live.posts.at(-1)?.answer(up);
    expect([live.posts.length, stored(live)[0]?.state]).toEqual([3, 'delivered']);
  });

  test('and that another owner has claimed ends this owner at once', async () => {
    const live = await posting('by hand');
    await live.takeOver();
    for (const delivery of live.store.deliveries.values()) delivery.epoch = 3;
    await live.posts.at(-1)?.answer({ ok: false, status: null, reason: 'busy' });
    await expect(live.ask({ type: 'inspect' })).rejects.toBeInstanceOf(ActivationGone);
    await live.clock.pass(10_000);
    expect([live.posts.length, stored(live)[0]?.claims]).toEqual([2, 2]);
  });
});
