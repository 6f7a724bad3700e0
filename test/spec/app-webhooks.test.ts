/** The app's own webhook subscriptions: made where they are missing, never taken from somebody else. [operator-interface §2, §4] */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { bootService, bootSimulator } from '../support/service.ts';
import type { Service } from '../support/service.ts';
import { contractWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { Inbox } from '../support/inbox.ts';
import { World, newAccount } from '../support/world.ts';
import type { Channel, ChannelType } from '../support/world.ts';

const appId = '700100200300400';
const appToken = `${appId}|example-app-secret-0001`;
const simulator = await bootSimulator({
  ...contractWorld,
  // Each test has a service of its own, at another address.
  settings: { ...contractWorld.settings, redirect_uris: null },
});
const inbox = await Inbox.open();
afterAll(async () => {
  await simulator.stop();
  await inbox.close();
});

interface Subscription {
  object: string;
  callback_url: string;
  fields: string[];
}

/** The app's subscriptions as the simulator holds them. */
async function subscriptions(): Promise<Subscription[]> {
  return (await simulator.control('world')).subscriptions;
}

const path = `${simulator.url}/v25.0/${appId}/subscriptions`;
const headers = { authorization: `Bearer ${appToken}` };

/** Subscribes the app as somebody else would: with a callback that answers the verification. */
async function subscribe(object: string, callbackUrl: string, fields: readonly string[]): Promise<void> {
  const body = {
    object,
    callback_url: callbackUrl,
    verify_token: 'my-verify-token',
    fields: fields.join(','),
  };
  const answer = await call('POST', path, { headers, body });
  if (answer.status !== 200) throw new Error(answer.text);
}

let services: Service[] = [];
beforeEach(async () => {
  await Promise.all(services.map((service) => service.stop()));
  services = [];
  await call('DELETE', path, { headers });
});
afterAll(() => Promise.all(services.map((service) => service.stop())));

async function started(settings: Record<string, string> = {}): Promise<World> {
  const service = await bootService(simulator.url, settings);
  services.push(service);
  return new World(service, simulator, inbox);
}

async function connected(
  type: ChannelType,
  settings: Record<string, string> = {},
): Promise<{ world: World; channel: Channel }> {
  const world = await started(settings);
  return { world, channel: await world.connect(await newAccount(world.service), type) };
}

const callbackOf = ({ service }: World): string => `${service.url}/upstream/webhooks`;
const healthOf = ({ service }: World, channel: Channel) =>
  service.call('GET', `/api/v1/channels/${channel.id}/health`, { key: channel.key });
const codesOf = async (world: World, channel: Channel): Promise<string[]> =>
  (await healthOf(world, channel)).body.problems.map(({ code }: { code: string }) => code);

const objects = { chatapp: 'whatsapp_business_account', photoapp: 'instagram', pagechat: 'page' } as const;

describe('nothing is there', () => {
  test.each(['chatapp', 'photoapp', 'pagechat'] as const)(
    'the first %s channel subscribes the app for its kind alone, and its messages arrive',
    async (type) => {
      const { world, channel } = await connected(type);
      const [only, ...more] = await until('the subscription', async () => {
        const all = await subscriptions();
        return all.length > 0 && all;
      });
      expect([only?.object, only?.callback_url, more]).toEqual([objects[type], callbackOf(world), []]);
      expect(only?.fields).toContain('messages');
      inbox.clear();
      await world.write(channel, { text: 'First of all' });
      const { event } = await inbox.event('message.received');
      expect(event.data).toMatchObject({ text: 'First of all' });
      expect(await codesOf(world, channel)).not.toContain('app_webhooks_missing');
    },
  );

  test('with `check` the app is left alone, and the health of the channel says that it hears nothing', async () => {
    const { world, channel } = await connected('pagechat', { UPSTREAM_APP_WEBHOOKS: 'check' });
    await until('the problem', async () => (await codesOf(world, channel)).includes('app_webhooks_missing'));
    expect((await healthOf(world, channel)).body).toMatchObject({ can_receive: false });
    expect(await subscriptions()).toEqual([]);
  });

  test('an installation whose app lost its subscriptions gets them back at its next start', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'trunkline-test-'));
    const { world } = await connected('pagechat', { DATA_DIR });
    await until('the subscription', async () => (await subscriptions()).length === 1);
    services = [];
    await world.service.stop();
    await call('DELETE', path, { headers });
    const again = await started({ DATA_DIR });
    const [page] = await until('the subscription again', async () => {
      const all = await subscriptions();
      return all.length > 0 && all;
    });
    expect(page?.callback_url).toBe(callbackOf(again));
    services = [];
    await again.service.stop();
    await rm(DATA_DIR, { recursive: true });
  });
});

describe('something is there', () => {
  test('ours with fewer fields is completed, and keeps those that we do not need', async () => {
    const world = await started();
    await subscribe('page', callbackOf(world), ['messages', 'feed']);
    await world.connect(await newAccount(world.service), 'pagechat');
    const page = await until('the fields', async () => {
      const [found] = await subscriptions();
      return (found?.fields.length ?? 0) > 2 && found;
    });
    expect(page.fields).toEqual(expect.arrayContaining(['feed', 'messages', 'message_echoes', 'standby']));
  });

  test('another callback is never touched, and the health of the channel says so', async () => {
    const other = await started();
    await subscribe('page', callbackOf(other), ['messages']);
    const { world, channel } = await connected('pagechat');
    await until('the problem', async () =>
      (await codesOf(world, channel)).includes('app_webhooks_elsewhere'),
    );
    expect((await healthOf(world, channel)).body).toMatchObject({ can_receive: false });
    expect(await subscriptions()).toEqual([
      { object: 'page', callback_url: callbackOf(other), fields: ['messages'] },
    ]);
  });
});
