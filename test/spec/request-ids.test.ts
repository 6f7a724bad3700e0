/** [operator-interface §4: X-Request-Id] One id from a request to its answer, to upstream, and into the webhooks that follow. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openRecordedWorld } from '../support/passing.ts';
import type { UpstreamRecorder } from '../support/passing.ts';
import { person, World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

let world: World;
let upstream: UpstreamRecorder;
let channel: Channel;
beforeAll(async () => {
  ({ world, channel, upstream } = await openRecordedWorld());
});
afterAll(async () => {
  await world.close();
  upstream.close();
});

async function send(requestId?: string) {
  const answer = await world.service.call('POST', '/api/v1/messages/send', {
    key: channel.key,
    body: { channel_id: channel.id, recipient: person.chatapp, text: 'hello' },
    headers: requestId === undefined ? {} : { 'x-request-id': requestId },
  });
  expect(answer.status).toBe(200);
  return { id: answer.headers.get('x-request-id') ?? '', messageId: String(answer.body.message_id) };
}

test("a client's own id is in the answer, in the call to upstream, and in the webhooks of the send", async () => {
  const { id, messageId } = await send('checkout-4711');
  expect([id, upstream.ids.at(-1)]).toEqual(['checkout-4711', 'checkout-4711']);
  const sent = await world.inbox.event('message.sent', messageId);
  expect(sent.headers['x-request-id']).toBe('checkout-4711');
});

test('without a given id the service makes one, the same for all of them', async () => {
  const { id, messageId } = await send();
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(upstream.ids.at(-1)).toBe(id);
  expect((await world.inbox.event('message.sent', messageId)).headers['x-request-id']).toBe(id);
});

test("an event carries the id of upstream's webhook POST", async () => {
  const { id, messageId } = await send('checkout-4712');
  const delivered = (await world.inbox.event('message.delivered', messageId)).headers['x-request-id'];
  expect(delivered).toMatch(/^[0-9a-f-]{36}$/);
  expect(delivered).not.toBe(id);
  await world.write(channel, { text: 'thanks' });
  const received = await world.inbox.event('message.received');
  expect(received.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test('a retry has the id of the first attempt', async () => {
  world.inbox.answerNext(500);
  const { messageId } = await send('checkout-4713');
  await world.inbox.event('message.delivered', messageId);
  const ofSent = world.inbox.arrivals.filter(
    ({ event }) => event.event === 'message.sent' && event.data['message_id'] === messageId,
  );
  expect(new Set(ofSent.map(({ headers }) => headers['x-request-id']))).toEqual(new Set(['checkout-4713']));
});

test('an error answer carries the id too', async () => {
  const refused = await world.service.call('GET', '/api/v1/channels', {
    headers: { 'x-request-id': 'mine-1' },
  });
  expect([refused.status, refused.headers.get('x-request-id')]).toEqual([401, 'mine-1']);
});

test.each(['x'.repeat(65), 'a b', 'a;b', '<b>', '"'])('an invalid id (%j) is replaced', async (given) => {
  const { id } = await send(given);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(upstream.ids.at(-1)).toBe(id);
});

test('a test event carries the id of the request for it', async () => {
  const answer = await world.service.call('POST', `/api/v1/channels/${channel.id}/webhook/test`, {
    key: channel.key,
    headers: { 'x-request-id': 'try-1' },
  });
  expect(answer.status).toBe(200);
  const arrived = world.inbox.arrivals.find(({ event }) => event.event === 'webhook.test');
  expect(arrived?.headers['x-request-id']).toBe('try-1');
});

test.each(['/portal/sign-in', '/setup/unknown?token=x', '/healthz', '/docs'])(
  'a page keeps it: %s',
  async (path) => {
    const answer = await fetch(`${world.service.url}${path}`, { headers: { 'x-request-id': 'page-1' } });
    await answer.arrayBuffer();
    expect(answer.headers.get('x-request-id')).toBe('page-1');
  },
);
