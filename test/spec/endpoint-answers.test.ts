/** [spec: Additions, Endpoints; faults: 402] A message of which endpoints alone were told is answered, marked as read and quoted like any other. */
import { beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld();
let channels: Channels;
beforeAll(async () => {
  ({ channels } = await connectAll(world));
});

/** Only the endpoint of this channel is told from now on; null: nobody is. */
async function tellOnly(channel: Channel, endpoint: object | null): Promise<string> {
  const { key, id } = channel;
  const body = { webhook_url: null, webhook_events: null };
  await world.service.call('PATCH', `/api/v1/channels/${id}`, { key, body });
  const path = `/api/v1/channels/${id}/endpoints`;
  for (const { id: earlier } of (await world.service.call('GET', path, { key })).body.endpoints)
    await world.service.call('DELETE', `${path}/${earlier}`, { key });
  if (endpoint === null) return '';
  const added = await world.service.call('POST', path, {
    key,
    body: { url: world.inbox.url, events: ['message.received', 'message.echo'], ...endpoint },
  });
  return added.body.id;
}

/** Writes as a person; returns what the endpoint was told. */
async function told(
  channel: Channel,
  from: string,
  ask: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const received = () => world.inbox.arrivals.map(({ event: { data } }) => data).filter((data) => data['from'] === from); // oxfmt-ignore
  const earlier = received().length;
  await world.write(channel, ask, from);
  await until('the endpoint is told', () => received().length > earlier);
  return received().at(-1) ?? {};
}

const post = ({ key, id }: Channel, path: string, body: object): Promise<Answer> =>
  world.service.call('POST', `/api/v1/messages/${path}`, { key, body: { channel_id: id, ...body } });

test('an answer, a reaction and signals find the message by its id', async () => {
  const channel = channels.chatapp;
  await tellOnly(channel, {});
  const recipient = newPerson('chatapp');
  const id = `wamid.only.${recipient}`;
  const { message_id: messageId } = await told(channel, recipient, { id, text: 'open?' });
  const answers = [
    await post(channel, 'send', { recipient, text: 'yes', reply_to: messageId }),
    await post(channel, 'send-reaction', { recipient, message_id: messageId, emoji: '👍' }),
    await post(channel, `${String(messageId)}/read`, {}),
    await post(channel, `${String(messageId)}/typing`, {}),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const [answer] = await ledger(world.simulator, { recipient, type: 'text' });
  expect(answer?.more).toEqual({ context: { message_id: id } });
  const { signals } = await world.simulator.control(`signals?person=${recipient}`);
  expect(signals.map((signal: { id: string }) => signal.id)).toEqual([id, id]);
});

test('a person’s answer to it has its id', async () => {
  const channel = channels.photoapp;
  await tellOnly(channel, {});
  const from = newPerson('photoapp');
  const id = `quoted.${from}`;
  const first = await told(channel, from, { id, text: 'A cake' });
  const second = await told(channel, from, { text: 'For Friday', reply_to: id, reply_to_own: true });
  expect(second['reply_to']).toEqual({ message_id: first['message_id'] });
});

test.each([
  ['disabled', 'PATCH', { is_enabled: false }],
  ['removed', 'DELETE', undefined],
])('it is answered, read and quoted after its endpoint was %s', async (_, method, body) => {
  const channel = channels.pagechat;
  const { key, id } = channel;
  const endpointId = await tellOnly(channel, {});
  const recipient = newPerson('pagechat');
  const upstreamId = `former.${recipient}`;
  const { message_id: messageId } = await told(channel, recipient, { id: upstreamId, text: 'open?' });
  await world.service.call(method, `/api/v1/channels/${id}/endpoints/${endpointId}`, { key, body });
  const reply = { recipient, text: 'yes', reply_to: messageId };
  const answers = [
    await post(channel, `${String(messageId)}/read`, {}),
    await post(channel, 'send', reply),
    await post(channels.chatapp, `${String(messageId)}/read`, {}),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  await tellOnly(channel, {});
  const quote = await told(channel, recipient, { text: 'well?', reply_to: upstreamId, reply_to_own: true });
  expect(quote['reply_to']).toEqual({ message_id: messageId });
});

test('what nobody was told of is unknown', async () => {
  const channel = channels.pagechat;
  await tellOnly(channel, null);
  const from = newPerson('pagechat');
  await world.write(channel, { id: `untold.${from}`, text: 'open?' }, from);
  await tellOnly(channel, {});
  const quote = await told(channel, from, { text: 'well?', reply_to: `untold.${from}`, reply_to_own: true });
  expect(quote['reply_to']).toEqual({ upstream_message_id: `untold.${from}` });
  const messageId = '7c1f8f8e-8a1d-4a51-9a4e-0f1e2d3c4b5a';
  expect((await post(channel, `${messageId}/read`, {})).body).toEqual({
    detail: 'Message not found: no webhook or endpoint of this channel was told of it lately',
  });
  const reply = { recipient: from, text: 'yes', reply_to: messageId };
  expect((await post(channel, 'send', reply)).body.detail).toMatchObject({ code: 'unknown_message', reason: 'not_found' }); // oxfmt-ignore
});
