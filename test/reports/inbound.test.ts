/**
 * Messages of people that other services lost, as their users reported it.
 *
 * ker0x/messenger #72 and howdyai/botkit #815: a pressed button without `mid`, in standby without payload. chatwoot/chatwoot #14547 and
 * #13464: the first message of a conversation comes as a placeholder (131060). [operator-interface §4; faults: 274]
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  allEventsAbout,
  checkWebhooksAndClose,
  phonePost,
  phoneText,
  postAsUpstream,
} from '../support/events.ts';
import { newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => checkWebhooksAndClose(world));

describe.each([
  ['pagechat', 'page'],
  ['photoapp', 'instagram'],
] as const)('%s: a pressed button without mid', (type, object) => {
  test.each(['messaging', 'standby'])(
    'in %s is told once, with its title, however often it is delivered',
    async (section) => {
      const channel = await ownChannel(world, type);
      const from = newPerson(type);
      const press = (timestamp: number) => {
        const parties = { sender: { id: from }, recipient: { id: channel.upstream } };
        const postback = section === 'standby' ? { title: 'Details' } : { title: 'Details', payload: 'MORE' };
        return {
          object,
          entry: [
            { id: channel.upstream, time: timestamp, [section]: [{ ...parties, timestamp, postback }] },
          ],
        };
      };
      for (const at of [1_767_225_600_001, 1_767_225_600_001, 1_767_225_700_000])
        expect(await postAsUpstream(world, press(at))).toBe(200);
      const told = await allEventsAbout(world, channel, from, 2);
      const content = {
        from,
        from_name: null,
        type: 'unsupported',
        unsupported_type: 'postback',
        text: 'Details',
        button: section === 'standby' ? { title: 'Details' } : { id: 'MORE', title: 'Details' },
      };
      for (const { event, data } of told)
        expect([event, data]).toEqual(['message.received', { message_id: expect.any(String), ...content }]);
      expect(new Set(told.map(({ data }) => data['message_id'])).size).toBe(2);
    },
  );
});

test('chatapp: content that follows a placeholder under the same id is told, under a message_id of its own, in either order', async () => {
  const channel = await ownChannel(world);
  const errors = [{ code: 131_060, title: 'This message is unavailable' }];
  for (const isPlaceholderFirst of [true, false]) {
    const from = newPerson('chatapp');
    const content = phoneText(`wamid.${from}`, 'I saw your ad', from);
    const placeholder = { ...content, type: 'unsupported', text: undefined, errors };
    const messages = isPlaceholderFirst ? [placeholder, content] : [content, placeholder];
    for (const message of [...messages, ...messages])
      expect(await postAsUpstream(world, phonePost(channel.upstream, { messages: [message] }))).toBe(200);
    const told = await allEventsAbout(world, channel, from, 2);
    const types = told.map(({ data }) => data['unsupported_type'] ?? data['text']);
    expect(types).toEqual(
      isPlaceholderFirst ? ['unsupported', 'I saw your ad'] : ['I saw your ad', 'unsupported'],
    );
    expect(new Set(told.map(({ data }) => data['message_id'])).size).toBe(2);
  }
});
