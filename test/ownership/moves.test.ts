import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { chooseNode } from '../../src/ownership/placement.ts';
import { describeWithRedis } from '../support/redis-server.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { until } from '../support/until.ts';
import { freshNodes } from './support/fresh-nodes.ts';
import { channelIds, inspect, send } from './support/nodes.ts';
import type { Nodes, TestNode } from './support/nodes.ts';

describeWithRedis('channels move', () => {
  let redis: RedisServer;
  let nodes: Nodes;
  let goesOn: boolean;

  beforeEach(() => {
    goesOn = true;
  });
  afterEach(() => {
    goesOn = false; // also if the test failed: the cluster is closed after it
  });
  freshNodes((made, its) => {
    nodes = made;
    redis = its;
  });

  /** Sends asks continuously, to each node in turn; returns the outcomes at the end. */
  function asking(from: readonly TestNode[], channels: readonly string[]) {
    const failed: unknown[] = [];
    let asked = 0;
    const askers = Array.from({ length: 20 }, async (_, asker) => {
      for (let index = asker; goesOn; index += 1) {
        const node = from[(index + asker) % from.length]!;
        asked += 1;
        await send(node, channels[(index * 7) % channels.length]!, `${asker}-${index}`).catch(
          (error: unknown) => failed.push(error),
        );
      }
    });
    return {
      /** Resolves once this many further asks have been sent. */
      more(count: number): Promise<unknown> {
        const enough = asked + count;
        return until('asks', () => asked >= enough);
      },
      async stop(): Promise<unknown[]> {
        goesOn = false;
        await Promise.all(askers);
        return failed;
      },
    };
  }

  const placed = (channels: readonly string[], node: TestNode, among: readonly TestNode[]): string[] =>
    channels.filter((id) => chooseNode(id, among)?.nodeId === node.nodeId);
  const isLiveOn = (node: TestNode, id: string): boolean => node.cluster.host.live(id) !== undefined;

  test('to a new node: its share and nothing else, without a request and without a failed ask', async () => {
    // The moves of placement alone are counted: a channel would follow sends that happen to come through one node sixteen times.
    const placedAlone = { channelsFollowSends: false };
    const before = await nodes.startAll(2, placedAlone);
    const channels = channelIds(300);
    await Promise.all(channels.map((id) => send(before[0], id, `first-${id}`)));
    const load = asking(before, channels);
    await load.more(100);
    const newcomer = await nodes.start({ nodeId: 'newcomer', ...placedAlone });
    const all = [...before, newcomer];
    const share = placed(channels, newcomer, all);
    await until('its share to be there', () => share.every((id) => isLiveOn(newcomer, id)));
    await load.more(100);
    expect(await load.stop()).toEqual([]);
    expect(share.length).toBeGreaterThan(60);
    expect(newcomer.cluster.host.keys().toSorted()).toEqual(share.toSorted());
    const moved = channels.filter((id) => nodes.ledger.epochOf(id) > 1);
    expect(moved.toSorted()).toEqual(share.toSorted());
    expect(channels.filter((id) => nodes.liveOn(id).length !== 1)).toEqual([]);
  }, 90_000);

  test('from a node that drains: asks on every node are answered throughout, and the others have the channels at once', async () => {
    const all = await nodes.startAll(3);
    const [one, two, leaver] = all;
    const channels = channelIds(300);
    await Promise.all(channels.map((id) => send(one, id, `first-${id}`)));
    const had = leaver.cluster.host.keys();
    const load = asking(all, channels);
    await load.more(100);
    await leaver.cluster.drain();
    await until('the others to have them', () => had.every((id) => isLiveOn(one, id) || isLiveOn(two, id)));
    await load.more(100);
    expect(await load.stop()).toEqual([]);
    expect(leaver.cluster.host.size).toBe(0);
    expect(nodes.ledger.refused).toBe(0);
    expect(await send(leaver, channels[0]!, 'forwarded')).toEqual({ status: 'sent' });
  }, 90_000);

  test('from a node that another one asks to drain, and which gets the status of every node', async () => {
    const all = await nodes.startAll(3);
    const [one, two, leaver] = all;
    const channels = channelIds(60);
    await Promise.all(channels.map((id) => send(two, id, `first-${id}`)));
    const load = asking(all, channels);
    await load.more(50);
    await one.cluster.drain(leaver.nodeId);
    expect(leaver.cluster.host.size).toBe(0);
    await load.more(50);
    expect(await load.stop()).toEqual([]);
    const told = await two.cluster.nodes();
    expect(new Map(told.map(({ nodeId, draining }) => [nodeId, draining]))).toEqual(
      new Map(all.map((node) => [node.nodeId, node === leaver])),
    );
    const run = { version: 'of the test', busy: 0.25, memoryBytes: 1_000, lease: 'held' };
    expect(told.map(({ status }) => status)).toEqual(all.map(() => expect.objectContaining(run)));
    await expect(one.cluster.drain('node-9')).rejects.toMatchObject({ code: 'not_found' });
  }, 90_000);

  test('a frozen node is listed without its status, and cannot be drained', async () => {
    const [one, two] = await nodes.startAll(2);
    nodes.freeze(two);
    const frozen = (await one.cluster.nodes()).find(({ nodeId }) => nodeId === two.nodeId);
    expect(frozen?.status).toBeNull();
    await expect(one.cluster.drain(two.nodeId)).rejects.toMatchObject({ code: 'unavailable' });
    nodes.thaw(two);
    expect(two.cluster.host.isDraining).toBe(false);
  }, 90_000);

  test('from a node that stops: no ask on another node fails, and it is not declared dead', async () => {
    const all = await nodes.startAll(3);
    const [one, two, leaver] = all;
    const channels = channelIds(200);
    await Promise.all(channels.map((id) => send(one, id, `first-${id}`)));
    const load = asking([one, two], channels);
    await load.more(100);
    await leaver.cluster.drain();
    await leaver.cluster.stop();
    await until(
      'it to be forgotten',
      () => one.cluster.insight().members === 2 && two.cluster.insight().members === 2,
    );
    await load.more(100);
    expect(await load.stop()).toEqual([]);
    expect([one, two].map(({ counters }) => counters.get('peers_dead_total') ?? 0)).toEqual([0, 0]);
    expect([one, two].flatMap(({ events }) => events.filter((event) => event === 'node.dead'))).toEqual([]);
    expect(await one.redis.main.hexists('trunkline:members', leaver.incarnation)).toBe(0);
  }, 90_000);

  test('during a rolling restart of all nodes under load no ask fails and every channel has one owner', async () => {
    const all = await nodes.startAll(3);
    const channels = channelIds(100);
    await Promise.all(channels.map((id) => send(all[0], id, `first-${id}`)));
    const running = [...all];
    const load = asking(running, channels);
    await load.more(100);
    for (const old of all) {
      const next = await nodes.start({ nodeId: `${old.nodeId}-next` });
      await nodes.connected([...running, next]);
      running.push(next);
      await old.cluster.drain();
      running.splice(running.indexOf(old), 1);
      await until('what it was asked to be answered', () => old.inFlight === 0);
      await old.cluster.stop();
    }
    await load.more(100);
    expect(await load.stop()).toEqual([]);
    // A channel that is on its way to another node lives on none.
    await until('each to live once', async () => {
      await Promise.all(channels.map((id) => inspect(running[0]!, id)));
      return channels.every((id) => nodes.liveOn(id).length === 1);
    });
  }, 90_000);

  test('an ask in flight when the drain begins is answered by the node that drains', async () => {
    const [one, two] = await nodes.startAll(2);
    const channels = channelIds(20);
    await Promise.all(channels.map((id) => send(one, id, `first-${id}`)));
    const channel = channels.find((id) => isLiveOn(two, id))!;
    const answer = send(one, channel, 'held', true);
    await until('the owner to hold it', () => two.holds.has('held'));
    const drained = two.cluster.drain();
    await until('the rest to be gone', () => two.cluster.host.size === 1);
    const waiting = send(one, channel, 'waiting');
    two.holds.release('held');
    expect(await Promise.all([answer, waiting, drained])).toEqual([
      { status: 'sent' },
      { status: 'sent' },
      undefined,
    ]);
    expect(nodes.ledger.minted.get(channel)).toEqual([1, 2]);
  }, 90_000);

  test('a drain ends within its budget, whatever is in flight', async () => {
    const node = await nodes.start({ drainBudgetMs: 300 });
    const [channel = ''] = channelIds(1);
    const answer = send(node, channel, 'held', true).catch((error: unknown) => error);
    await until('the owner to hold it', () => node.holds.has('held'));
    await node.cluster.drain(); // the call never ends: only the budget ends the drain
    expect(await answer).toMatchObject({ name: 'OwnerLost' });
  }, 90_000);

  test('the request to drain another node waits for the end of the drain, longer than for any other answer', async () => {
    const [one, two] = await nodes.startAll(2, { drainBudgetMs: 4_000, askDeadlineMs: 300 });
    const channels = channelIds(20);
    await Promise.all(channels.map((id) => send(two, id, `first-${id}`)));
    const channel = channels.find((id) => isLiveOn(two, id)) ?? '';
    const answer = send(two, channel, 'held', true);
    await until('the owner to hold it', () => two.holds.has('held'));
    await one.cluster.drain(two.nodeId);
    expect(two.cluster.host.size).toBe(0);
    await until('the next owner to hold it', () => one.holds.has('held'));
    one.holds.release('held');
    expect(await answer).toEqual({ status: 'sent' });
  }, 30_000);

  test('the last node that drains answers 503, because there is no other node to wait for', async () => {
    const node = await nodes.start();
    await node.cluster.drain();
    await expect(send(node, channelIds(1)[0]!, 'x')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a drain while Redis is down ends, and the other nodes learn of it once Redis is back', async () => {
    const [one, two] = await nodes.startAll(2);
    const channels = channelIds(40);
    await Promise.all(channels.map((id) => send(one, id, `first-${id}`)));
    await redis.kill9();
    await two.cluster.drain();
    expect(two.cluster.host.size).toBe(0);
    await redis.restart('same');
    await until('the news', async () => (await one.cluster.nodes()).some(({ draining }) => draining));
    const answers = await Promise.all(channels.map((id) => send(one, id, `after-${id}`)));
    expect(answers).toEqual(channels.map(() => ({ status: 'sent' })));
    expect(one.cluster.host.size).toBe(40);
  }, 90_000);

  test('every node reports the same nodes and owners', async () => {
    const all = await nodes.startAll(3);
    const channels = channelIds(30);
    await Promise.all(channels.map((id) => send(all[0], id, `first-${id}`)));
    for (const id of channels) {
      const names = await Promise.all(all.map(({ cluster }) => cluster.whereIs(id)));
      expect(new Set(names)).toEqual(new Set([nodes.liveOn(id)[0]?.nodeId]));
    }
    const lists = await Promise.all(all.map(({ cluster }) => cluster.nodes()));
    const counts = lists.map((list) =>
      Object.fromEntries(list.map((node) => [node.nodeId, node.channelsOwned])),
    );
    const truth = Object.fromEntries(all.map(({ nodeId, cluster }) => [nodeId, cluster.host.size]));
    expect(counts).toEqual([truth, truth, truth]);
  });

  test('a change that one node reports reaches every other', async () => {
    const [one, two, three] = await nodes.startAll(3);
    one.cluster.changed({ channelId: 'channel' });
    two.cluster.changed({ apiKeyId: 'key' });
    await until(
      'the news',
      () => three.changes.length === 2 && one.changes.length === 1 && two.changes.length === 1,
    );
    expect(three.changes).toEqual(
      expect.arrayContaining([
        { channelId: 'channel', apiKeyId: null },
        { channelId: null, apiKeyId: 'key' },
      ]),
    );
  });

  test('tells reach the owner wherever it is, and a wake creates one', async () => {
    const [one, two] = await nodes.startAll(2);
    const channels = channelIds(20);
    for (const id of channels) one.cluster.router.tell(id, { type: 'wake' });
    await until('each to live once', () => channels.every((id) => nodes.liveOn(id).length === 1));
    expect(one.cluster.host.size + two.cluster.host.size).toBe(20);
    expect(two.cluster.host.size).toBeGreaterThan(0);
    const [unknown = ''] = channelIds(1);
    one.cluster.router.tell(unknown, { type: 'settings-changed' });
    await inspect(one, channels[0]!);
    expect(nodes.liveOn(unknown)).toEqual([]);
  });
});
