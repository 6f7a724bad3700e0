/** [operator-interface §2, DELIVERY_LOG_DAYS] With the shortest log, what has just happened is on record for a day. */
import { expect, test } from '@jest/globals';
import { allEventsAbout } from '../support/events.ts';
import { connectAll, newPerson } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';

const world = sharedWorld({ DELIVERY_LOG_DAYS: '0' });

test('a received message can be marked as read and quoted; the answer has a timeline', async () => {
  const { chatapp } = (await connectAll(world)).channels;
  const { id: channel_id, key } = chatapp;
  const recipient = newPerson('chatapp');
  await world.write(chatapp, { text: 'open?' }, recipient);
  const [received] = await allEventsAbout(world, chatapp, recipient, 1);
  const reply_to = String(received?.data['message_id']);
  const post = (path: string, body: object) =>
    world.service.call('POST', `/api/v1/messages/${path}`, { key, body: { channel_id, ...body } });
  expect((await post(`${reply_to}/read`, {})).status).toBe(200);
  const sent = await post('send', { recipient, text: 'yes', reply_to });
  expect([sent.status, sent.body.status]).toEqual([200, 'sent']);
  const path = `/api/v1/channels/${channel_id}/messages/${sent.body.message_id}`;
  const timeline = await world.service.call('GET', path, { key });
  expect(timeline.status).toBe(200);
});
