/** [architecture §4, Routing; faults: 77, 80, I12] Three nodes are one service: every node gives the same answer. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import type { Socket } from 'socket.io-client';
import type { Answer } from '../support/api.ts';
import { call } from '../support/api.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { channelTypes, connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { allowRedirect, codeIn, exchange, freshCode, newBusiness, setupUrl } from '../support/setup.ts';
import { until } from '../support/until.ts';
import { follow, newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';
import { next, subscribe } from '../features/live/support.ts';

jest.setTimeout(60_000);

describeCluster('three nodes are one service', (source) => {
  let cluster: ServiceCluster;
  let account: Account;
  let channels: Channels;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source);
    ({ account, channels } = await connectAll(cluster.world));
  }, clusterHookMs);
  afterEach(() => sockets.splice(0).forEach((socket) => socket.disconnect()));
  afterAll(() => cluster.close());

  const send = (node: ClusterNode, channel: Channel, recipient: string, text = 'hi'): Promise<Answer> =>
    node.call('POST', '/api/v1/messages/send', {
      key: channel.key,
      body: { channel_id: channel.id, recipient, text },
    });

  /** Makes the same call on every node at once; returns the answers. */
  const onAll = (ask: (node: ClusterNode) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(cluster.nodes.map(ask));

  test.each(channelTypes)('a send over any node is answered like one over the owner: %s', async (type) => {
    const channel = channels[type];
    const people = cluster.nodes.map(() => newPerson(type));
    const answers = await Promise.all(
      cluster.nodes.map((node, index) => send(node, channel, people[index] ?? '')),
    );
    expect(answers.map(({ status, body }) => [status, body.status, body.error])).toEqual(
      cluster.nodes.map(() => [200, 'sent', null]),
    );
    for (const recipient of people) expect(await ledger(cluster.simulator, { recipient })).toHaveLength(1);
  });

  test.each([
    ['a refusal of upstream', { act: 'refuse', code: 131026 }, [200, 'failed', 131026]],
    ['an answer of upstream that says nothing', { act: 'html', status: 200 }, [200, 'queued', undefined]],
  ])('%s gives the same answer on every node', async (_name, fault, expected) => {
    const answers = await onAll(async (node) => {
      const recipient = newPerson('chatapp');
      await cluster.simulator.control('faults', { match: { recipient }, ...fault });
      return send(node, channels.chatapp, recipient);
    });
    const told = answers.map(({ status, body }) => [status, body.status, body.error_code ?? undefined]);
    expect(new Set(told.map((one) => JSON.stringify(one)))).toEqual(new Set([JSON.stringify(expected)]));
  });

  test('reads, refusals and 404 are the same bytes on every node', async () => {
    const { key } = account;
    const asked: [string, string, unknown?][] = [
      ['GET', '/api/v1/channels'],
      ['GET', `/api/v1/channels/${channels.chatapp.id}`],
      ['GET', `/api/v1/channels/${account.accountId}`],
      ['GET', '/api/v1/subscriptions'],
      ['GET', '/api/v1/redirects'],
      ['POST', '/api/v1/messages/send', { channel_id: channels.chatapp.id, recipient: 'letters', text: 'x' }],
      ['POST', '/api/v1/messages/send', { channel_id: channels.chatapp.id }],
      ['POST', '/api/v1/messages/send', { channel_id: account.accountId, recipient: '49170', text: 'x' }],
    ];
    for (const [method, path, body] of asked) {
      const answers = await onAll((node) => node.call(method, path, { key, body }));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    }
  });

  test('a change through one node is visible on every node at once: settings of a channel and its webhooks', async () => {
    const [first, ...others] = cluster.nodes;
    const { id, key } = channels.pagechat;
    const path = `/api/v1/channels/${id}`;
    await onAll((node) => node.call('GET', path, { key })); // every node has it cached
    const changed = await first?.call('PATCH', path, { key, body: { webhook_events: ['message.read'] } });
    expect(changed?.status).toBe(200);
    for (const node of others) {
      const { body } = await node.call('GET', path, { key });
      expect(body.webhook_events).toEqual(['message.read']);
    }
    await first?.call('PATCH', path, { key, body: { webhook_events: ['message.received'] } });
  });

  test('an upstream event that reaches any node is delivered once', async () => {
    for (const node of cluster.nodes) {
      const from = newPerson('chatapp');
      await cluster.simulator.control('settings', { callback_url: `${node.url}/upstream/webhooks` });
      await cluster.world.write(channels.chatapp, { text: 'hello' }, from);
      const told = await cluster.inbox.next(1, ({ event }) => event.data['from'] === from);
      expect(told.map(({ event }) => event.event)).toEqual(['message.received']);
    }
    await cluster.simulator.control('settings', {
      callback_url: `${cluster.balancer.url}/upstream/webhooks`,
    });
  });

  test('an exchange code raced over three nodes: one 200', async () => {
    const { key, code } = await freshCode(cluster.world);
    const racing = cluster.nodes.flatMap((node) =>
      Array.from({ length: 10 }, () => exchange(node, key, code)),
    );
    const statuses = (await Promise.all(racing)).map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, ...Array.from({ length: 29 }, () => 400)]);
    const lists = await onAll((node) => node.call('GET', '/api/v1/channels', { key }));
    expect(lists.map(({ body }) => body.channels.length)).toEqual([1, 1, 1]);
  });

  test('the last free licence slot raced over three nodes: one winner', async () => {
    const { key } = await newAccount(cluster.world.service);
    await allowRedirect(cluster.world.service, key);
    const home = 'https://app.example.com/done';
    const callbacks: string[] = [];
    for (const node of [...cluster.nodes, ...cluster.nodes]) {
      const { pages } = await newBusiness(cluster.simulator);
      const { body } = await setupUrl(cluster.world.service, key, 'pagechat');
      await cluster.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
      const dialog = (await call('GET', body.setup_url)).headers.get('location') ?? '';
      const callback = (await call('GET', dialog)).headers.get('location') ?? '';
      callbacks.push(callback.replace(cluster.balancer.url, node.url));
    }
    const ends = await Promise.all(callbacks.map((callback) => follow(callback, home)));
    const codes = ends.filter((end) => end.searchParams.has('code'));
    expect(codes).toHaveLength(1);
    const refused = ends.filter((end) => end.searchParams.get('error') === 'no_free_slot');
    expect(refused).toHaveLength(5);
    const [winner] = codes;
    if (winner === undefined) throw new Error('no winner');
    expect((await exchange(cluster.world.service, key, codeIn(winner))).status).toBe(200);
  });

  test('a revoked key is refused on every node within 5 s', async () => {
    const { apiKeyId, key } = await newAccount(cluster.world.service);
    const known = await onAll((node) => node.call('GET', '/api/v1/channels', { key }));
    expect(known.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await cluster.live().admin('DELETE', `/keys/${apiKeyId}`)).status).toBe(200);
    await until(
      'every node to refuse the key',
      async () =>
        (await onAll((node) => node.call('GET', '/api/v1/channels', { key }))).every(isUnauthorized),
      5_000,
    );
  });

  test('a subscriber of the live feed on one node gets events of a channel that another owns', async () => {
    const owner = await cluster.ownerOf(channels.chatapp);
    const other = cluster.nodes.find((node) => node !== owner);
    if (other === undefined) throw new Error('one node only');
    const socket = subscribe(other.url, account.key);
    sockets.push(socket);
    await next(socket, 'connect');
    const heard: string[] = [];
    socket.on('event', ({ data }: { data: { from?: string } }) => heard.push(data.from ?? ''));
    await until('an event of the other node', async () => {
      const from = newPerson('chatapp');
      await cluster.world.write(channels.chatapp, { text: 'live' }, from);
      await cluster.inbox.next(1, ({ event }) => event.data['from'] === from);
      return heard.length > 0;
    });
  });

  test('a subscriber that was disconnected gets on another node what was delivered meanwhile', async () => {
    const [one, other] = cluster.nodes;
    const first = subscribe(one?.url ?? '', account.key);
    const [caughtUp] = await next(first, 'caught_up');
    first.disconnect();
    const from = newPerson('chatapp');
    await cluster.world.write(channels.chatapp, { text: 'while away' }, from);
    const [arrival] = await cluster.inbox.next(1, ({ event }) => event.data['from'] === from);
    const back = subscribe(other?.url ?? '', undefined, {
      auth: { apiKey: account.key, since: Object(caughtUp).at },
    });
    sockets.push(back);
    const heard: unknown[] = [];
    back.on('event', ({ data }) => heard.push(data.message_id));
    back.on('logged', ({ message_id: id }) => heard.push(id));
    await next(back, 'caught_up');
    expect(heard).toContain(arrival?.event.data['message_id']);
  });

  test('a webhook to an internal listener gets no answer, because it has no cluster secret [faults: 90]', async () => {
    const address = `127.0.0.1:${cluster.live().env['INTERNAL_PORT']}`;
    for (const url of [`http://${address}/`, `https://${address}/metrics`])
      await expect(fetch(url, { headers: { 'x-trunkline-hop': '1' } })).rejects.toThrow('fetch failed');
  });

  test('/metrics of a cluster without ADMIN_PORT is for the bearer of ADMIN_TOKEN', async () => {
    const node = cluster.live();
    expect(await node.metrics()).toContain('trunkline_channels_owned');
    const refused: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong-wrong-wrong-wrong' },
      { 'x-api-key': account.key },
    ];
    for (const headers of refused) expect((await node.call('GET', '/metrics', { headers })).status).toBe(401);
  });

  test('GET /admin/v1/nodes and /admin/v1/channels/{id} are the same and correct on every node', async () => {
    const views = await onAll((node) => node.admin('GET', `/channels/${channels.chatapp.id}`));
    expect(new Set(views.map(({ body }) => `${body.node_id} ${body.epoch}`)).size).toBe(1);
    const owned = await Promise.all(
      cluster.nodes.map(async (node): Promise<[string, number]> => {
        const [, count] = /^trunkline_channels_owned(?:\{\})? (\d+)$/m.exec(await node.metrics()) ?? [];
        return [node.id, Number(count)];
      }),
    );
    const lists = await onAll((node) => node.admin('GET', '/nodes'));
    for (const { body } of lists) {
      const told = body.nodes.map((node: { node_id: string; channels_owned: number; draining: boolean }) => [
        node.node_id,
        node.channels_owned,
      ]);
      expect(new Map(told)).toEqual(new Map(owned));
    }
  });

  test('POST /admin/v1/drain: the node hands its channels over, then is not ready, and still answers', async () => {
    const owner = await cluster.ownerOf(channels.chatapp);
    const before = (await owner.admin('GET', `/channels/${channels.chatapp.id}`)).body;
    expect((await owner.admin('POST', '/drain')).status).toBe(200);
    expect((await owner.call('GET', '/readyz')).status).toBe(503);
    const { body } = await owner.admin('GET', `/channels/${channels.chatapp.id}`);
    expect(body.node_id).not.toBe(owner.id);
    expect(body.epoch).toBeGreaterThan(before.epoch);
    expect((await send(owner, channels.chatapp, newPerson('chatapp'))).body.status).toBe('sent');
    const { body: list } = await cluster.live().admin('GET', '/nodes');
    const told = list.nodes.find(({ node_id: id }: { node_id: string }) => id === owner.id);
    expect([told.draining, told.channels_owned]).toEqual([true, 0]);
    await owner.kill9();
    await owner.start(); // back in service
  });
});

function isUnauthorized({ status }: Answer): boolean {
  return status === 401;
}
