/** [faults: I3, I12, 77, 78, 80, 111, 201] Concurrent requests to several nodes: every limit holds, and no answer is a 500. */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { invited, newVisitor, Visitor } from '../pages/visitor.ts';
import type { Answer } from '../support/api.ts';
import { call } from '../support/api.ts';
import { clusterHookMs, describeCluster, ServiceCluster } from '../support/cluster.ts';
import type { ClusterNode } from '../support/cluster-node.ts';
import { phonePost, phoneText, postAsUpstream, quiet } from '../support/events.ts';
import { isSigned } from '../support/inbox.ts';
import { ledger, newPerson } from '../support/sends.ts';
import {
  allowRedirect,
  codeIn,
  connectOwnAsset,
  exchange,
  home,
  newBusiness,
  setupUrl,
} from '../support/setup.ts';
import { until } from '../support/until.ts';
import { follow, newAccount } from '../support/world.ts';

jest.setTimeout(120_000);

describeCluster('concurrent requests to three nodes', (source) => {
  let cluster: ServiceCluster;
  beforeAll(async () => {
    cluster = await ServiceCluster.start(source, { env: { SEND_QUEUED_AFTER_MS: '3000' } });
  }, clusterHookMs);
  afterEach(() => expect(cluster.nodes.flatMap((node) => node.takeErrors())).toEqual([]));
  afterAll(() => cluster.close());

  const nodeAt = (n: number): ClusterNode => {
    const node = cluster.nodes[n % cluster.nodes.length];
    if (node === undefined) throw new Error('no nodes');
    return node;
  };
  /** Makes the same request this many times at once, in turn on each node. */
  const atOnce = <T>(times: number, ask: (node: ClusterNode, n: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: times }, (_, n) => ask(nodeAt(n), n)));
  const counted = (answers: readonly Answer[]): Record<number, number> => {
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };
  const send = (node: ClusterNode, key: string, body: object, headers = {}): Promise<Answer> =>
    node.call('POST', '/api/v1/messages/send', { key, body, headers });

  test('an account gets its maximum of keys, and a key its maximum of redirect patterns', async () => {
    const { accountId, key } = await newAccount(cluster.world.service);
    const newKey = (node: ClusterNode): Promise<Answer> => node.admin('POST', `/accounts/${accountId}/keys`);
    const made = counted(await atOnce(60, newKey))[201] ?? 0;
    expect(made).toBeLessThanOrEqual(49);
    // On a slow machine a call gives up its place before all that will be refused have left: the next calls get it.
    for (let n = made; n < 49; n += 1) expect((await newKey(nodeAt(n))).status).toBe(201);
    expect((await newKey(nodeAt(0))).status).toBe(400);
    const redirects = await atOnce(60, (node, n) =>
      node.call('POST', '/api/v1/redirects', { key, body: { uri_pattern: `https://app.example.com/${n}` } }),
    );
    expect(counted(redirects)).toEqual({ 201: 50, 400: 10 });
  });

  test('each licence gets as many channels as it has slots, whoever binds and exchanges concurrently', async () => {
    const { accountId, key } = await newAccount(cluster.world.service);
    const licence = { tier: 'pro', source: 'enterprise' };
    for (let n = 0; n < 2; n += 1)
      await cluster.live().admin('POST', `/accounts/${accountId}/subscriptions`, licence);
    await allowRedirect(cluster.world.service, key);
    const callbacks: string[] = [];
    for (let n = 0; n < 9; n += 1) {
      const { pages } = await newBusiness(cluster.simulator);
      const { body } = await setupUrl(cluster.world.service, key, 'pagechat');
      await cluster.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
      const dialog = (await call('GET', body.setup_url)).headers.get('location') ?? '';
      const callback = (await call('GET', dialog)).headers.get('location') ?? '';
      callbacks.push(callback.replace(cluster.balancer.url, nodeAt(n).url));
    }
    const ends = await Promise.all(callbacks.map((callback) => follow(callback, home)));
    const codes = ends.filter((end) => end.searchParams.has('code')).map(codeIn);
    expect(codes).toHaveLength(3);
    const exchanged = await Promise.all(
      codes.flatMap((code) => cluster.nodes.map((node) => exchange(node, key, code))),
    );
    expect(counted(exchanged)).toEqual({ 200: 3, 400: 6 });
    const { subscriptions, available_slots: slots } = (
      await cluster.live().call('GET', '/api/v1/subscriptions', { key })
    ).body;
    expect(slots.pagechat.total).toBe(0);
    const ids = exchanged.flatMap(({ status, body }) => (status === 200 ? [body.channel_id] : []));
    const bind = (node: ClusterNode, id: string, licenceId: string | null): Promise<Answer> =>
      node.admin('PATCH', `/channels/${id}`, { subscription_id: licenceId });
    for (const id of ids) expect((await bind(cluster.live(), id, null)).status).toBe(200);
    const bound = await Promise.all(
      ids.flatMap((id) => cluster.nodes.map((node) => bind(node, id, subscriptions[0].id))),
    );
    expect(counted(bound)).toEqual({ 200: 3, 409: 6 });
    const after = (await cluster.live().call('GET', '/api/v1/subscriptions', { key })).body;
    expect(after.available_slots.pagechat.total).toBe(2);
  });

  test('an asset that two accounts connect on all nodes belongs to one of them', async () => {
    const { pages } = await newBusiness(cluster.simulator);
    const accounts = [await newAccount(cluster.world.service), await newAccount(cluster.world.service)];
    const callbacks: { key: string; callback: string }[] = [];
    for (let n = 0; n < 6; n += 1) {
      const { key } = accounts[n % 2] ?? { key: '' };
      await allowRedirect(cluster.world.service, key);
      const { body } = await setupUrl(cluster.world.service, key, 'pagechat');
      await cluster.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
      const dialog = (await call('GET', body.setup_url)).headers.get('location') ?? '';
      const callback = (await call('GET', dialog)).headers.get('location') ?? '';
      callbacks.push({ key, callback: callback.replace(cluster.balancer.url, nodeAt(n).url) });
    }
    const ends = await Promise.all(
      callbacks.map(async ({ key, callback }) => ({ key, end: await follow(callback, home) })),
    );
    const answers = await Promise.all(
      ends.flatMap(({ key, end }) => {
        const code = end.searchParams.get('code');
        return code === null ? [] : cluster.nodes.map((node) => exchange(node, key, code));
      }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
    const lists = await Promise.all(
      accounts.map(({ key }) => cluster.live().call('GET', '/api/v1/channels', { key })),
    );
    expect(lists.flatMap(({ body }) => body.channels)).toHaveLength(1);
  });

  test('a setup callback that reaches every node several times hands out one code', async () => {
    const { key } = await newAccount(cluster.world.service);
    const { pages } = await newBusiness(cluster.simulator);
    await allowRedirect(cluster.world.service, key);
    const { body } = await setupUrl(cluster.world.service, key, 'pagechat');
    await cluster.simulator.control('dialog', { auto: 'allow', assets: [pages[0]?.id], times: 1 });
    const dialog = (await call('GET', body.setup_url)).headers.get('location') ?? '';
    const callback = new URL((await call('GET', dialog)).headers.get('location') ?? '');
    const answers = await atOnce(9, (node) => node.call('GET', `${callback.pathname}${callback.search}`));
    const ends = answers.map(({ headers }) => new URL(headers.get('location') ?? home));
    const codes = ends.filter((end) => end.searchParams.has('code')).map(codeIn);
    expect(codes).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect((await exchange(cluster.live(), key, codes[0] ?? '')).status).toBe(200);
  });

  test('of concurrent settings that generate the first secret, each answer that has a secret has the one that signs', async () => {
    const { account, channel } = await connectOwnAsset(cluster.world, 'pagechat');
    const { key } = account;
    const path = `/api/v1/channels/${channel.id}`;
    await cluster.live().call('PATCH', path, { key, body: { webhook_url: null, webhook_secret: null } });
    const answers = await atOnce(9, (node) =>
      node.call('PATCH', path, { key, body: { webhook_url: cluster.inbox.url } }),
    );
    expect(counted(answers)).toEqual({ 200: 9 });
    const told = answers.flatMap(({ body }) => body.webhook_secret ?? []);
    expect(told.length).toBeGreaterThan(0);
    expect(new Set(told).size).toBe(1);
    const signed = cluster.inbox.next(1, ({ event }) => event.channel_id === channel.id);
    await cluster.world.write(channel, { text: 'hello' }, newPerson('pagechat'));
    const [arrival] = await signed;
    expect(arrival && isSigned(arrival, told[0])).toBe(true);
  });

  test("of owners who remove each other, one remains, and gets the account's mails", async () => {
    const owner = await newVisitor(cluster.world);
    const second = await invited(cluster.world, owner, 'owner');
    const third = await invited(cluster.world, second, 'owner');
    const all = [owner, second, third];
    const there = all.map((each, n) => {
      const visitor = new Visitor({ service: nodeAt(n) });
      for (const [name, value] of each.cookies) visitor.cookies.set(name, value);
      return visitor;
    });
    const statuses = await Promise.all(there.map((each) => each.post('/portal/people/leave')));
    expect(statuses.every(({ status }) => status === 302 || status === 409)).toBe(true);
    const left: Visitor[] = [];
    for (const each of there) if ((await each.ask('/portal/people')).status === 200) left.push(each);
    expect(left.length).toBeGreaterThan(0);
    const stays = all.filter((_, n) => left.includes(there[n] ?? owner)).map(({ email }) => email);
    const accounts = await Promise.all(
      all.map(({ email }) => cluster.live().admin('GET', `/accounts?email=${email}`)),
    );
    const owning = all.filter((_, n) => accounts[n]?.body.accounts.length === 1).map(({ email }) => email);
    expect(stays).toEqual(expect.arrayContaining(owning));
  });

  test('an Idempotency-Key makes one message, whichever nodes get it and although the owner is killed meanwhile', async () => {
    const { account, channel } = await connectOwnAsset(cluster.world, 'chatapp');
    const owner = await cluster.ownerOf(channel);
    const people = Array.from({ length: 8 }, () => newPerson('chatapp'));
    const sendOnce = (node: ClusterNode, recipient: string): Promise<Answer> =>
      send(
        node,
        account.key,
        { channel_id: channel.id, recipient, text: 'once' },
        { 'idempotency-key': `race-${recipient}` },
      );
    const asked = people.flatMap((recipient) =>
      Array.from({ length: 6 }, (_, n) =>
        sendOnce(nodeAt(n), recipient).then(
          (answer) => ({ recipient, answer }),
          () => null, // the node was killed before it answered
        ),
      ),
    );
    await Promise.race(asked);
    await owner.kill9();
    const answered = (await Promise.all(asked)).flatMap((each) => each ?? []);
    await owner.start();
    await cluster.linked();
    expect(answered.filter(({ answer }) => ![200, 503].includes(answer.status))).toEqual([]);
    const ends = people.map(async (recipient) => {
      const { status, body } = await sendOnce(cluster.live(), recipient);
      const ids = answered.flatMap(({ recipient: whose, answer }) =>
        whose === recipient && answer.status === 200 ? [answer.body.message_id] : [],
      );
      const copies = await ledger(cluster.simulator, { recipient });
      return [status, new Set([...ids, body.message_id]).size, copies.length <= 2];
    });
    expect(await Promise.all(ends)).toEqual(people.map(() => [200, 1, true]));
  });

  test('a webhook of upstream that reaches every node several times, while the owner is killed, is one event', async () => {
    const { channel } = await connectOwnAsset(cluster.world, 'chatapp');
    const from = newPerson('chatapp');
    const post = phonePost(channel.upstream, {
      contacts: [{ wa_id: from, profile: { name: 'Mia' } }],
      messages: [phoneText(`wamid.${from}`, 'hello', from)],
    });
    const owner = await cluster.ownerOf(channel);
    const posted = Array.from({ length: 9 }, () => postAsUpstream(cluster.world, post).catch(() => 0));
    await Promise.race(posted);
    await owner.kill9();
    const answers = await Promise.all(posted);
    expect(answers.filter((status) => ![0, 200, 502, 503].includes(status))).toEqual([]);
    await owner.start();
    await cluster.linked();
    expect(await until('200', async () => (await postAsUpstream(cluster.world, post)) === 200)).toBe(true);
    const arrivals = await cluster.inbox.next(1, ({ event }) => event.data['from'] === from);
    await quiet(cluster.world, channel);
    const all = cluster.inbox.arrivals.filter(({ event }) => event.data['from'] === from);
    expect(new Set(all.map(({ raw }) => String(raw)))).toEqual(new Set([String(arrivals[0]?.raw)]));
    expect(all.length).toBeLessThanOrEqual(2); // a takeover may post once more
  });

  test('a channel that is deleted and an account that is suspended during sends and events', async () => {
    const { account, channel, asset } = await connectOwnAsset(cluster.world, 'pagechat');
    const { key, accountId } = account;
    const person = newPerson('pagechat');
    const sent = (): Promise<Answer[]> =>
      atOnce(12, (node) => send(node, key, { channel_id: channel.id, recipient: person, text: 'hi' }));
    const accepted: string[] = [];
    const note = (answers: readonly Answer[]): void => {
      for (const { status, body } of answers) if (status === 200) accepted.push(body.message_id);
    };
    for (let round = 0; round < 2; round += 1) {
      const [first, , , second] = await Promise.all([
        sent(),
        cluster.world.write(channel, { text: 'hello' }, person),
        atOnce(3, (node) => node.call('DELETE', `/api/v1/channels/${channel.id}`, { key })),
        sent(),
      ]);
      note([...first, ...second]);
      for (const { status } of [...first, ...second]) expect([200, 400, 503]).toContain(status);
      const back = await cluster.world.connect({ key }, 'pagechat', { upstream: asset });
      expect(back.id).toBe(channel.id);
      const suspend = (suspended: boolean): Promise<Answer> =>
        nodeAt(round).admin('PATCH', `/accounts/${accountId}`, { suspended });
      const [third, suspended] = await Promise.all([sent(), suspend(true)]);
      expect(suspended.status).toBe(200);
      note(third);
      for (const { status } of third) expect([200, 402, 503]).toContain(status);
      await until('402 on every node', async () => {
        const answers = await sent();
        note(answers);
        return answers.every(({ status }) => status === 402);
      });
      expect((await suspend(false)).status).toBe(200);
      await until('200 on every node', async () => {
        const answers = await sent();
        note(answers);
        return answers.every(({ status }) => status === 200);
      });
    }
    const known = await ledger(cluster.simulator, {
      recipient: person,
      at_least: accepted.length,
      wait_ms: 20_000,
    });
    const tags = known.map(({ tag }) => tag);
    expect(accepted.filter((id) => !tags.includes(id))).toEqual([]);
  });
});
