/**
 * A message that failed later, as users of comparable services met it. ArnasDon/wacrm #535, chatwoot/chatwoot #9542: the reason that upstream
 * gives was thrown away or lost. david-lev/pywa #227, evolution-foundation/evolution-api #2573: a status whose contact has no profile, or
 * nothing but a number, broke the whole webhook. chatwoot/chatwoot #13540, #15702: upstream limited what it fetched from their hosting provider,
 * and only uploading the files helped. [spec: message.failed; Message timeline]
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  allEventsAbout,
  checkWebhooksAndClose,
  phonePost,
  phoneText,
  postAsUpstream,
} from '../support/events.ts';
import { faultFor, newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => checkWebhooksAndClose(world));

const details = 'Downloading media from weblink failed with http code 429, ratelimit reason: by the proxy';

async function timelineOf({ id, key }: Channel, messageId: string, fits: (status: string) => boolean) {
  return until('the timeline', async () => {
    const { body } = await world.service.call('GET', `/api/v1/channels/${id}/messages/${messageId}`, { key });
    return fits(body.status) ? body : null;
  });
}

test('upstream’s code, title and details reach the client’s event, and the sentence of the timeline', async () => {
  const channel = await ownChannel(world);
  const to = newPerson('chatapp');
  await faultFor(world.simulator, to, { act: 'fail_later', code: 131_053, details });
  const { body } = await world.send(channel, 'hello', to);
  const { event } = await world.inbox.event('message.failed', body.message_id);
  const { error, errors } = event.data;
  expect(errors).toEqual([{ code: 131_053, title: expect.any(String), details }]);
  expect(error).toContain(`details: ${details}`);
  expect(error).toContain('upload the file to /api/v1/media');
  const timeline = await timelineOf(channel, body.message_id, (status) => status === 'failed');
  expect([timeline.error, timeline.error_code]).toEqual([error, 131_053]);
});

test.each([
  ['only a number', (to: string) => [{ wa_id: to }]],
  [
    'a number and an id, without a profile',
    (to: string) => [{ wa_id: to, user_id: 'DE.20260000000000000777' }],
  ],
  ['nothing', () => [{}]],
  ['no contact', () => []],
])('a failed status whose contact has %s is told, and so is the message beside it', async (_, contactsOf) => {
  const channel = await ownChannel(world);
  const [to, other] = [newPerson('chatapp'), newPerson('chatapp')];
  // The simulator's own `delivered` would take the place of the `sent` that is waited for.
  await world.simulator.control('people/block', { channel: channel.upstream, from: to });
  const { body } = await world.send(channel, 'hello', to);
  await world.inbox.event('message.sent', body.message_id);
  const { upstream_ids: ids } = await timelineOf(channel, body.message_id, (status) => status === 'sent');
  const errors = [
    { code: 131_026, title: 'Undeliverable', error_data: { details: 'The number has no account.' } },
  ];
  const status = { id: ids[0], status: 'failed', timestamp: '1767225600', recipient_id: to, errors };
  const post = phonePost(channel.upstream, {
    contacts: contactsOf(to),
    statuses: [status],
    messages: [phoneText(`wamid.beside.${other}`, 'and I?', other)],
  });
  expect(await postAsUpstream(world, post)).toBe(200);
  const { event: failed } = await world.inbox.event('message.failed', body.message_id);
  expect(failed.data['errors']).toEqual([
    { code: 131_026, title: 'Undeliverable', details: 'The number has no account.' },
  ]);
  expect((await allEventsAbout(world, channel, other, 1)).map(({ data }) => data['text'])).toEqual([
    'and I?',
  ]);
});
