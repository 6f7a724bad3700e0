/** [operating/deploying, By API key; faults: 426] A channel follows its sends between processes, with a kill in the middle. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { samplesOf, sumOf } from '../operations/prometheus.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { ledger, newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('a channel whose sends all reach one node', (source) => {
  let cluster: ServiceCluster;
  let chatapp: Channel;
  let pagechat: Channel;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, {
      env: { SEND_QUEUED_AFTER_MS: '3000', SEND_RESEND_AFTER_MS: '4000', SEND_GIVE_UP_AFTER_MS: '20000' },
    });
    const account = await newAccount(cluster.world.service);
    chatapp = await cluster.world.connect(account, 'chatapp');
    pagechat = await cluster.world.connect(account, 'pagechat');
    await cluster.settled([chatapp, pagechat]);
  }, clusterHookMs);
  afterAll(() => cluster.close());

  const send = (channel: Channel, over: ClusterNode, recipient = newPerson(channel.type)) =>
    over.call('POST', '/api/v1/messages/send', {
      key: channel.key,
      body: { channel_id: channel.id, recipient, text: 'by key' },
    });
  const countAt = async (node: ClusterNode, name: string): Promise<number> =>
    sumOf(samplesOf(await node.metrics()), name);

  test('is given to it, and later sends need no hop', async () => {
    const owner = await cluster.ownerOf(chatapp);
    const asked = cluster.nodes.find((node) => node !== owner)!;
    const people: string[] = [];
    const sendOne = async (): Promise<void> => {
      const recipient = newPerson('chatapp');
      people.push(recipient);
      expect((await send(chatapp, asked, recipient)).body).toMatchObject({ success: true, status: 'sent' });
    };
    await until('the channel to follow', async () => {
      await sendOne();
      return (await cluster.ownerOf(chatapp)) === asked;
    });
    expect(await countAt(owner, 'channels_followed_total')).toBe(1);
    const hops = await countAt(asked, 'sends_forwarded_total');
    for (let n = 0; n < 30; n += 1) await sendOne();
    expect(await countAt(asked, 'sends_forwarded_total')).toBe(hops);
    const copies = await Promise.all(people.map((recipient) => ledger(cluster.simulator, { recipient })));
    expect(copies.filter((sent) => sent.length !== 1)).toEqual([]);
  });

  test('and whose owner is killed while it gives it away: each send is accepted, none has a copy too many', async () => {
    const owner = await cluster.ownerOf(pagechat);
    const [asked, third] = await cluster.nonOwnersOf(pagechat);
    const hung = newPerson('pagechat');
    const match = { recipient: hung };
    await cluster.simulator.control('faults', { match, act: 'hang', times: 1, silent: true });
    const inFlight = send(pagechat, asked!, hung);
    expect(await ledger(cluster.simulator, { recipient: hung, wait_ms: 10_000 })).toHaveLength(1);
    const before = await countAt(owner, 'channels_followed_total');
    const people = Array.from({ length: 64 }, () => newPerson('pagechat'));
    const answers = await Promise.all(people.map((recipient) => send(pagechat, asked!, recipient)));
    await until(
      'the hand-over to begin',
      async () => (await countAt(owner, 'channels_followed_total')) > before,
    );
    const late = [newPerson('pagechat'), newPerson('pagechat')];
    const meanwhile = late.map((recipient, n) => send(pagechat, [asked!, third!][n]!, recipient));
    await owner.kill9();
    answers.push(...(await Promise.all([inFlight, ...meanwhile])));
    expect(answers.map(({ status, body }) => [status, body.success])).toEqual(answers.map(() => [200, true]));
    expect(new Set(answers.map(({ body }) => body.status))).toEqual(new Set(['sent', 'queued']));
    await until('all to be settled', async () => {
      const { body } = await cluster.live().admin('GET', `/channels/${pagechat.id}`);
      return body.sends_open === 0;
    });
    const copiesOf = async (recipient: string): Promise<number> =>
      (await ledger(cluster.simulator, { recipient })).length;
    expect(await Promise.all([...people, ...late].map(copiesOf))).toEqual([...people, ...late].map(() => 1));
    expect(await copiesOf(hung)).toBe(2);
  });
});
