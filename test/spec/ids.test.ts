/** [contract: Conventions; faults: 545] Ids are UUIDs: programs that read one as such may write it in capitals, as Swift's do. */
import { beforeAll, expect, test } from '@jest/globals';
import { connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Account } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
let inCapitals = '';
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
  inCapitals = channels.chatapp.id.toUpperCase();
});

const call = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  world.service.call(method, path, { key: account.key, headers, ...(body === undefined ? {} : { body }) });

test('in a path: the answer has the id as it is', async () => {
  const { status, body } = await call('GET', `/api/v1/channels/${inCapitals}`);
  expect([status, body.id]).toEqual([200, channels.chatapp.id]);
});

test('in a send, where a repetition of a key with the id in small letters is the same send', async () => {
  const recipient = newPerson('chatapp');
  const key = { 'Idempotency-Key': `ids-${recipient}` };
  const send = (channelId: string) =>
    call('POST', '/api/v1/messages/send', { channel_id: channelId, recipient, text: 'hi' }, key);
  const [first, second] = [await send(inCapitals), await send(channels.chatapp.id)];
  expect([first.status, second.body]).toEqual([200, first.body]);
});

test('of a message that a send answers, of its timeline, and as a filter', async () => {
  const recipient = newPerson('chatapp');
  const sent = await world.send(channels.chatapp, 'first', recipient);
  const id = String(sent.body.message_id).toUpperCase();
  const answer = await call('POST', '/api/v1/messages/send', { channel_id: inCapitals, recipient, text: 'second', reply_to: id }); // oxfmt-ignore
  expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
  const timeline = await call('GET', `/api/v1/channels/${inCapitals}/messages/${id}`);
  expect([timeline.status, timeline.body.message_id]).toEqual([200, sent.body.message_id]);
  const listed = await call('GET', `/api/v1/messages?channel_id=${inCapitals}&recipient=${recipient}`);
  expect(listed.body.messages).toHaveLength(2);
});

test('of an endpoint, in a path, a filter and a replay', async () => {
  const path = `/api/v1/channels/${inCapitals}/endpoints`;
  const made = await call('POST', path, { url: 'https://crm.example.com/in', events: ['message.received'] });
  const id = String(made.body.id).toUpperCase();
  const ofChannel = `/api/v1/channels/${inCapitals}/deliveries`;
  const answers = await Promise.all([
    call('GET', `${path}/${id}`),
    call('GET', `${ofChannel}?endpoint_id=${id}`),
    call('POST', `${ofChannel}/replay`, { since: '2026-01-01T00:00:00Z', endpoint_id: id }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 202]);
});

test('of the channel to connect again', async () => {
  const uri = 'https://app.example.com/connected';
  await call('POST', '/api/v1/redirects', { uri_pattern: uri });
  const asked = { channel_type: 'chatapp', redirect_uri: uri, channel_id: inCapitals };
  expect((await call('POST', '/api/v1/channels/setup-url', asked)).status).toBe(200);
});
