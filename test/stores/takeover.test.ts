/** The commands to MongoDB of a takeover of a thousand channels, counted on the wire. [performance §3, 7] */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connect } from '../../src/storage/mongo/connection.ts';
import type { Connection } from '../../src/storage/mongo/connection.ts';
import { makeIndexes } from '../../src/storage/mongo/indexes.ts';
import { RetryPolicy } from '../../src/storage/mongo/retry-policy.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { FencedError } from '../../src/kernel/faults.ts';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { CommandCount } from '../support/command-count.ts';
import { MongoServer, describeWithMongo } from '../support/mongo-server.ts';
import { aMessage, noon } from './conformance/samples.ts';
import { entities } from '../../src/features/entities.ts';
import { storeOn } from '../support/mongo-stores.ts';
import type { MongoStore } from '../support/mongo-stores.ts';

const first = { nodeId: 'node-1', incarnation: 'run-1' };
const second = { nodeId: 'node-2', incarnation: 'run-2' };

describeWithMongo('a takeover', 'any', (source) => {
  let server: MongoServer;
  let connection: Connection;
  let store: MongoStore;
  let sent: CommandCount;
  beforeAll(async () => {
    server = await MongoServer.start(source);
    connection = await connect(server.freshUri(), 'takeover', { monitorCommands: true });
    const retryPolicy = new RetryPolicy({ clock: systemClock, log: silentLog, budgetMs: 8_000 });
    await makeIndexes(connection.db, retryPolicy, entities);
    store = storeOn(connection, retryPolicy);
    sent = new CommandCount(connection.client);
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await server.stop();
  }, 60_000);

  const mintAll = (channels: readonly string[], owner: typeof first) =>
    Promise.all(channels.map((id) => store.owners.mint(id, owner, noon)));

  test('epochs of a thousand channels take two commands for each two hundred; one channel takes one', async () => {
    const channels = Array.from({ length: 1_000 }, newId);
    expect(new Set((await mintAll(channels, first)).map(({ epoch }) => epoch))).toEqual(new Set([1]));
    sent.clear();
    const taken = await mintAll(channels, second);
    expect(sent.all()).toEqual({ update: 5, find: 5 });
    expect(new Set(taken.map(({ epoch, previous }) => `${epoch} ${previous}`))).toEqual(new Set(['2 run-1']));
    sent.clear();
    const back = await store.owners.mint(channels[0] ?? '', first, noon);
    expect(back).toEqual({ owner: 'run-1', epoch: 3, previous: 'run-2' });
    expect(sent.all()).toEqual({ findAndModify: 1 });
  }, 60_000);

  test('only the owners that the asker names are replaced, of a thousand channels by as many commands', async () => {
    const channels = Array.from({ length: 1_000 }, newId);
    const [next, third] = [
      { nodeId: 'node-2', incarnation: 'run-4' },
      { nodeId: 'node-3', incarnation: 'run-3' },
    ];
    const [held, free] = [channels.slice(0, 300), channels.slice(300, 600)];
    await Promise.all([mintAll(channels.slice(300), first), mintAll(held, third)]);
    sent.clear();
    await Promise.all(free.map((id) => store.owners.release(id, 'run-1')));
    expect(sent.all()).toEqual({ update: 2 });
    sent.clear();
    const asked = await Promise.all(
      channels.map((id) => store.owners.mint(id, next, noon, { from: ['run-1'] })),
    );
    expect(sent.all()).toEqual({ update: 5, find: 5 });
    const said = asked.map(({ owner, epoch, previous }) => `${owner} ${epoch} ${previous}`);
    expect([...new Set(said)]).toEqual(['run-3 1 null', 'run-4 2 run-1']);
    expect(said.lastIndexOf('run-3 1 null')).toBe(299);
    expect((await store.owners.ownedBy('run-4')).toSorted()).toEqual(channels.slice(300).toSorted());
    expect(await store.owners.countOwnedBy('run-3')).toBe(300);
  }, 60_000);

  test('a channel is freed by its owner only, under its epoch only, and keeps its epoch', async () => {
    const id = newId();
    const minted = () => store.owners.mint(id, second, noon, { from: [] });
    expect(await store.owners.mint(id, first, noon, { from: [] })).toEqual({ owner: 'run-1', epoch: 1, previous: null }); // oxfmt-ignore
    await store.owners.release(id, 'run-2');
    await store.owners.release(id, 'run-1', 2);
    expect(await minted()).toEqual({ owner: 'run-1', epoch: 1, previous: null });
    await store.owners.release(id, 'run-1', 1);
    expect(await store.owners.lastOwners([id])).toEqual(new Map([[id, { epoch: 1, incarnation: null }]]));
    expect(await minted()).toEqual({ owner: 'run-2', epoch: 2, previous: 'run-1' });
    expect(await store.owners.mint(id, second, noon, { from: [], step: 4 })).toEqual({ owner: 'run-2', epoch: 6, previous: 'run-2' }); // oxfmt-ignore
  });

  test('of two nodes that ask for the same new channels at once each channel has one, and both learn which', async () => {
    const channels = Array.from({ length: 100 }, newId);
    const asked = [first, second].map((owner) =>
      Promise.all(channels.map((id) => store.owners.mint(id, owner, noon, { from: [] }))),
    );
    const [one = [], other = []] = await Promise.all(asked);
    expect(one.map(({ owner, epoch }) => [owner, epoch])).toEqual(other.map(({ owner }) => [owner, 1]));
  }, 60_000);

  test('an owner that is not sure of its lease learns of a higher epoch, for many channels with one command', async () => {
    const channels = Array.from({ length: 100 }, newId);
    await mintAll(channels, first);
    const [taken = '', ...kept] = channels;
    await store.owners.mint(taken, second, noon);
    sent.clear();
    const asked = await Promise.allSettled(
      channels.map((channelId) => store.channelState.requireHighest(channelId, 1)),
    );
    expect(sent.all()).toEqual({ find: 1 });
    expect(asked.map(({ status }) => status)).toEqual(['rejected', ...kept.map(() => 'fulfilled')]);
    await expect(store.channelState.requireHighest(taken, 1)).rejects.toThrow(FencedError);
    await store.channelState.requireHighest(taken, 2);
    await store.channelState.requireHighest(newId(), 1); // no epoch has been issued yet
    expect(await store.owners.lastOwners([taken, newId()])).toEqual(
      new Map([[taken, { epoch: 2, incarnation: 'run-2' }]]),
    );
  }, 60_000);

  test('two nodes that take over the same channels at once: every epoch is issued once', async () => {
    const channels = Array.from({ length: 100 }, newId);
    const both = await Promise.all([mintAll(channels, first), mintAll(channels, second)]);
    for (const index of channels.keys())
      expect(new Set(both.map((minted) => minted[index]?.epoch)).size).toBe(2);
  }, 60_000);

  test('settings and open work of a thousand idle channels take a few commands for each five hundred', async () => {
    const channels = Array.from({ length: 1_000 }, newId);
    await mintAll(channels, first);
    sent.clear();
    const loads = channels.map((id) => store.channelState.load(id, 1, noon, 10));
    const settings = channels.map((id) => store.channelState.settings(id));
    await Promise.all([...loads, ...settings]);
    const { find = 0, distinct = 0, aggregate = 0, ...others } = sent.all();
    expect(others).toEqual({});
    expect(find + distinct + aggregate).toBeLessThan(20);
  }, 60_000);

  test('a channel with open work is ready after three round trips', async () => {
    const message = aMessage(newId());
    await store.channelState.commit(message.channelId, 1, [{ write: 'insertMessage', message }]);
    const before = sent.rounds();
    const { openMessages } = await store.channelState.load(message.channelId, 2, noon, 10);
    expect(openMessages.map(({ id, epoch }) => [id, epoch])).toEqual([[message.id, 2]]);
    expect(sent.rounds() - before).toBe(3);
  });

  test('open work of many channels that does not fit into one read is complete, under the new epoch', async () => {
    const [busy, quiet, idle] = [newId(), newId(), newId()];
    const insert = (channelId: string) => {
      const message = aMessage(channelId);
      return store.channelState.commit(channelId, 1, [{ write: 'insertMessage', message }]);
    };
    await Promise.all([...Array.from({ length: 600 }, () => insert(busy)), insert(quiet)]);
    const loaded = await Promise.all(
      [busy, quiet, idle].map((id) => store.channelState.load(id, 2, noon, 10)),
    );
    expect(loaded.map(({ openMessages }) => openMessages.length)).toEqual([600, 1, 0]);
    expect(new Set(loaded.flatMap(({ openMessages }) => openMessages.map(({ epoch }) => epoch)))).toEqual(
      new Set([2]),
    );
  });

  test.each([1, 600])('%d open messages of a later owner: an earlier owner is fenced', async (count) => {
    const channelId = newId();
    const insert = () =>
      store.channelState.commit(channelId, 3, [{ write: 'insertMessage', message: aMessage(channelId) }]);
    await Promise.all(Array.from({ length: count }, insert));
    await expect(store.channelState.load(channelId, 2, noon, 10)).rejects.toThrow(FencedError);
  });
});
