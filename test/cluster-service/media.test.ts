/** [spec: Media download; architecture §4, Fail-over] Files on three nodes: downloads from any node, and fail-over during a fetch. */
import { limits } from '../../actors/channel/limits.ts';
import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { eventsAbout } from '../support/events.ts';
import { fileForm } from '../support/file-form.ts';
import { channelTypes, connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('files on three nodes', (source) => {
  let cluster: ServiceCluster;
  let channels: Channels;
  let chatapp: Channel;
  let pagechat: Channel;
  beforeAll(async () => {
    // So long that no POST ends before its owner is killed, however busy the machine is: an outcome resets the count of crashes.
    cluster = await ServiceCluster.start(source, {
      env: { WEBHOOK_TIMEOUT_MS: '60000', CHANNELS_FOLLOW_SENDS: '0' },
    });
    ({ channels } = await connectAll(cluster.world));
    ({ chatapp, pagechat } = channels);
  }, clusterHookMs);
  afterAll(() => cluster.close());
  // A file is fetched again if its channel moves, so tests that count downloads must start when no channel moves.
  afterEach(async () => {
    await cluster.heal();
    await cluster.settled(Object.values(channels));
  });

  async function told(channel: Channel, from: string, count: number): Promise<Record<string, unknown>[]> {
    await until(`${count} events`, () => eventsAbout(cluster.world, channel, from).length >= count, 40_000);
    return eventsAbout(cluster.world, channel, from).map(({ data }) => data);
  }

  async function hashFrom(node: ClusterNode, data: Record<string, unknown> | undefined): Promise<unknown> {
    const { media_id: id } = Object(data?.['media']);
    const answer = await fetch(`${node.url}/api/v1/media/${id}`, { headers: { 'x-api-key': chatapp.key } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    return [answer.status, createHash('sha256').update(bytes).digest('base64')];
  }

  test('a file of 5 MB is the same from every node, and so is a 404', async () => {
    const from = newPerson('chatapp');
    await cluster.world.write(chatapp, { type: 'video', size_bytes: 5_000_000 }, from);
    const [data] = await told(chatapp, from, 1);
    const { sha256 } = Object(data?.['media']);
    expect(sha256).toEqual(expect.any(String));
    const hashes = await Promise.all(cluster.nodes.map((node) => hashFrom(node, data)));
    expect(hashes).toEqual(cluster.nodes.map(() => [200, sha256]));
  });

  test('a file that one node has uploaded is sent by each', async () => {
    const [first] = cluster.nodes;
    const headers = { 'x-api-key': chatapp.key };
    const file = new File(['jpg'], 'cake.jpg', { type: 'image/jpeg' });
    const form = fileForm({ channel_id: chatapp.id, media_type: 'image' }, file);
    const uploaded = await fetch(`${first?.url}/api/v1/media`, { method: 'POST', headers, body: form });
    const { media_id } = Object(await uploaded.json());
    const body = { channel_id: chatapp.id, media_type: 'image', media_id };
    const states = cluster.nodes.map(async ({ url }) => {
      const sent = await fetch(`${url}/api/v1/messages/send-media`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, recipient: newPerson('chatapp') }),
      });
      return Object(await sent.json()).status;
    });
    expect(await Promise.all(states)).toEqual(cluster.nodes.map(() => 'sent'));
  });

  test.each(channelTypes)('each file of a %s message is the same from every node', async (type) => {
    const channel = channels[type];
    const from = newPerson(type);
    const files = [{ type: 'image' }, { type: type === 'chatapp' ? 'document' : 'file' }];
    // chatapp sends one message for each file. [upstream §4.2]
    if (type === 'chatapp') for (const file of files) await cluster.world.write(channel, file, from);
    else await cluster.world.write(channel, { text: 'two', attachments: files }, from);
    const events = await told(channel, from, 2);
    for (const data of events) {
      const [first, ...others] = await Promise.all(cluster.nodes.map((node) => hashFrom(node, data)));
      expect(first).toEqual([200, expect.any(String)]);
      expect(others).toEqual([first, first]);
    }
    expect(new Set(events.map((data) => data['type']))).toEqual(new Set(['document', 'image']));
  });

  const stalls = { media_fault: 'stall', media_times: 1 };
  test.each([
    ['photoapp', 'before the first byte', { type: 'image', media_delay_ms: 3_000 }, 1],
    ['photoapp', 'in the middle', { type: 'video', ...stalls }, 1],
    [
      'pagechat',
      'with one of two files stored',
      { attachments: [{ type: 'image' }, { type: 'image', ...stalls }] },
      2,
    ],
  ] as const)(
    'the owner of a %s channel is killed %s: another node fetches the file again, and each part makes one event',
    async (type, _, message, parts) => {
      const channel = channels[type];
      const from = newPerson(type);
      const written = await cluster.world.write(channel, { ...message, wait: true }, from);
      expect(written.answers).toEqual([200]);
      await until('the files to be asked for', async () => (await downloadsOf(written)) >= parts);
      await (await cluster.ownerOf(channel)).kill9();
      for (const data of await told(channel, from, parts))
        expect(await hashFrom(cluster.live(), data)).toEqual([200, expect.any(String)]);
      await cluster.heal();
      expect(new Set((await told(channel, from, parts)).map(({ message_id: id }) => id)).size).toBe(parts);
      expect(await downloadsOf(written)).toBe(2 * parts);
    },
  );

  async function downloadsOf({ media }: { media: { id: string }[] }): Promise<number> {
    const { media: all } = await cluster.simulator.control('media');
    const own = all.filter(({ id }: { id: string }) => media.some((one) => one.id === id));
    return own.reduce((sum: number, { downloads }: { downloads: number }) => sum + downloads, 0);
  }

  test('the owner is killed while it fetches: another node fetches the file again, and the message makes one event', async () => {
    const from = newPerson('chatapp');
    const fault = { media_fault: 'stall', media_times: 1 };
    const written = await cluster.world.write(chatapp, { type: 'image', ...fault, wait: true }, from);
    expect(written.answers).toEqual([200]);
    const downloads = async (): Promise<number> => {
      const { media } = await cluster.simulator.control('media');
      return media.find(({ id }: { id: string }) => id === written.media[0].id).downloads;
    };
    await until('the file to be asked for', async () => (await downloads()) >= 1);
    await (await cluster.ownerOf(chatapp)).kill9();
    const [data] = await told(chatapp, from, 1);
    expect(await downloads()).toBe(2);
    expect(await hashFrom(cluster.live(), data)).toEqual([200, Object(data?.['media']).sha256]);
    await cluster.heal();
    expect(new Set((await told(chatapp, from, 1)).map(({ message_id: id }) => id)).size).toBe(1);
  });

  /** The stored owner of the channel, and the stored count of fetches of its file that began and did not end. */
  async function lookAtFetch({ id }: Channel): Promise<{ nodeId: unknown; begun: unknown }> {
    const client = await MongoClient.connect(cluster.mongo.uriOf('trunkline'), { directConnection: true });
    try {
      const find = (of: string, by: object) => client.db('trunkline').collection(of).findOne(by);
      const [owner, waits] = [
        await find('owners', { _id: id }),
        await find('unmatched_facts', { channelId: id }),
      ];
      return { nodeId: owner?.['nodeId'], begun: waits?.['tries'] };
    } finally {
      await client.close();
    }
  }

  /**
   * Kills the owner during the fetch with this stored count. An owner that hands over gracefully resets the count, and the next one counts
   * from 1: so the owner is frozen before the store is read again, and killed only if nothing has changed.
   */
  async function killFetching(channel: Channel, begun: number): Promise<void> {
    const isKilled = async (): Promise<boolean> => {
      const seen = await lookAtFetch(channel);
      const owner = cluster.nodes.find(({ id, isRunning }) => id === seen.nodeId && isRunning);
      if (seen.begun !== begun || owner === undefined) return false;
      owner.freeze();
      const now = await lookAtFetch(channel);
      const isStill = now.begun === begun && now.nodeId === owner.id;
      if (isStill) await owner.kill9();
      else owner.thaw();
      return isStill;
    };
    await until(`fetch ${begun} on record`, isKilled, 40_000);
  }

  test('two owners are killed while they fetch one file: the third quarantines it, and other messages of the channel are delivered', async () => {
    const [bad, good] = [newPerson('chatapp'), newPerson('chatapp')];
    const written = await cluster.world.write(
      chatapp,
      { type: 'voice', media_fault: 'stall', wait: true },
      bad,
    );
    await killFetching(chatapp, 1);
    await killFetching(chatapp, 2);
    const downloads = await downloadsOf(written);
    const [data] = await told(chatapp, bad, 1);
    expect(data?.['media']).toMatchObject({ download_url: null, error: 'The file could not be processed' });
    await cluster.world.write(chatapp, { type: 'image' }, good);
    const [next] = await told(chatapp, good, 1);
    expect(await hashFrom(cluster.live(), next)).toEqual([200, Object(next?.['media']).sha256]);
    expect(await downloadsOf(written)).toBe(downloads);
    await cluster.heal();
  });

  test('five owners are killed while a receiver has one POST: the next quarantines it, and other events of the channel are delivered', async () => {
    const [bad, good] = [newPerson('pagechat'), newPerson('pagechat')];
    const { inbox } = cluster.world;
    const posts = (from: string) => inbox.arrivals.filter(({ event }) => event.data['from'] === from).length;
    inbox.answerAlways('hang');
    await cluster.world.write(pagechat, { text: 'one', wait: true }, bad);
    const starts: Promise<void>[] = [];
    for (let made = 1; made <= limits.deliveryCrashes; made += 1) {
      await until('its POST', () => posts(bad) >= made, 40_000);
      // The owner by the store: a node that hands over waits for its POST, and answers no request meanwhile.
      const { nodeId } = await lookAtFetch(pagechat);
      const owner = cluster.nodes.find(({ id }) => id === nodeId) ?? cluster.live();
      await owner.kill9();
      starts.push(owner.start());
    }
    await Promise.all(starts);
    inbox.answerAlways(200);
    const put = async () => (await cluster.live().admin('GET', '/quarantine')).body.items;
    await until('it to be put aside', async () => Object((await put())[0])['kind'] === 'delivery', 40_000);
    await cluster.world.write(pagechat, { text: 'two', wait: true }, good);
    await until('another event', () => posts(good) === 1, 40_000);
    expect(posts(bad)).toBe(limits.deliveryCrashes);
    await cluster.heal();
  });

  test('20 files that never arrive delay no text of another channel or another person', async () => {
    const stuck = Array.from({ length: 20 }, () => newPerson('chatapp'));
    for (const from of stuck)
      await cluster.world.write(chatapp, { type: 'image', media_fault: 'stall', media_times: 1 }, from);
    const [mia, tom] = [newPerson('pagechat'), newPerson('chatapp')];
    await cluster.world.write(pagechat, { text: 'hello' }, mia);
    await cluster.world.write(chatapp, { text: 'hello' }, tom);
    expect(await told(pagechat, mia, 1)).toMatchObject([{ text: 'hello' }]);
    expect(await told(chatapp, tom, 1)).toMatchObject([{ text: 'hello' }]);
    // The texts came while the files hang, not after the files.
    expect(stuck.flatMap((from) => eventsAbout(cluster.world, chatapp, from))).toEqual([]);
  });
});
