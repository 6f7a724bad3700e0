/** [spec: Events, Media download] Every row and rule on three nodes: the result is the same whichever node gets the webhook, the send or the download. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { allEventsAbout } from '../support/events.ts';
import { typesWithoutEvent, inboundRows } from '../support/inbound-rows.ts';
import { acceptedEvents } from '../support/every-send.ts';
import { channelTypes, faultFor, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('events and downloads on three nodes', (source) => {
  let cluster: ServiceCluster;
  let account: Account;
  let channels: Channels;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, { env: { MEDIA_TTL_MS: '15000' } });
    account = await newAccount(cluster.world.service);
    // The number is also used in the phone's app, so that it has echoes.
    const phone = '422300000000801';
    await cluster.simulator.control('businesses', {
      waba_id: '311200000000801',
      phone_numbers: [{ id: phone, display: '+1 555-010-0801', dual_use: true }],
      pages: [],
    });
    const [page] = (await newBusiness(cluster.simulator)).pages;
    channels = {
      chatapp: await cluster.world.connect(account, 'chatapp', { upstream: phone }),
      photoapp: await cluster.world.connect(account, 'photoapp', {
        upstream: page?.photoapp_account_id ?? '',
      }),
      pagechat: await cluster.world.connect(account, 'pagechat', { upstream: page?.id ?? '' }),
    };
  }, clusterHookMs);
  afterAll(() => cluster.close());

  async function toldBy(channel: Channel, message: Record<string, unknown>, count = 1) {
    const from = newPerson(channel.type);
    await cluster.world.write(channel, message, from);
    return allEventsAbout(cluster.world, channel, from, count);
  }

  test.each(channelTypes)('%s: every message of a person is one event', async (type) => {
    const channel = channels[type];
    const told = await Promise.all(inboundRows[type].map(([name]) => toldBy(channel, { type: name })));
    expect(told.map((events) => events.map(({ event, channel_id: id, data }) => [event, id, data]))).toEqual(
      inboundRows[type].map(([, data]) => [['message.received', channel.id, expect.objectContaining(data)]]),
    );
  });

  test.each(channelTypes)('%s: reactions, edits and the like make no event', async (type) => {
    const from = newPerson(type);
    const write = (message: Record<string, unknown>) =>
      cluster.world.write(channels[type], { ...message, wait: true }, from);
    await write({ text: 'before' });
    for (const name of typesWithoutEvent[type])
      expect((await write({ type: name, message_id: 'wamid.before' })).answers).toEqual([200]);
    await write({ text: 'after' });
    const told = await allEventsAbout(cluster.world, channels[type], from, 2);
    expect(told.map(({ data }) => data['text'])).toEqual(['before', 'after']);
  });

  test.each(['photoapp', 'pagechat'] as const)(
    '%s: files of one message have ids .2 and .3, and a failed one does not suppress the others',
    async (type) => {
      const attachments = [{ type: 'image' }, { type: 'video', media_fault: 'gone' }, { type: 'file' }];
      const told = await toldBy(channels[type], { text: 'three', attachments }, 3);
      const [first] = told;
      const id = String(first?.data['message_id']);
      const seen = told.map(({ data }) => [data['message_id'], data['type'], data['caption']]);
      expect(new Set(seen.map(([messageId]) => messageId))).toEqual(new Set([id, `${id}.2`, `${id}.3`]));
      expect(seen).toContainEqual([id, 'image', 'three']);
      expect(seen).toContainEqual([`${id}.2`, 'video', undefined]);
      const failed = told.find(({ data }) => data['type'] === 'video');
      expect(failed?.data['media']).toMatchObject({ download_url: null, error: expect.any(String) });
    },
  );

  test.each(channelTypes)(
    '%s: an echo makes one event, with the same id whichever node gets it',
    async (type) => {
      const channel = channels[type];
      const to = newPerson(type);
      await cluster.simulator.control('webhooks/rules', { match: { kind: 'echo' }, duplicate: 3 });
      await cluster.simulator.control('business/write', {
        channel: channel.upstream,
        to,
        text: 'We open at nine.',
      });
      const told = await allEventsAbout(cluster.world, channel, to, 1);
      expect(told.map(({ event, data }) => [event, data])).toEqual([
        [
          'message.echo',
          {
            message_id: expect.any(String),
            recipient: to,
            status: 'sent',
            type: 'text',
            text: 'We open at nine.',
          },
        ],
      ]);
    },
  );

  test.each(channelTypes)(
    '%s: each status of a send through any node makes one event, and so does the read',
    async (type) => {
      const channel = channels[type];
      for (const node of cluster.nodes) {
        const recipient = newPerson(type);
        const { message_id: messageId } = await sendThrough(node, channel, recipient);
        await allEventsAbout(cluster.world, channel, recipient, acceptedEvents[type].length);
        await cluster.world.read(channel, recipient);
        const told = await allEventsAbout(cluster.world, channel, recipient, acceptedEvents[type].length + 1);
        const names = [...acceptedEvents[type], 'message.read'];
        expect(new Set(told.map(({ event }) => event))).toEqual(new Set(names));
        expect(told).toHaveLength(names.length);
        for (const { data } of told) expect(data['message_id']).toBe(messageId);
      }
    },
  );

  async function sendThrough(
    { url }: ClusterNode,
    { id, key }: Channel,
    recipient: string,
    // oxlint-disable-next-line typescript/no-explicit-any
  ): Promise<any> {
    const answer = await fetch(`${url}/api/v1/messages/send`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ channel_id: id, recipient, text: 'hello' }),
    });
    return answer.json();
  }

  test('chatapp: a failed delivery is message.failed, through every node', async () => {
    for (const node of cluster.nodes) {
      const recipient = newPerson('chatapp');
      await faultFor(cluster.simulator, recipient, {
        act: 'fail_later',
        code: 131_047,
        title: 'Re-engagement message',
      });
      await sendThrough(node, channels.chatapp, recipient);
      const told = await allEventsAbout(cluster.world, channels.chatapp, recipient, 2);
      const failed = told.find(({ event }) => event === 'message.failed');
      expect(failed?.data).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('24-hour'),
        errors: [{ code: 131_047, title: 'Re-engagement message' }],
      });
    }
  });

  async function statusesFor(key: string | null, mediaId: string): Promise<number[]> {
    const answers = cluster.nodes.map(({ url }) =>
      fetch(`${url}/api/v1/media/${mediaId}`, { headers: key === null ? {} : { 'x-api-key': key } }),
    );
    return (await Promise.all(answers)).map(({ status }) => status);
  }

  test('every node has the same access rules for a file, and its expiry', async () => {
    const stranger = await newAccount(cluster.world.service);
    const checked = channelTypes.map(async (type) => {
      const [event] = await toldBy(channels[type], { type: 'image' });
      const { media_id: id } = Object(event?.data['media']);
      expect(await statusesFor(account.key, id)).toEqual([200, 200, 200]);
      expect(await statusesFor(null, id)).toEqual([401, 401, 401]);
      expect(await statusesFor(stranger.key, id)).toEqual([404, 404, 404]);
      const isOver = async () => (await statusesFor(account.key, id)).every((status) => status === 410);
      await until('the end of the file', isOver, 60_000);
    });
    expect(await Promise.all(checked)).toHaveLength(channelTypes.length);
  });

  test('on starter a stored file is 402 on every node, and a new file is withheld', async () => {
    const own = await newAccount(cluster.world.service);
    const upstream = (await newBusiness(cluster.simulator)).pages[0]?.id ?? '';
    const channel = await cluster.world.connect(own, 'pagechat', { upstream });
    const [event] = await toldBy(channel, { type: 'image' });
    const { media_id: id } = Object(event?.data['media']);
    const path = `/subscriptions/${own.subscriptionId}`;
    await cluster.world.service.admin('PATCH', path, { tier: 'starter' });
    expect(await statusesFor(own.key, id)).toEqual([402, 402, 402]);
    const [withheld] = await toldBy(channel, { type: 'image' });
    expect(withheld?.data).toMatchObject({
      type: 'unsupported',
      unsupported_type: 'image',
      upgrade_required: 'pro',
    });
  });
});
