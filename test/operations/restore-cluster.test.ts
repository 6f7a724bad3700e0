/** A restore under a cluster that has moved on: docs/operating/backup.md, without and with its first step. */
import { afterEach, expect, jest, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { Document } from 'mongodb';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(clusterHookMs);

type Copy = Map<string, Document[]>;

/** Like mongodump and mongorestore --drop, in memory, because not every machine has them. */
async function onStore<T>(cluster: ServiceCluster, work: (of: MongoClient) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(
    `mongodb://127.0.0.1:${cluster.mongo.port}/?directConnection=true`,
  );
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const dump = (cluster: ServiceCluster): Promise<Copy> =>
  onStore(cluster, async (client) => {
    const db = client.db('trunkline');
    const copy: Copy = new Map();
    for (const { name } of await db.listCollections().toArray())
      copy.set(name, await db.collection(name).find({}).toArray());
    return copy;
  });

const setBack = (cluster: ServiceCluster, copy: Copy): Promise<void> =>
  onStore(cluster, async (client) => {
    const db = client.db('trunkline');
    for (const { name } of await db.listCollections().toArray()) {
      await db.collection(name).deleteMany({});
      const documents = copy.get(name) ?? [];
      if (documents.length > 0) await db.collection(name).insertMany(documents);
    }
  });

/** A long history: every channel was taken over very often. */
const age = (cluster: ServiceCluster, epochs: number): Promise<unknown> =>
  onStore(cluster, (client) =>
    client
      .db('trunkline')
      .collection('owners')
      .updateMany({}, { $inc: { epoch: epochs } }),
  );

describeCluster('a backup restored', (source) => {
  let cluster: ServiceCluster;
  afterEach(() => cluster.close());

  async function movedOn(): Promise<{ channel: Channel; copy: Copy }> {
    cluster = await ServiceCluster.start(source, { nodes: 2 });
    const channel = await cluster.world.connected('chatapp');
    const known = await send(channel);
    await cluster.inbox.event('message.delivered', known);
    const copy = await dump(cluster);
    await age(cluster, 1_000);
    const owner = await cluster.ownerOf(channel);
    await owner.kill9(); // from here on the epoch is a thousand higher than the backup's
    await send(channel);
    await cluster.heal();
    await send(channel);
    return { channel, copy };
  }

  async function send(channel: Channel): Promise<string> {
    const recipient = newPerson('chatapp');
    const body = await until('a send to be taken', async () => {
      const answer = await cluster.world.send(channel, 'hello', recipient);
      return answer.status === 200 && answer.body.success === true ? answer.body : null;
    });
    return String(body.message_id);
  }

  async function worksBothWays(channel: Channel): Promise<void> {
    const messageId = await send(channel);
    await cluster.inbox.event('message.delivered', messageId);
    const text = `hello ${messageId}`;
    await cluster.world.write(channel, { text });
    await until('what a person wrote to arrive', () =>
      cluster.inbox.arrivals.some(({ event }) => event.data['text'] === text),
    );
  }

  test('into a running cluster: it continues, and its channels move to other nodes as usual', async () => {
    const { channel, copy } = await movedOn();
    await setBack(cluster, copy);
    await worksBothWays(channel);
    // Operations in flight have the epoch of an owner that the backup does not know.
    cluster.inbox.answerAlways(500);
    const pending = await send(channel);
    const owner = await cluster.ownerOf(channel);
    await owner.kill9();
    cluster.inbox.answerAlways(200);
    await cluster.inbox.event('message.sent', pending);
    await worksBothWays(channel);
    await cluster.heal();
    await worksBothWays(channel);
  });

  test('into a stopped cluster: it starts with the state of the backup', async () => {
    const { channel, copy } = await movedOn();
    await Promise.all(cluster.nodes.map((node) => node.kill9()));
    await setBack(cluster, copy);
    await cluster.heal();
    await worksBothWays(channel);
    expect((await cluster.world.service.admin('GET', `/channels/${channel.id}`)).status).toBe(200);
  });
});
