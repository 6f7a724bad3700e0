/**
 * What an operator did wrong is not the send's fault: a secret that upstream refuses makes sends wait, and a post that is signed with
 * another secret is counted. Several secrets serve a rotation. [operator-interface §2 UPSTREAM_APP_SECRET, §4: an invalid proof]
 */
import { createHmac } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { Inbox } from '../support/inbox.ts';
import { channelTypes, ledger, newPerson } from '../support/sends.ts';
import { bootService, bootSimulator } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { World, newAccount } from '../support/world.ts';

const secret = 'example-app-secret-0001';
const renewed = 'example-app-secret-0002';
const ofInstagram = 'example-instagram-secret';
const simulator = await bootSimulator(contractWorld);
const inbox = await Inbox.open();
afterAll(async () => {
  await simulator.stop();
  await inbox.close();
});

const worldWith = async (settings: Record<string, string>): Promise<World> =>
  World.of(
    await bootService(simulator.url, { SEND_GIVE_UP_AFTER_MS: '1000', ...settings }),
    simulator,
    inbox,
  );

const metric = async (world: World, line: string): Promise<number> => {
  const { text } = await call('GET', `${world.service.url}/metrics`);
  const found = text.split('\n').find((each) => each.startsWith(`trunkline_${line} `));
  return Number(found?.split(' ').at(-1) ?? 0);
};

describe('the platform has another secret than the service', () => {
  test.each(channelTypes)(
    '%s: sends are queued beyond their time to be given up, and are sent when the secret is right again',
    async (type) => {
      const world = await worldWith({});
      const channel = await world.connect(await newAccount(world.service), type);
      const recipient = newPerson(type);
      if (type !== 'chatapp') await world.write(channel, { text: 'Hello' }, recipient);
      await simulator.control('app', { secret: renewed });
      const answer = await world.send(channel, 'Waits', recipient);
      expect([answer.status, answer.body]).toEqual([
        200,
        { success: true, message_id: expect.any(String), error: null, status: 'queued' },
      ]);
      // 1 s and 2 s apart: the third comes after the time to give up.
      await until(
        'three refused calls',
        async () => (await metric(world, 'upstream_app_refused_total{reason="proof"}')) >= 3,
      );
      const path = `/api/v1/channels/${channel.id}/messages/${answer.body.message_id}`;
      const waiting = await world.service.call('GET', path, { key: channel.key });
      expect(waiting.body).toMatchObject({ state: 'queued' });
      await simulator.control('app', { secret });
      await until('the send', async () => (await ledger(simulator, { recipient })).length === 1);
      await until(
        'its record',
        async () => (await world.service.call('GET', path, { key: channel.key })).body.state === 'sent',
      );
      await world.service.stop();
    },
  );

  test('its posts are refused, and counted by why', async () => {
    const world = await worldWith({});
    const channel = await world.connect(await newAccount(world.service), 'pagechat');
    // The callback is still that of a world before, which the service does not touch.
    await simulator.control('app/webhooks', { object: 'page', fields: ['messages'] });
    await simulator.control('app', { secret: renewed });
    await world.write(channel, { text: 'Never heard' });
    await call('POST', `${world.service.url}/upstream/webhooks`, { body: {} });
    await until('the refused posts', async () => {
      const wrong = await metric(world, 'upstream_posts_refused_total{reason="wrong_signature"}');
      const unsigned = await metric(world, 'upstream_posts_refused_total{reason="unsigned"}');
      return wrong >= 1 && unsigned === 1;
    });
    await simulator.control('app', { secret });
    await world.service.stop();
  });
});

/** The status with which a body that is signed with this secret is answered. */
async function post(world: World, object: string, by: string): Promise<number> {
  const raw = JSON.stringify({ object, entry: [] });
  const signature = `sha256=${createHmac('sha256', by).update(raw).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  return (await call('POST', `${world.service.url}/upstream/webhooks`, { raw, headers })).status;
}

describe('several secrets', () => {
  test('posts signed with any of them are taken, and calls are proved with the first', async () => {
    await simulator.control('app', { secret: renewed });
    const world = await worldWith({ UPSTREAM_APP_SECRET: `${renewed}, ${secret}` });
    const channel = await world.connect(await newAccount(world.service), 'pagechat');
    const person = newPerson('pagechat');
    expect((await world.send(channel, 'Proved with the first', person)).body).toMatchObject({
      status: 'sent',
    });
    expect([
      await post(world, 'page', renewed),
      await post(world, 'page', secret),
      await post(world, 'page', 'another'),
    ]).toEqual([200, 200, 401]);
    await simulator.control('app', { secret });
    await world.service.stop();
  });

  test('the second secret of Instagram signs events of instagram alone', async () => {
    const world = await worldWith({ UPSTREAM_INSTAGRAM_SECRET: ofInstagram });
    const objects = ['instagram', 'page', 'whatsapp_business_account'];
    expect(await Promise.all(objects.map((object) => post(world, object, ofInstagram)))).toEqual([
      200, 401, 401,
    ]);
    expect(await post(world, 'instagram', secret)).toBe(200);
    await world.service.stop();
  });

  test.each([
    ['both listed', { UPSTREAM_APP_SECRET: `${renewed},${secret}` }],
    ['the old one kept for PINs', { UPSTREAM_APP_SECRET: renewed, UPSTREAM_PIN_SECRET: secret }],
  ])(
    'a rotation changes no two-step PIN, %s: a number that has lost its registration gets it again',
    async (_, settings) => {
      const before = await worldWith({});
      const channel = await before.connect(await newAccount(before.service), 'chatapp');
      await before.service.stop();
      const number = `${simulator.url}/v25.0/${channel.upstream}`;
      const { businesses } = await simulator.control('world');
      const headers = { authorization: `Bearer ${businesses[0].waba_token}` };
      await call('POST', `${number}/deregister`, { headers, body: {} });
      await simulator.control('app', { secret: renewed });
      const after = await worldWith(settings);
      await after.connect(await newAccount(after.service), 'chatapp');
      expect((await call('GET', `${number}?fields=status`, { headers })).body).toMatchObject({
        status: 'CONNECTED',
      });
      await simulator.control('app', { secret });
      await after.service.stop();
    },
  );
});
