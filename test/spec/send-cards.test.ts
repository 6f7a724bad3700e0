/** [contract: Additions] Places, contacts, reactions and voice messages. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { ChannelType } from '../support/world.ts';

const world = sharedWorld();
let channels: Channels;
beforeAll(async () => {
  ({ channels } = await connectAll(world));
});

function post(path: string, type: ChannelType, recipient: string, body: object): Promise<Answer> {
  const { id, key } = channels[type];
  return world.service.call('POST', `/api/v1/messages/${path}`, {
    key,
    body: { channel_id: id, recipient, ...body },
  });
}

const place = { latitude: 53.5461, longitude: 9.9937, name: 'Harbour Bakery', address: 'Am Kai 1' };
const card = {
  name: 'Ada Harbour',
  phones: [{ phone: '+49 159 00000777', type: 'WORK', wa_id: '4915900000777' }],
  emails: [{ email: 'ada@example.com' }],
  organization: 'Harbour Bakery',
};
const wired = {
  name: { formatted_name: 'Ada Harbour', first_name: 'Ada Harbour' },
  phones: card.phones,
  emails: card.emails,
  org: { company: 'Harbour Bakery' },
};
const audio = () => ({
  media_type: 'audio',
  media_url: `${world.simulator.url}/files/voice.ogg`,
  voice: true,
});

describe('chatapp sends', () => {
  test.each([
    ['a place', 'send-location', () => place, { location: place }],
    ['contacts', 'send-contacts', () => ({ contacts: [card] }), { contacts: [wired] }],
    ['a voice message', 'send-media', audio, { voice: true }],
  ])('%s', async (_, path, body, more) => {
    const person = newPerson('chatapp');
    const answer = await post(path, 'chatapp', person, body());
    expect([answer.status, answer.body.status]).toEqual([200, 'sent']);
    const copies = await ledger(world.simulator, { recipient: person, outcome: 'all' });
    expect(copies.map((copy) => copy.more)).toEqual([more]);
  });

  test('a reaction, and takes it back', async () => {
    const person = newPerson('chatapp');
    const first = await world.send(channels.chatapp, 'first', person);
    const { message_id } = first.body;
    for (const emoji of ['👍', '']) await post('send-reaction', 'chatapp', person, { message_id, emoji });
    const [sent] = await ledger(world.simulator, { recipient: person, type: 'text' });
    const reactions = await ledger(world.simulator, { recipient: person, type: 'reaction' });
    expect(reactions.toSorted((a, b) => a.n - b.n).map(({ more }) => more)).toEqual(
      ['👍', ''].map((emoji) => ({ reaction: { message_id: sent?.id, emoji } })),
    );
  });
});

describe('is refused', () => {
  test('a reaction to a message that nobody knows: 400', async () => {
    const body = { message_id: '0f6b1d2e-5a3c-4b7d-9e8f-1a2b3c4d5e6f', emoji: '👍' };
    const answer = await post('send-reaction', 'chatapp', newPerson('chatapp'), body);
    expect([answer.status, answer.body.detail.code, answer.body.detail.field]).toEqual([
      400,
      'unknown_message',
      'message_id',
    ]);
  });

  test('a reaction to a message of another person: 400', async () => {
    const [mia, jonas] = [newPerson('chatapp'), newPerson('chatapp')];
    const first = await world.send(channels.chatapp, 'for Mia', mia);
    const body = { message_id: first.body.message_id, emoji: '👍' };
    const answer = await post('send-reaction', 'chatapp', jonas, body);
    expect([answer.status, answer.body.detail.reason]).toEqual([400, 'other_person']);
  });

  test.each([
    ['send-location', { ...place, latitude: 91 }],
    ['send-contacts', { contacts: [] }],
    ['send-contacts', { contacts: [{ phones: [] }] }],
    ['send-media', { media_type: 'gif', media_url: 'https://files.example/a.gif' }],
  ])('%s with %j: 422', async (path, body) => {
    expect((await post(path, 'chatapp', newPerson('chatapp'), body)).status).toBe(422);
  });

  test.each([
    ['photoapp', 'send-location', place],
    ['pagechat', 'send-contacts', { contacts: [card] }],
    ['photoapp', 'send-reaction', { message_id: 'x', emoji: '👍' }],
  ] as const)('on %s: %s', async (type, path, body) => {
    const answer = await post(path, type, newPerson(type), body);
    expect([answer.status, answer.body.detail.code]).toEqual([400, 'wrong_channel_type']);
  });
});
