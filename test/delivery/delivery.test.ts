import { describe, expect, test } from '@jest/globals';
import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { sealContext } from '../../src/kernel/sealed.ts';
import { closeAfterEach } from '../support/closing.ts';
import { body, makePoster, nextTurn, plain, postTo, receiver, signal, testSealer } from './receivers.ts';
import type { Answer, Receiver } from './receivers.ts';

const closeLater = closeAfterEach();

async function listening(answer: Answer): Promise<Receiver> {
  const made = await receiver(answer);
  closeLater(() => made.close());
  return made;
}

function poster(options: Parameters<typeof makePoster>[0] = {}) {
  const made = makePoster(options);
  closeLater(() => made.poster.close());
  return made;
}

describe('a delivery [spec: Events; Authentication 7]', () => {
  test('is a POST of exactly the bytes, signed, with id, attempt and time', async () => {
    const { url, requests } = await listening(plain('200 OK'));
    const secret = testSealer.sealText('whsec_1', sealContext.webhookSecret('channel-1'));
    // Receivers compare the time with their own: the wall clock's, not the one that decisions are made by.
    const clock = {
      now: () => 0,
      wall: () => 1_700_000_000_999,
      monotonic: () => performance.now(),
      after: () => () => {},
    };

    const result = await poster({ clock }).poster.post(postTo(url, { secret, attempt: 3 }));

    expect(result).toEqual({ ok: true, status: 200 });
    const [head, sent] = String(requests[0]).split('\r\n\r\n');
    expect(Buffer.from(String(sent), 'latin1')).toEqual(body);
    const signature = createHmac('sha256', 'whsec_1').update(body).digest('hex');
    const signatureOfParts = createHmac('sha256', 'whsec_1')
      .update('delivery-1.1700000000.')
      .update(body)
      .digest('base64');
    expect(String(head).split('\r\n').slice(0, 1)).toEqual(['POST /hook?a=1 HTTP/1.1']);
    expect(String(head).split('\r\n').slice(3).toSorted()).toEqual([
      `X-Webhook-Attempt: 3`,
      `X-Webhook-Id: delivery-1`,
      `X-Webhook-Signature: sha256=${signature}`,
      `X-Webhook-Timestamp: 1700000000`,
      'accept: */*',
      `content-length: ${body.length}`,
      'content-type: application/json',
      'user-agent: Trunkline/1',
      'webhook-id: delivery-1',
      `webhook-signature: v1,${signatureOfParts}`,
      'webhook-timestamp: 1700000000',
      'x-trunkline-hop: 1',
    ]);
  });

  test('is signed with the previous secret too, while there is one that can be decrypted', async () => {
    const { url, requests } = await listening(plain('200 OK'));
    const context = sealContext.webhookSecret('channel-1');
    const [secret, previousSecret] = ['whsec_2', 'whsec_1'].map((text) => testSealer.sealText(text, context));
    const foreign = testSealer.sealText('whsec_1', sealContext.webhookSecret('channel-2'));
    const { poster: posts } = poster();

    await posts.post(postTo(url, { secret, previousSecret }));
    await posts.post(postTo(url, { secret, previousSecret: foreign }));

    const signed = (text: string): string =>
      `sha256=${createHmac('sha256', text).update(body).digest('hex')}`;
    expect(requests[0]).toContain(`X-Webhook-Signature: ${signed('whsec_2')}`);
    expect(requests[0]).toContain(`X-Webhook-Signature-Previous: ${signed('whsec_1')}`);
    expect(requests[1]).toContain(`X-Webhook-Signature: ${signed('whsec_2')}`);
    expect(requests[1]).not.toContain('Previous');
  });

  test.each([
    ['without a word of it', ''],
    ['while the program behind it names a minute [faults: 539]', '\r\nkeep-alive: timeout=65'],
  ])(
    'an idle connection ends before a receiver ends it that does so after two seconds, %s',
    async (_words, named) => {
      let endedBy = '';
      const { url, closed } = await listening((socket, request) => {
        socket.once('end', () => (endedBy ||= 'us'));
        socket.setTimeout(2_000, () => {
          endedBy ||= 'the receiver';
          socket.destroy();
        });
        plain(`200 OK${named}`)(socket, request);
      });
      expect(await poster().poster.post(postTo(url))).toEqual({ ok: true, status: 200 });
      await closed[0];
      expect(endedBy).toBe('us');
    },
  );

  test('is unsigned if no secret is configured', async () => {
    const { url, requests } = await listening(plain('200 OK'));

    await poster().poster.post(postTo(url));

    expect(requests[0]).not.toMatch(/webhook-signature/i);
  });

  test('is not sent if its secret was encrypted for another channel', async () => {
    const { url, requests } = await listening(plain('200 OK'));
    const secret = testSealer.sealText('whsec_1', sealContext.webhookSecret('channel-2'));
    const { poster: posts } = poster();

    const own = await posts.post(postTo(url, { secret, channelId: 'channel-2' }));
    const foreign = await posts.post(postTo(url, { secret, channelId: 'channel-1' }));

    expect(own).toEqual({ ok: true, status: 200 });
    expect(foreign).toEqual({ ok: false, status: null, reason: 'secret' });
    expect(requests.length).toBe(1);
  });

  test('uses one connection for consecutive deliveries', async () => {
    const made = await listening(plain('200 OK', 'thanks'));
    const { poster: posts } = poster();

    for (let count = 0; count < 5; count += 1) {
      expect(await posts.post(postTo(made.url))).toEqual({ ok: true, status: 200 });
      await nextTurn();
    }

    expect([made.requests.length, made.connections]).toEqual([5, 1]);
    expect(posts.stats()).toEqual({ inFlight: 0, waiting: 0 });
  });
});

describe('only a 2xx is a delivery [spec: Delivery and retry]', () => {
  test.each([200, 201, 204, 299])('%i is delivered', async (status) => {
    const { url } = await listening((socket) =>
      socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`),
    );

    expect(await poster().poster.post(postTo(url))).toEqual({ ok: true, status });
  });

  test.each([
    ['301 Moved\r\nlocation: /other'],
    ['307 Again\r\nlocation: http://127.0.0.1:1/'],
    ['401 No'],
    ['410 Gone'],
    ['429 Slow down\r\nretry-after: 86400'],
    ['500 Oops'],
  ])('%j fails after one request', async (head) => {
    const { url, requests } = await listening(plain(head));

    const result = await poster().poster.post(postTo(url));

    expect(result).toEqual({ ok: false, status: Number(head.slice(0, 3)), reason: 'status' });
    expect(requests.length).toBe(1);
  });

  test('an endpoint that refuses connections is a failure', async () => {
    const made = await receiver(plain('200 OK'));
    await made.close();

    const result = await poster().poster.post(postTo(made.url));

    expect(result).toEqual({ ok: false, status: null, reason: 'refused' });
  });
});

describe('a delivery never loops [faults: 90]', () => {
  test('our own address is refused without a request', async () => {
    const made = await listening(plain('200 OK'));

    const result = await poster({ ownOrigins: [`http://127.0.0.1:${made.port}/`] }).poster.post(
      postTo(made.url),
    );

    expect(result).toEqual({ ok: false, status: null, reason: 'loop' });
    expect(made.connections).toBe(0);
  });

  test('an answer with our hop header is a failure', async () => {
    const { url } = await listening(plain('200 OK\r\nx-trunkline-hop: 1'));

    expect(await poster().poster.post(postTo(url))).toEqual({ ok: false, status: 200, reason: 'loop' });
  });
});

describe('concurrent POSTs are bounded [faults: I11]', () => {
  test('at most maxInFlight at once, and all of them in the end', async () => {
    const held: Socket[] = [];
    const sizes: number[] = [];
    const { url } = await listening((socket) => {
      held.push(socket);
      sizes.push(held.length);
      if (held.length === 3) for (const waiting of held.splice(0)) plain('200 OK')(waiting, '');
    });
    const { poster: posts } = poster({ maxInFlight: 3 });

    const results = await Promise.all(Array.from({ length: 21 }, () => posts.post(postTo(url))));

    expect(results).toEqual(Array.from({ length: 21 }, () => ({ ok: true, status: 200 })));
    expect(sizes).toEqual(Array.from({ length: 7 }, () => [1, 2, 3]).flat());
  });

  test('close waits for POSTs in flight and refuses queued ones', async () => {
    const arrived = signal<Socket>();
    const { url } = await listening((socket) => arrived.fire(socket));
    const { poster: posts } = poster({ maxInFlight: 1 });
    const first = posts.post(postTo(url));
    const socket = await arrived.fired;
    const second = posts.post(postTo(url));

    const closing = posts.close();
    const third = posts.post(postTo(url));
    plain('200 OK')(socket, '');
    await closing;

    expect(await first).toEqual({ ok: true, status: 200 });
    expect(await second).toEqual({ ok: false, status: null, reason: 'busy' });
    expect(await third).toEqual({ ok: false, status: null, reason: 'busy' });
  });

  test('failing receivers share a part of the slots: other receivers overtake them in the queue', async () => {
    const held: Socket[] = [];
    const hanging = await listening((socket) => void held.push(socket));
    const well = await listening((socket) => plain('204 No Content')(socket, ''));
    const { poster: posts } = poster({ maxInFlight: 3, maxFailing: 2 });
    const failing = Array.from({ length: 5 }, () => posts.post(postTo(hanging.url, { isFailing: true })));

    expect(await posts.post(postTo(well.url))).toEqual({ ok: true, status: 204 });
    expect(posts.stats()).toMatchObject({ inFlight: 2, waiting: 3 });

    const closing = posts.close();
    expect(await Promise.all(failing.slice(2))).toEqual(
      Array.from({ length: 3 }, () => ({ ok: false, status: null, reason: 'busy' })),
    );
    for (const socket of held) socket.destroy();
    await closing;
  });
});
