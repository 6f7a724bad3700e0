/** [architecture §4, Drain, Fail-over; faults: 3, 4, 30, I2, I8] Channels move to another node, by a drain and by a crash. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { MongoClient } from 'mongodb';
import type { Answer } from '../support/api.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { heldBackEcho } from '../support/echoes.ts';
import { ledger, newPerson } from '../support/sends.ts';
import type { Service } from '../support/service.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { Storm } from './support/storm.ts';

jest.setTimeout(120_000);

const resendAfterMs = 4_000;
const rankOfRead = 3;

describeCluster('channels move to another node', (source) => {
  let cluster: ServiceCluster;
  let channels: Channel[];
  let chatapp: Channel;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, {
      env: {
        SEND_QUEUED_AFTER_MS: '2000',
        SEND_RESEND_AFTER_MS: String(resendAfterMs),
        SEND_GIVE_UP_AFTER_MS: '20000',
      },
    });
    const account = await newAccount(cluster.world.service);
    chatapp = await cluster.world.connect(account, 'chatapp');
    channels = [chatapp, await cluster.world.connect(account, 'pagechat')];
  }, clusterHookMs);
  afterAll(() => cluster.close());
  afterEach(() => cluster.heal());

  test('the owner is killed while an echo is held back, and nothing else happens on the channel: another node makes its event', async () => {
    const events = ['message.echo'];
    const photoapp = await cluster.world.connect({ key: chatapp.key }, 'photoapp', { events });
    const to = await heldBackEcho(cluster.world, photoapp);
    await (await cluster.ownerOf(photoapp)).kill9();
    const isEcho = ({ event }: { event: { event: string } }): boolean => event.event === 'message.echo';
    const [arrival] = await cluster.world.inbox.next(1, isEcho, 40_000);
    expect(arrival?.event.data).toMatchObject({ recipient: to, text: 'We open at nine.' });
  });

  test('a rolling restart of three nodes under load: no failed request', async () => {
    // Long enough that no slow answer counts as a failed request.
    await cluster.simulator.control('settings', { webhook_timeout_ms: 60_000 });
    const storm = new Storm(cluster, channels);
    try {
      for (const node of cluster.nodes) {
        await storm.flows(5);
        expect(await node.terminate()).toBe(0);
        await node.start();
        await cluster.linked();
      }
      await storm.flows(5);
    } finally {
      await storm.stop();
    }
    process.stderr.write(`rolling restart: ${storm.counts()}; longest gap ${storm.longestGap()} ms\n`);
    // `queued` is a success too: on a slow machine upstream's answer takes longer than SEND_QUEUED_AFTER_MS.
    expect(storm.ended.filter(({ code }) => code !== 200)).toEqual([]);
    await storm.settled();
    expect(await storm.findings(resendAfterMs)).toEqual([]);
    const { webhooks } = await cluster.simulator.control('webhooks?limit=1000000');
    const refused = webhooks.filter(({ answers }: { answers: number[] }) =>
      answers.some((code) => code !== 200),
    );
    expect(refused.map(({ answers }: { answers: number[] }) => answers)).toEqual([]);
    await cluster.simulator.control('settings', { webhook_timeout_ms: 10_000 });
  });

  test('the owner is killed while upstream holds its answers: unconfirmed sends get one more copy, never a third', async () => {
    const people = Array.from({ length: 10 }, () => newPerson('chatapp'));
    for (const recipient of people)
      await cluster.simulator.control('faults', {
        match: { recipient },
        act: 'hang',
        times: 1,
        silent: true,
      });
    const [api] = await cluster.nonOwnersOf(chatapp);
    const sends = people.map((recipient) => send(recipient, api));
    for (const recipient of people)
      expect(await ledger(cluster.simulator, { recipient, wait_ms: 10_000 })).toHaveLength(1);
    await (await cluster.ownerOf(chatapp)).kill9();
    expect((await Promise.all(sends)).map(({ body }) => body.status)).toEqual(people.map(() => 'queued'));
    for (const recipient of people)
      expect(await ledger(cluster.simulator, { recipient, wait_ms: 20_000, at_least: 2 })).toHaveLength(2);
    await until('all to be confirmed', async () => {
      const { body } = await cluster.live().admin('GET', `/channels/${chatapp.id}`);
      return body.sends_open === 0 && body.deliveries_pending === 0;
    });
    const copies = await Promise.all(people.map((recipient) => ledger(cluster.simulator, { recipient })));
    expect(copies.map((sent) => sent.length)).toEqual(people.map(() => 2));
  });

  test('a status never goes backwards across a takeover, and none makes two events', async () => {
    const recipient = newPerson('chatapp');
    await cluster.simulator.control('faults', { match: { recipient }, act: 'ok', silent: true });
    const { message_id: messageId } = (await send(recipient)).body;
    const [{ id } = { id: null }] = await ledger(cluster.simulator, { recipient });
    const tell = (status: string): Promise<unknown> => cluster.simulator.control('statuses', { id, status });
    await tell('read');
    await cluster.inbox.event('message.read', messageId);
    await (await cluster.ownerOf(chatapp)).kill9();
    for (const status of ['sent', 'delivered', 'read', 'delivered']) await tell(status);
    await until('upstream to be heard', async () => {
      const { webhooks_waiting: waiting } = await cluster.simulator.control('sends/summary');
      const { body } = await cluster.live().admin('GET', `/channels/${chatapp.id}`);
      return waiting === 0 && body.deliveries_pending === 0;
    });
    expect(await storedRank(messageId)).toBe(rankOfRead);
    const reads = cluster.inbox.ofType('message.read').filter(isAbout(messageId));
    expect(new Set(reads.map(({ headers }) => headers['x-webhook-id'])).size).toBe(1);
  });

  const send = (recipient: string, over: Service = cluster.world.service): Promise<Answer> =>
    over.call('POST', '/api/v1/messages/send', {
      key: chatapp.key,
      body: { channel_id: chatapp.id, recipient, text: 'to be taken over' },
    });

  /** Read from the store, because no API shows the status. */
  async function storedRank(messageId: string): Promise<number | undefined> {
    const client = await MongoClient.connect(cluster.mongo.uriOf('trunkline'), { directConnection: true });
    try {
      const messages = client.db().collection<{ _id: string; rank: number }>('messages');
      return (await messages.findOne({ _id: messageId }))?.rank;
    } finally {
      await client.close();
    }
  }
});

const isAbout =
  (messageId: string) =>
  ({ event }: { event: { data: Record<string, unknown> } }): boolean =>
    event.data['message_id'] === messageId;
