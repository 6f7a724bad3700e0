import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { appId, appToken, at, mia, page, phone, signatureOf, Stage } from './support.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.open();
});
afterEach(() => stage.close());

describe('delivery', () => {
  beforeEach(() => stage.subscribe());

  test('a webhook not answered 200 is retried by the schedule with the same bytes, and the ledger lists each answer', async () => {
    await stage.control('settings', { retry_schedule_ms: [1, 1, 1] });
    stage.inbox.answers.push(503, 201);
    await stage.control('people/write', { channel: page, from: mia.psid, wait: true });
    expect(new Set(stage.inbox.received.map(({ raw }) => raw)).size).toBe(1);
    expect(await stage.look('webhooks')).toMatchObject({
      webhooks: [
        {
          attempts: 3,
          answers: [503, 201, 200],
          outcome: 'delivered',
          kinds: ['message'],
          body: stage.inbox.received[0]?.raw,
        },
      ],
    });
  });

  test('a webhook refused on every attempt is given up, and too many in a row switch the app’s subscription off until it is made again', async () => {
    await stage.control('settings', { retry_schedule_ms: [1], unsubscribe_after: 2 });
    stage.inbox.answers.push(500, 500);
    const write = (): Promise<unknown> =>
      stage.control('people/write', { channel: page, from: mia.psid, wait: true });
    const path = `/${appId}/subscriptions`;
    const active = async (): Promise<unknown[]> => {
      const { body } = await stage.graph('GET', path, { token: appToken });
      return [0, 1, 2].map((place) => at(body, 'data', place, 'active'));
    };
    expect(at(await write(), 'answers')).toEqual([500]);
    expect(await active()).toEqual([true, false, true]);
    await stage.subscribe();
    expect(at(await write(), 'webhooks')).toBe(0);
    const body = {
      object: 'page',
      callback_url: stage.inbox.url,
      verify_token: 'my-verify-token',
      fields: 'messages',
    };
    await stage.graph('POST', path, { token: appToken, body });
    expect(await active()).toEqual([true, true, true]);
    expect(at(await write(), 'answers')).toEqual([200]);
  });

  test('held webhooks are sent in the requested order, batched and duplicated', async () => {
    await stage.control('webhooks/hold');
    for (const text of ['one', 'two', 'three'])
      await stage.control('people/write', { channel: page, from: mia.psid, text });
    expect(await stage.control('webhooks/flush', { order: 'reverse', batch: 2, duplicate: 1 })).toEqual({
      events: 3,
    });
    const posts = await stage.inbox.first(4);
    const texts = posts.map(({ body }) =>
      [0, 1].map((entry) => at(body, 'entry', entry, 'messaging', 0, 'message', 'text')),
    );
    // Two POSTs are in flight at once, so only their contents are certain, not their order.
    expect(texts.map((pair) => pair.join()).toSorted((left, right) => left.localeCompare(right))).toEqual([
      'one,',
      'one,',
      'three,two',
      'three,two',
    ]);
  });

  test('a batch puts several events into one POST', async () => {
    await stage.control('settings', { batch: 3, batch_ms: 5_000 });
    for (const text of ['one', 'two', 'three'])
      await stage.control('people/write', { channel: phone, from: mia.phone, text });
    const [post] = await stage.inbox.first(1);
    expect(
      [0, 1, 2].map((entry) =>
        at(post?.body, 'entry', entry, 'changes', 0, 'value', 'messages', 0, 'text', 'body'),
      ),
    ).toEqual(['one', 'two', 'three']);
  });

  test('a rule without times corrupts only the next matching webhook', async () => {
    await stage.control('webhooks/rules', { match: { kind: 'message' }, signature: 'wrong', duplicate: 1 });
    await stage.control('people/write', { channel: page, from: mia.psid });
    await stage.inbox.first(2);
    await stage.control('people/write', { channel: page, from: mia.psid, wait: true });
    expect(
      stage.inbox.received.map(({ raw, headers }) => headers['x-hub-signature-256'] === signatureOf(raw)),
    ).toEqual([false, false, true]);
  });

  test('a dropped webhook never arrives and is listed as dropped', async () => {
    await stage.control('webhooks/rules', { match: { kind: 'message' }, drop: true });
    await stage.control('people/write', { channel: page, from: mia.psid, wait: true });
    expect([stage.inbox.received.length, at(await stage.look('webhooks'), 'webhooks', 0, 'outcome')]).toEqual(
      [0, 'dropped'],
    );
  });

  test('a raw body is sent byte for byte and signed', async () => {
    const told = await stage.control('webhooks/raw', {
      body: '{"object":"page", "entry":[]}',
      url: stage.inbox.url,
    });
    expect([at(told, 'answers'), stage.inbox.received[0]?.raw]).toEqual([
      [200],
      '{"object":"page", "entry":[]}',
    ]);
    expect(stage.inbox.received[0]?.headers['x-hub-signature-256']).toBe(
      signatureOf('{"object":"page", "entry":[]}'),
    );
  });
});
