/** [upstream §3.8; spec: Send error codes, 131056] The limits of a number and of a pair are kept without being told. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ledger, newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel, ChannelType } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.simulator.control('settings', { rates: true });
});
afterAll(() => world.close());

async function ownChannel(type: ChannelType = 'chatapp'): Promise<Channel> {
  const business = await newBusiness(world.simulator);
  const [page] = business.pages;
  const upstream = {
    chatapp: business.phones[0]?.id,
    pagechat: page?.id,
    photoapp: page?.photoapp_account_id,
  }[type];
  return world.connect(await newAccount(world.service), type, { upstream: upstream ?? '' });
}

test('50 messages to one person at once: 44 are sent, the others queued, and upstream refuses none', async () => {
  const channel = await ownChannel();
  const recipient = newPerson('chatapp');
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => world.send(channel, `text ${n}`, recipient)),
  );
  const statuses = answers.map(({ body }) => body.status);
  expect(statuses.filter((status) => status === 'sent')).toHaveLength(44);
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(6);
  const calls = await ledger(world.simulator, { recipient, outcome: 'all', at_least: 45, wait_ms: 10_000 });
  expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
});

test('200 people at once by a number of 80 a second: all are sent, and upstream refuses none', async () => {
  const channel = await ownChannel();
  const people = Array.from({ length: 200 }, () => newPerson('chatapp'));
  const answers = await Promise.all(people.map((recipient) => world.send(channel, 'hello', recipient)));
  expect(answers.map(({ body }) => body.status)).toEqual(people.map(() => 'sent'));
  const calls = await ledger(world.simulator, { channel: channel.upstream, outcome: 'all' });
  expect(calls.map(({ outcome }) => outcome)).toEqual(people.map(() => 'accepted'));
});

test.each(['pagechat', 'photoapp'] as const)(
  '450 people at once by a %s, and 30 videos: all go out, and upstream refuses none',
  async (type) => {
    const channel = await ownChannel(type);
    const videos = Array.from({ length: 30 }, () =>
      world.service.call('POST', '/api/v1/messages/send-media', {
        key: channel.key,
        body: {
          channel_id: channel.id,
          recipient: newPerson(type),
          media_type: 'video',
          media_url: `${world.simulator.url}/files/clip.mp4`,
        },
      }),
    );
    const texts = Array.from({ length: 450 }, () => world.send(channel, 'hello', newPerson(type)));
    const answers = [...(await Promise.all(videos)), ...(await Promise.all(texts))];
    // On a busy machine some wait for longer than 5 s.
    for (const { body } of answers) expect(['sent', 'queued']).toContain(body.status);
    const calls = await ledger(world.simulator, {
      channel: channel.upstream,
      outcome: 'all',
      at_least: 480,
      wait_ms: 30_000,
    });
    expect(calls).toHaveLength(480);
    expect(new Set(calls.map(({ outcome }) => outcome))).toEqual(new Set(['accepted']));
  },
);
