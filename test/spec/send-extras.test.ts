/** [contract: Additions] What any send may add: the message that it answers, a preview, and the tag of a person's answer. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { allEventsAbout } from '../support/events.ts';
import { channelTypes, connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
});

const post = (
  channel: Channel,
  recipient: string,
  more: object,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  world.service.call('POST', '/api/v1/messages/send', {
    key: channel.key,
    body: { channel_id: channel.id, recipient, text: 'see https://example.com', ...more },
    headers,
  });

/** What upstream got of the sends to this person beyond text and file, oldest first. */
const moreTo = async (recipient: string) =>
  (await ledger(world.simulator, { recipient, outcome: 'all' }))
    .toSorted((a, b) => a.n - b.n)
    .map(({ more }) => more);

/** Writes as a person; returns our id of the message and upstream's. */
async function written(channel: Channel, from: string): Promise<{ id: string; upstreamId: string }> {
  const { id: upstreamId } = await world.write(channel, { text: 'open?' }, from);
  const [received] = await allEventsAbout(world, channel, from, 1);
  return { id: String(received?.data['message_id']), upstreamId };
}

const answered = (type: (typeof channelTypes)[number], id: string) =>
  type === 'chatapp' ? { context: { message_id: id } } : { reply_to: { mid: id } };

describe('an answer to a message', () => {
  test.each(channelTypes)('%s: that was received names it upstream', async (type) => {
    const person = newPerson(type);
    const { id, upstreamId } = await written(channels[type], person);
    const answer = await post(channels[type], person, { reply_to: id });
    expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
    expect(await moreTo(person)).toEqual([answered(type, upstreamId)]);
  });

  test.each(channelTypes)('%s: that was sent names it upstream, with a file too', async (type) => {
    const person = newPerson(type);
    const first = await world.send(channels[type], 'first', person);
    const body = { channel_id: channels[type].id, recipient: person, media_type: 'image', media_url: `${world.simulator.url}/files/cake.jpg`, reply_to: first.body.message_id }; // oxfmt-ignore
    await world.service.call('POST', '/api/v1/messages/send-media', { key: account.key, body });
    const [sent] = await ledger(world.simulator, { recipient: person, type: 'text' });
    expect(await moreTo(person)).toEqual([null, answered(type, sent?.id ?? '')]);
  });

  test.each(channelTypes)('%s: is 400 if the message is of another person', async (type) => {
    const [mia, jonas] = [newPerson(type), newPerson(type)];
    const { id } = await written(channels[type], mia);
    const first = await world.send(channels[type], 'for Mia', mia);
    for (const foreign of [id, first.body.message_id]) {
      const { status, body } = await post(channels[type], jonas, { reply_to: foreign });
      expect([status, body.detail.code, body.detail.field, body.detail.reason]).toEqual([
        400,
        'unknown_message',
        'reply_to',
        'other_person',
      ]);
    }
    expect(await moreTo(jonas)).toEqual([]);
  });

  test('is 400 if nobody knows the message, if it is of another channel, or another account', async () => {
    const person = newPerson('chatapp');
    const { id } = await written(channels.pagechat, newPerson('pagechat'));
    const refused = { code: 'unknown_message', message: 'reply_to names no message of this channel that fits: not_found', field: 'reply_to', reason: 'not_found' }; // oxfmt-ignore
    for (const unknown of ['x', id, '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f']) {
      const { status, body } = await post(channels.chatapp, person, { reply_to: unknown });
      expect([status, body]).toEqual([400, { detail: refused }]);
    }
    const other = await newAccount(world.service);
    const { status } = await world.service.call('POST', '/api/v1/messages/send', {
      key: other.key,
      body: { channel_id: channels.pagechat.id, recipient: person, text: 'x', reply_to: id },
    });
    expect(status).toBe(404);
    expect(await moreTo(person)).toEqual([]);
  });

  test('is another request for an Idempotency-Key', async () => {
    const person = newPerson('chatapp');
    const { id } = await written(channels.chatapp, person);
    const key = { 'Idempotency-Key': `reply-${person}` };
    const first = await post(channels.chatapp, person, { reply_to: id }, key);
    expect((await post(channels.chatapp, person, { reply_to: id }, key)).body).toEqual(first.body);
    expect((await post(channels.chatapp, person, {}, key)).status).toBe(409);
  });
});

describe('a preview of the link', () => {
  test('chatapp shows it if it is asked for', async () => {
    const person = newPerson('chatapp');
    await post(channels.chatapp, person, { preview_url: true });
    await post(channels.chatapp, person, { preview_url: false });
    expect(await moreTo(person)).toEqual([{ preview_url: true }, null]);
  });

  test.each(['photoapp', 'pagechat'] as const)('%s decides by itself', async (type) => {
    const person = newPerson(type);
    expect((await post(channels[type], person, { preview_url: true })).body.status).toBe('sent');
    expect(await moreTo(person)).toEqual([null]);
  });
});

describe('the tag of a person’s answer', () => {
  test.each(['photoapp', 'pagechat'] as const)('%s: goes to upstream', async (type) => {
    const person = newPerson(type);
    await post(channels[type], person, { tag: 'human_agent' });
    expect(await moreTo(person)).toEqual([{ tag: 'HUMAN_AGENT' }]);
  });

  test('chatapp has none: 400', async () => {
    const { status, body } = await post(channels.chatapp, newPerson('chatapp'), { tag: 'human_agent' });
    expect([status, body.detail]).toEqual([
      400,
      {
        code: 'unsupported_content',
        message: 'The tag human_agent cannot be sent on chatapp channels: no_tags',
        what: 'The tag human_agent',
        channel_type: 'chatapp',
        reason: 'no_tags',
      },
    ]);
  });

  test('that nobody knows is 422', async () => {
    expect((await post(channels.pagechat, newPerson('pagechat'), { tag: 'ACCOUNT_UPDATE' })).status).toBe(
      422,
    );
  });
});
