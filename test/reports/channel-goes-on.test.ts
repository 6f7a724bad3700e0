/**
 * A channel after something it does not know, or cannot use any more, as users of comparable services met it. zammad/zammad #5439: a message
 * of an unsupported type (one to be viewed once) blocked its channel in both directions. zammad/zammad #5352: a token was revoked, a customer
 * wrote, and the channel still looked well. botpress/botpress #4890: a send after the 24 hours ended the server. chatwoot/chatwoot #13556: of
 * twenty messages in a row some were lost, some came hours later. Services of 2026-04 to 2026-10 met a platform that had blocked their app: each
 * call, with whatever token, was refused with code 200, until somebody went to the app's dashboard. [operator-interface §4; faults: 242, 574]
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { allEventsAbout, checkWebhooksAndClose } from '../support/events.ts';
import { faultFor, newPerson } from '../support/sends.ts';
import { connectOwnAsset, ownChannel } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => checkWebhooksAndClose(world));

const kinds = [
  ['chatapp', { type: 'unsupported', code: 131_051 }],
  ['chatapp', { type: 'a_type_of_tomorrow' }],
  ['pagechat', { type: 'unsupported' }],
  ['photoapp', { type: 'ephemeral' }],
] as const;

test.each(kinds)('%s: after %j the channel receives and sends as before', async (type, strange) => {
  const channel = await ownChannel(world, type);
  const from = newPerson(type);
  await world.write(channel, strange, from);
  await world.write(channel, { text: 'and now?' }, from);
  const told = await allEventsAbout(world, channel, from, 2);
  expect(told.map(({ data }) => [data['type'], data['text'] ?? null])).toEqual([
    ['unsupported', null],
    ['text', 'and now?'],
  ]);
  expect((await world.send(channel, 'Now it is here.', from)).body).toMatchObject({ status: 'sent' });
  const path = `/api/v1/channels/${channel.id}/health`;
  const { body } = await world.service.call('GET', path, { key: channel.key });
  expect(body).toMatchObject({ can_send: true, can_receive: true, problems: [] });
});

test('a person sends a file after the token was revoked: the message is told, and the channel says what is wrong', async () => {
  const { channel, asset } = await connectOwnAsset(world, 'chatapp');
  await world.simulator.control('tokens/expire', { asset });
  const from = newPerson('chatapp');
  await world.write(channel, { type: 'image', caption: 'look' }, from);
  await until('the channel to say so', async () => {
    const path = `/api/v1/channels/${channel.id}/health`;
    const { body } = await world.service.call('GET', path, { key: channel.key });
    return body.problems.some(({ code }: { code: string }) => code === 'token_refused');
  });
  const [event] = await allEventsAbout(world, channel, from, 1);
  expect(event?.data).toMatchObject({ type: 'image', caption: 'look', media: { download_url: null } });
});

test.each(['pagechat', 'photoapp'] as const)('%s: a send after the 24 hours fails alone', async (type) => {
  const channel = await ownChannel(world, type);
  const [late, other] = [newPerson(type), newPerson(type)];
  const message = '(#10) This message is sent outside of allowed window.';
  await faultFor(world.simulator, late, {
    act: 'refuse',
    code: 10,
    subcode: 2_018_278,
    status: 400,
    message,
  });
  expect((await world.send(channel, 'too late', late)).body).toMatchObject({
    status: 'failed',
    error_code: 10,
  });
  expect((await world.send(channel, 'in time', other)).body).toMatchObject({ status: 'sent' });
  expect((await world.send(channel, 'in time again', late)).body).toMatchObject({ status: 'sent' });
});

test.each(['API access blocked.', 'API access deactivated. To reactivate, go to the app dashboard.'])(
  'the platform blocks the whole app (%s): sends wait, and no channel is called lost',
  async (message) => {
    const channel = await ownChannel(world);
    const to = newPerson('chatapp');
    const refused = { act: 'refuse', code: 200, status: 400, message, times: 2 };
    await world.simulator.control('faults', {
      ...refused,
      match: { path: 'subscribed_apps', method: 'GET' },
    });
    await faultFor(world.simulator, to, refused);
    const { body } = await world.send(channel, 'when the app is back', to);
    expect(body).toMatchObject({ success: true, status: 'queued' });
    const path = `/api/v1/channels/${channel.id}`;
    const health = await world.service.call('GET', `${path}/health`, { key: channel.key });
    expect(health.body).toMatchObject({ can_send: true, problems: [] });
    await until('the send', async () => {
      const found = await world.service.call('GET', `${path}/messages/${body.message_id}`, {
        key: channel.key,
      });
      return found.body.state === 'sent';
    });
  },
);

test('twenty messages in a row, each in a POST of its own, are told once each', async () => {
  const channel = await ownChannel(world);
  const from = newPerson('chatapp');
  const texts = Array.from({ length: 20 }, (_, n) => `number ${n + 1}`);
  await Promise.all(texts.map((text) => world.write(channel, { text }, from)));
  const told = await allEventsAbout(world, channel, from, 20);
  expect(told.map(({ data }) => String(data['text'])).toSorted()).toEqual(texts.toSorted());
});
