/** [architecture §3a, §5; spec: Message send state, Send error codes] A send through a node that does not own the channel gives the same result as through its owner. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { confirmation, everySend, sendAny } from '../support/every-send.ts';
import { channelTypes, connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { until } from '../support/until.ts';
import type { ChannelType } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('every send through a non-owner', (source) => {
  let cluster: ServiceCluster;
  let channels: Channels;
  const strangers = new Map<ChannelType, ClusterNode>();
  beforeAll(async () => {
    const env = {
      SEND_QUEUED_AFTER_MS: '2000',
      SEND_RESEND_AFTER_MS: '5000',
      SEND_GIVE_UP_AFTER_MS: '30000',
    };
    cluster = await ServiceCluster.start(source, { nodes: 2, env });
    ({ channels } = await connectAll(cluster.world));
  }, clusterHookMs);
  afterAll(() => cluster.close());

  /** Sends each content to a new person, whose sends meet this fault. */
  async function each(fault: Record<string, unknown>) {
    for (const type of channelTypes) {
      const [stranger] = await cluster.nonOwnersOf(channels[type]);
      if (stranger !== undefined) strangers.set(type, stranger);
    }
    return Promise.all(
      everySend.map(async ([type, content]) => {
        const recipient = newPerson(type);
        await cluster.simulator.control('faults', { match: { recipient }, ...fault });
        const node = strangers.get(type) ?? cluster.live();
        const { body } = await sendAny(node, cluster.simulator, channels[type], content, recipient);
        return { type, recipient, body };
      }),
    );
  }

  test('a message of another person is not quoted, whichever node is asked', async () => {
    const { key, id } = channels.chatapp;
    const post = (node: ClusterNode, body: object) =>
      node.call('POST', '/api/v1/messages/send', { key, body: { channel_id: id, text: 'hello', ...body } });
    const { body: sent } = await post(cluster.live(), { recipient: newPerson('chatapp') });
    for (const node of cluster.nodes) {
      const reply = { recipient: newPerson('chatapp'), reply_to: sent.message_id };
      const reason = await until('a refusal that is final', async () => {
        const { body } = await post(node, reply);
        return body.detail.reason === 'not_sent' ? null : body.detail.reason;
      });
      expect(reason).toBe('other_person');
    }
  });

  test.each([
    ['accepted', { act: 'ok' }, ['sent', null], ['accepted']],
    ['refused for good', { act: 'refuse', code: 368 }, ['failed', 368], ['refused']],
    ['refused for now', { act: 'refuse', code: 2, status: 400 }, ['queued', null], ['refused', 'accepted']],
    ['slow', { act: 'ok', delay_ms: 3_000 }, ['queued', null], ['accepted']],
    ['answered by nothing', { act: 'lost' }, ['queued', null], ['accepted']],
    ['never told of', { act: 'lost', silent: true }, ['queued', null], ['accepted', 'accepted']],
  ])("upstream's answer: %s", async (_name, fault, told, calls) => {
    const sends = await each(fault);
    expect(sends.map(({ body }) => [body.status, body.error_code ?? null])).toEqual(sends.map(() => told));
    if (told[0] !== 'failed')
      for (const { type, body } of sends) await cluster.inbox.event(confirmation[type], body.message_id);
    for (const { recipient } of sends) {
      const made = await ledger(cluster.simulator, { recipient, outcome: 'all' });
      expect(made.map(({ outcome }) => outcome)).toEqual(calls);
    }
  });
});
