/** [architecture §4, Drain; operator-interface §3, Admin API] A node is drained by the request of another while clients send. */
import http from 'node:http';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import { faultFor, ledger, newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Channel } from '../support/world.ts';
import { Storm } from './support/storm.ts';

jest.setTimeout(120_000);

const resendAfterMs = 4_000;

describeCluster('drain of a chosen node', (source) => {
  let cluster: ServiceCluster;
  let channels: Channel[];
  beforeAll(async () => {
    const env = { SEND_QUEUED_AFTER_MS: '60000', SEND_RESEND_AFTER_MS: String(resendAfterMs) };
    cluster = await ServiceCluster.start(source, { env });
    // Long enough that no slow answer counts as a failed send.
    await cluster.simulator.control('settings', { webhook_timeout_ms: 60_000 });
    const account = await newAccount(cluster.world.service);
    const { world } = cluster;
    channels = [await world.connect(account, 'chatapp'), await world.connect(account, 'pagechat')];
  }, clusterHookMs);
  afterAll(() => cluster.close());

  test('under load, requested by another node: no send fails, nothing is lost; the node owns nothing until it is restarted', async () => {
    const [chosen, asked] = [
      await cluster.ownerOf(channels[0]!),
      (await cluster.nonOwnersOf(channels[0]!))[0]!,
    ];
    const storm = new Storm(cluster, channels);
    try {
      await storm.flows(10);
      const drained = await asked.admin('POST', `/drain?node_id=${chosen.id}`);
      expect([drained.status, drained.body]).toEqual([200, { success: true }]);
      expect((await chosen.call('GET', '/readyz')).status).toBe(503);
      await storm.flows(20);
      const owners = await Promise.all(channels.map((channel) => cluster.ownerOf(channel, asked)));
      expect(owners).not.toContain(chosen);
    } finally {
      await storm.stop();
    }
    expect(storm.ended.filter(({ code }) => code !== 200)).toEqual([]);
    await storm.settled();
    expect(await storm.findings(resendAfterMs)).toEqual([]);
    const { body } = await asked.admin('GET', '/nodes');
    const told = body.nodes.find(({ node_id: id }: { node_id: string }) => id === chosen.id);
    expect([told.draining, told.channels_owned, told.lease]).toEqual([true, 0, 'held']);
    expect((await asked.admin('POST', '/drain?node_id=node-9')).status).toBe(404);
    expect(await chosen.terminate()).toBe(0);
    await chosen.start();
    await cluster.linked();
    const { body: again } = await asked.admin('GET', '/nodes');
    expect(again.nodes.map(({ draining }: { draining: boolean }) => draining)).toEqual([false, false, false]);
  });

  test('[faults: 441] a node that stops ends a kept connection with an answer that says so', async () => {
    const node = cluster.nodes[0]!;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const ask = (): Promise<[number | undefined, string | undefined]> =>
      new Promise((resolve, reject) => {
        const asked = http.get(`${node.url}/healthz`, { agent }, ({ statusCode, headers }) =>
          resolve([statusCode, headers.connection]),
        );
        asked.on('response', (answer) => answer.resume()).on('error', reject);
      });
    expect(await ask()).toEqual([200, 'keep-alive']);
    const ended = node.terminate();
    let answer = await ask();
    // oxlint-disable-next-line no-await-in-loop -- one after the other, so that the connection is never idle for long
    while (answer[1] === 'keep-alive') answer = await ask();
    expect(answer).toEqual([200, 'close']);
    expect(await ended).toBe(0);
    await node.start();
    await cluster.linked();
  });

  test('[faults: 30] a send that was forwarded to its owner is answered `queued` if the forwarding node stops', async () => {
    const channel = channels[1]!;
    const recipient = newPerson('pagechat');
    const asked = (await cluster.nonOwnersOf(channel))[0]!;
    asked.env['DRAIN_TIMEOUT_MS'] = '300';
    await asked.terminate();
    await asked.start();
    await cluster.linked();
    expect(await cluster.ownerOf(channel)).not.toBe(asked);
    await faultFor(cluster.simulator, recipient, { act: 'hang', silent: true, times: 0 });
    const headers = { 'x-api-key': channel.key };
    const body = { channel_id: channel.id, recipient, text: 'on its way' };
    const sending = asked.call('POST', '/api/v1/messages/send', { headers, body });
    await until('the call to hang', async () => (await ledger(cluster.simulator, { recipient })).length > 0);
    expect(await asked.terminate()).toBe(0);
    const answer = await sending;
    expect([answer.status, answer.body.status]).toEqual([200, 'queued']);
    expect(asked.logged('send.not-settled')).toEqual([]);
  });
});
