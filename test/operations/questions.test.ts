/** An operator's questions about a running cluster, answered by the commands of docs/operating/incidents.md, unchanged. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { root, asText } from '../docs/pages.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { faultFor, newPerson } from '../support/sends.ts';
import { adminToken } from '../support/service.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(clusterHookMs);
const run = promisify(execFile);
const page = asText('docs/operating/incidents.md');

/** The commands below a heading, in blocks and inline. */
function commandsOf(heading: string): string[] {
  const [, section = ''] = new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=^## )`, 'm').exec(page) ?? [];
  return [...section.matchAll(/npm run admin -- [a-z-]+(?: [A-Z_]+)?/g)].map(([command]) => command);
}

describeCluster('three nodes', (source) => {
  let cluster: ServiceCluster;
  let channel: Channel;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, { env: { WEBHOOK_RETRY_DELAYS_MS: '3600000' } });
    channel = await cluster.world.connected('chatapp');
  }, clusterHookMs);
  afterAll(() => cluster.close());

  /** Runs a command as on the machine of this node. */
  async function typed(command: string | undefined, node: ClusterNode, ids: Record<string, string> = {}) {
    expect(command).toMatch(/^npm run admin/);
    const line = Object.entries(ids).reduce((so, [name, id]) => so.replace(name, id), command ?? '');
    const { PORT = '' } = node.env;
    const env = { PATH: process.env['PATH'] ?? '', PORT, ADMIN_TOKEN: adminToken };
    const { stdout } = await run('bash', ['-c', `${line.replace('npm run', 'npm run --silent')} --json`], {
      cwd: root,
      env,
    });
    return JSON.parse(stdout);
  }

  test('which node owns this channel: each node says the same, also after the owner was killed', async () => {
    const [channelCommand, nodesCommand] = commandsOf('Which node owns this channel');
    const ids = { CHANNEL_ID: channel.id };
    await cluster.world.send(channel, 'hello', newPerson('chatapp'));
    const owner = await cluster.ownerOf(channel);
    const said = await Promise.all(cluster.nodes.map((node) => typed(channelCommand, node, ids)));
    expect(said.map(({ node_id: nodeId }) => nodeId)).toEqual([owner.id, owner.id, owner.id]);
    const { nodes } = await typed(nodesCommand, cluster.live());
    expect(nodes.map((node: { node_id: string }) => node.node_id).toSorted()).toEqual([
      'node-1',
      'node-2',
      'node-3',
    ]);
    expect(nodes).toContainEqual(expect.objectContaining({ node_id: owner.id, channels_owned: 1 }));

    await owner.kill9();
    const [survivor] = cluster.nodes.filter(({ isRunning }) => isRunning);
    if (survivor === undefined) throw new Error('none is left');
    const after = await until('another owner', async () => {
      const answer = await typed(channelCommand, survivor, ids);
      return typeof answer.node_id === 'string' && answer.node_id !== owner.id && answer;
    });
    expect(after.epoch).toBeGreaterThan(said[0].epoch);
    await cluster.heal();
  });

  test("why is this message queued: its calls, upstream's answers, and the length of its queue", async () => {
    const [messageCommand, channelCommand] = commandsOf('Why is this message queued');
    const recipient = newPerson('chatapp');
    await faultFor(cluster.simulator, recipient, { act: 'refuse', code: 131056, times: 0 });
    const { body } = await cluster.world.send(channel, 'hello', recipient);
    expect(body).toMatchObject({ success: true, status: 'queued' });
    const other = (await cluster.nonOwnersOf(channel))[0] ?? cluster.live();
    // It is retried meanwhile: between two attempts it has the time of the next.
    const message = await until('a pause between two tries', async () => {
      const answer = await typed(messageCommand, other, { MESSAGE_ID: String(body.message_id) });
      return answer.state === 'queued' && answer.next_try_at !== null && answer;
    });
    expect(message.channel_id).toBe(channel.id);
    expect(message.calls[0]).toMatchObject({ outcome: 'deferred', error_code: 131056 });
    const depths = await typed(channelCommand, other, { CHANNEL_ID: channel.id });
    expect(depths.sends_open).toBe(1);
    expect(await (await cluster.ownerOf(channel)).metrics()).toMatch(/^trunkline_channels_paused/m);
  });

  test('which endpoint fails, and since when', async () => {
    const [failingCommand] = commandsOf('Which endpoint fails and since when');
    const startedAt = Date.now();
    cluster.inbox.answerAlways(503);
    await cluster.world.send(channel, 'hello', newPerson('chatapp'));
    const owner = await cluster.ownerOf(channel);
    const [found] = await until('the endpoint to fail', async () => {
      const { channels } = await typed(failingCommand, owner);
      return channels.length > 0 && channels;
    });
    expect(found).toMatchObject({
      channel_id: channel.id,
      endpoint: new URL(cluster.inbox.url).host,
      last_failure: '503',
    });
    expect(Date.parse(found.failing_since)).toBeGreaterThanOrEqual(startedAt);
    cluster.inbox.answerAlways(200);
  });
});
